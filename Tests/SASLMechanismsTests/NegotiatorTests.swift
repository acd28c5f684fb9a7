import SASLMechanisms
import Testing

@Suite("SASL, selecting a mechanism")
struct NegotiatorTests {
    static let exporter = ChannelBinding.tlsExporter([1])
    static let unique = ChannelBinding.tlsUnique([2])
    static let endPoint = ChannelBinding.tlsServerEndPoint([3])
    static let tls13 = SASLConnectionSecurity.tls13(bindings: [endPoint, exporter])
    static let tls12 = SASLConnectionSecurity.tls12(bindings: [endPoint, unique, exporter])
    static let everything = [
        "PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-256", "SCRAM-SHA-256-PLUS", "SCRAM-SHA-512",
        "SCRAM-SHA-512-PLUS", "X-OAUTH2", "DIGEST-MD5", "EXTERNAL", "ANONYMOUS",
    ]

    private func select(
        _ mechanisms: [String], bindings: [String]? = nil, over security: SASLConnectionSecurity,
        policy: SASLPolicy = SASLPolicy(allowedMechanisms: SASLPolicy.all), credentials: SASLCredentials = .pencil,
        tried: Set<SASLMechanismName> = [], digests: SASLDigests = .library
    ) throws(SASLError) -> SASLSelection {
        try SASLNegotiator(policy: policy, security: security, digests: digests).select(
            from: SASLOffer(mechanisms: mechanisms, channelBindings: bindings), for: credentials, tried: tried)
    }

    struct Row: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let mechanisms: [String]
        let bindings: [String]?
        let security: SASLConnectionSecurity
        let expected: SASLMechanismName
        let flag: GS2ChannelBinding
    }

    /// The offers of real servers, and the expected choice of a client.
    static let servers: [Row] = [
        Row(
            testDescription: "Prosody 0.12 over TLS 1.2", mechanisms: ["PLAIN", "SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"],
            bindings: nil, security: tls12, expected: .scramSHA1Plus, flag: .bound(unique)),
        Row(
            testDescription: "Prosody 0.12 over TLS 1.3", mechanisms: ["PLAIN", "SCRAM-SHA-1"], bindings: nil,
            security: tls13, expected: .scramSHA1, flag: .notOffered),
        Row(
            testDescription: "Prosody 13 over TLS 1.3", mechanisms: ["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS", "PLAIN"],
            bindings: ["tls-exporter"], security: tls13, expected: .scramSHA1Plus, flag: .bound(exporter)),
        Row(
            testDescription: "Prosody 13 over TLS 1.2", mechanisms: ["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"],
            bindings: ["tls-unique"], security: tls12, expected: .scramSHA1Plus, flag: .bound(unique)),
        Row(
            testDescription: "ejabberd 23 over TLS 1.3, which takes only its own binding", mechanisms: everything,
            bindings: nil, security: tls13, expected: .scramSHA512, flag: .unsupported),
        Row(
            testDescription: "ejabberd 23 over TLS 1.2", mechanisms: everything, bindings: nil, security: tls12,
            expected: .scramSHA512Plus, flag: .bound(unique)),
        Row(
            testDescription: "ejabberd 24 over TLS 1.3", mechanisms: everything,
            bindings: ["tls-server-end-point", "tls-exporter"], security: tls13, expected: .scramSHA512Plus,
            flag: .bound(exporter)),
        Row(
            testDescription: "TLS in front of the server", mechanisms: everything, bindings: ["tls-server-end-point"],
            security: tls13, expected: .scramSHA512Plus, flag: .bound(endPoint)),
        Row(
            testDescription: "tls-unique on a connection that resumes a TLS session", mechanisms: everything,
            bindings: ["tls-unique"], security: .tls12(bindings: [endPoint]), expected: .scramSHA512, flag: .unsupported
        ),
        Row(
            testDescription: "a transport that cannot bind", mechanisms: ["SCRAM-SHA-1"], bindings: nil,
            security: .tls13(bindings: []), expected: .scramSHA1, flag: .unsupported),
        Row(
            testDescription: "no encryption", mechanisms: everything, bindings: ["tls-exporter"], security: .clear,
            expected: .scramSHA512, flag: .unsupported),
        Row(
            testDescription: "PLAIN alone", mechanisms: ["PLAIN"], bindings: nil, security: tls13, expected: .plain,
            flag: .unsupported),
    ]

    @Test("the strongest usable mechanism is selected, with a binding that both ends support", arguments: servers)
    func strongest(row: Row) throws {
        let selection = try select(row.mechanisms, bindings: row.bindings, over: row.security)
        #expect(selection == SASLSelection(mechanism: row.expected, channelBinding: row.flag))
        #expect(try select(row.mechanisms.reversed(), bindings: row.bindings, over: row.security) == selection)
    }

    @Test(
        "A16: if the list of binding types was replaced or removed, no unbound login is made (XEP-0440 §4)",
        arguments: [
            (["tls-made-up"], tls13, false), (["tls-made-up"], tls12, false), ([], tls13, false),
            (["tls-unique"], .tls13(bindings: [unique, exporter]), false), (nil, tls13, true),
        ] as [([String]?, SASLConnectionSecurity, Bool)])
    func withheldBinding(kinds: [String]?, security: SASLConnectionSecurity, mustList: Bool) {
        let negotiator = SASLNegotiator(
            policy: SASLPolicy(allowedMechanisms: SASLPolicy.all), security: security, digests: .library)
        #expect(throws: SASLError.self) {
            try negotiator.select(
                from: SASLOffer(
                    mechanisms: Self.everything, channelBindings: kinds, mustListChannelBindings: mustList),
                for: .pencil)
        }
    }

    @Test("after a login with channel binding, one without it is rejected where binding is possible")
    func noLongerBound() throws {
        let policy = SASLPolicy(allowedMechanisms: SASLPolicy.all, previousMechanism: .scramSHA256Plus)
        for mechanisms in [["SCRAM-SHA-256"], ["SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"], ["PLAIN"]] {
            #expect(throws: SASLError.self) { try select(mechanisms, over: Self.tls13, policy: policy) }
        }
        #expect(throws: SASLError.self) { try select(["SCRAM-SHA-256"], over: Self.tls12, policy: policy) }
        let bound = try select(["SCRAM-SHA-256-PLUS"], bindings: ["tls-exporter"], over: Self.tls13, policy: policy)
        #expect(bound.channelBinding == .bound(Self.exporter))
        let resumed = SASLConnectionSecurity.tls12(bindings: [Self.endPoint])
        let mechanisms = ["SCRAM-SHA-256", "SCRAM-SHA-256-PLUS"]
        #expect(try select(mechanisms, over: resumed, policy: policy).mechanism == .scramSHA256)
    }

    @Test("W-8: PLAIN is never used over an unencrypted connection, whatever the policy")
    func plainInClear() throws {
        #expect(
            throws: SASLError(.noUsableMechanism([SASLRefusal(mechanism: "PLAIN", reason: .connectionNotEncrypted)]))
        ) { try select(["PLAIN"], over: .clear) }
        let negotiator = SASLNegotiator(
            policy: SASLPolicy(allowedMechanisms: SASLPolicy.all), security: .clear, digests: .library)
        #expect(throws: SASLError.self) {
            try negotiator.makeClient(
                for: SASLSelection(mechanism: .plain), credentials: .pencil, nonce: "n",
                offer: SASLOffer(mechanisms: ["PLAIN"]))
        }
    }

    @Test("PLAIN is not used unless the policy allows it")
    func plainByPolicy() throws {
        #expect(throws: SASLError(.noUsableMechanism([SASLRefusal(mechanism: "PLAIN", reason: .notAllowed)]))) {
            try select(["PLAIN"], over: Self.tls13, policy: SASLPolicy())
        }
    }

    @Test(
        "PLAIN is permanently rejected after a login that did not disclose the password",
        arguments: [
            SASLMechanismName.scramSHA1, .scramSHA256Plus, .external,
        ])
    func weakerThanBefore(previous: SASLMechanismName) throws {
        let policy = SASLPolicy(allowedMechanisms: SASLPolicy.all, previousMechanism: previous)
        #expect(throws: SASLError(.noUsableMechanism([SASLRefusal(mechanism: "PLAIN", reason: .weakerThanBefore)]))) {
            try select(["PLAIN"], over: Self.tls13, policy: policy)
        }
        let first = SASLPolicy(allowedMechanisms: SASLPolicy.all, previousMechanism: .plain)
        #expect(try select(["PLAIN"], over: Self.tls13, policy: first).mechanism == .plain)
    }

    @Test("channel binding can be required")
    func requiredBinding() throws {
        let policy = SASLPolicy(requiresChannelBinding: true)
        #expect(
            throws: SASLError(
                .noUsableMechanism([
                    SASLRefusal(mechanism: "SCRAM-SHA-1", reason: .notChannelBound),
                    SASLRefusal(mechanism: "SCRAM-SHA-1-PLUS", reason: .noCommonChannelBinding),
                ]))
        ) { try select(["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"], over: Self.tls13, policy: policy) }
        let bound = try select(
            ["SCRAM-SHA-1", "SCRAM-SHA-1-PLUS"], bindings: ["tls-exporter"], over: Self.tls13, policy: policy)
        #expect(bound.mechanism == .scramSHA1Plus)
    }

    @Test("after a bound exchange failed, another bound one is tried, but never an unbound one")
    func noFallbackFromBinding() throws {
        let offer = ["SCRAM-SHA-1", "SCRAM-SHA-256", "SCRAM-SHA-1-PLUS", "SCRAM-SHA-256-PLUS"]
        let second = try select(offer, bindings: ["tls-exporter"], over: Self.tls13, tried: [.scramSHA256Plus])
        #expect(second.mechanism == .scramSHA1Plus)
        #expect(throws: SASLError.self) {
            try select(
                offer, bindings: ["tls-exporter"], over: Self.tls13, tried: [.scramSHA256Plus, .scramSHA1Plus])
        }
        let unbound = try select(offer, over: Self.tls13, tried: [.scramSHA256])
        #expect(unbound == SASLSelection(mechanism: .scramSHA1, channelBinding: .unsupported))
    }

    @Test("a certificate is preferred if there is one, anonymous login is used only on request")
    func credentials() throws {
        #expect(try select(Self.everything, over: Self.tls13, credentials: .certificate()).mechanism == .external)
        #expect(try select(Self.everything, over: Self.tls13, credentials: .anonymous).mechanism == .anonymous)
        #expect(throws: SASLError.self) { try select(["ANONYMOUS"], over: Self.tls13) }
        #expect(throws: SASLError.self) { try select(["EXTERNAL"], over: .clear, credentials: .certificate()) }
        let demanding = SASLPolicy(requiresChannelBinding: true)
        let external = try select(
            Self.everything, over: Self.tls13, policy: demanding, credentials: .certificate())
        #expect(external.mechanism == .external)
    }

    @Test("stored keys are used for their hash function only")
    func keptKeys() throws {
        let keys = SCRAMKeys(hash: .sha1, salt: [1], iterations: 4096, clientKey: [], serverKey: [])
        let credentials = SASLCredentials(username: "user", password: nil, scramKeys: [keys])
        #expect(try select(Self.everything, over: Self.tls13, credentials: credentials).mechanism == .scramSHA1)
        #expect(throws: SASLError.self) { try select(["SCRAM-SHA-256"], over: Self.tls13, credentials: credentials) }
    }

    @Test("only hash functions that the program implements are negotiated")
    func digests() throws {
        let sha256 = SASLDigests([.library(.sha256)])
        #expect(try select(Self.everything, over: Self.tls13, digests: sha256).mechanism == .scramSHA256)
        #expect(throws: SASLError.self) { try select(["SCRAM-SHA-1"], over: Self.tls13, digests: .none) }
    }

    @Test("a client whose policy excludes -PLUS does not claim to support binding")
    func noClaim() throws {
        let policy = SASLPolicy(allowedMechanisms: [.scramSHA1])
        let selection = try select(["SCRAM-SHA-1"], over: Self.tls13, policy: policy)
        #expect(selection.channelBinding == .unsupported)
    }

    @Test("if nothing is acceptable, the error contains the whole list with the reasons")
    func nothingFits() {
        do {
            _ = try select(["X-OAUTH2", "PLAIN", "SCRAM-SHA-1-PLUS"], over: Self.tls13, policy: SASLPolicy())
            Issue.record("Something was picked.")
        } catch {
            #expect(
                error.code
                    == .noUsableMechanism([
                        SASLRefusal(mechanism: "X-OAUTH2", reason: .unknown),
                        SASLRefusal(mechanism: "PLAIN", reason: .notAllowed),
                        SASLRefusal(mechanism: "SCRAM-SHA-1-PLUS", reason: .noCommonChannelBinding),
                    ]))
            for name in ["X-OAUTH2", "PLAIN", "SCRAM-SHA-1-PLUS"] { #expect(error.description.contains(name)) }
        }
        #expect(throws: SASLError(.noUsableMechanism([]))) { try select([], over: Self.tls13) }
        #expect(SASLError(.noUsableMechanism([])).description == "The server offers no way to log in.")
    }

    @Test("the created client is the selected one", arguments: SASLMechanismName.byStrength)
    func made(mechanism: SASLMechanismName) throws {
        let negotiator = SASLNegotiator(
            policy: SASLPolicy(allowedMechanisms: [mechanism]), security: Self.tls13, digests: .library)
        var credentials = SASLCredentials.pencil
        credentials.presentsCertificate = true
        credentials.isAnonymous = true
        let offer = SASLOffer(mechanisms: Self.everything, channelBindings: ["tls-exporter"])
        let selection = try negotiator.select(from: offer, for: credentials)
        let client = try negotiator.makeClient(for: selection, credentials: credentials, nonce: "n", offer: offer)
        #expect(client.name == mechanism)
    }
}
