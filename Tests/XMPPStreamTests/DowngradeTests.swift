import SASLMechanisms
import ServerSide
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

/// A man in the middle removes, adds or repeats something: each attack is rejected with a specific error.
///
/// The server is our own machine, which distinguishes its capabilities (`supported`) from its offer (`offered`).
@Suite("Downgrades")
struct DowngradeTests {
    static func failure(
        _ client: ClientStreamConfiguration = .juliet(), _ server: ServerStreamConfiguration
    ) -> StreamFailure? {
        StreamPair(client, server).log.ends.first?.failure
    }

    @Test("STARTTLS removed: the connection is not used without TLS")
    func startTLS() {
        let failure = Self.failure(.juliet(), .example { $0.encryption = .none })
        #expect(failure?.code == .encryptionRefused)
        #expect(failure?.isTemporary == false)
    }

    /// The list of mechanisms is shortened in transit: the server's list is different.
    static func shortened(
        _ client: ClientStreamConfiguration = .juliet(), from server: ServerStreamConfiguration, removing: [String]
    ) -> StreamFailure? {
        var pair = TamperedPair(client, server)
        pair.run { text in
            for name in removing {
                text = text.replacing("<mechanism>\(name)</mechanism>", with: "")
                text = text.replacing("<channel-binding type='\(name)'/>", with: "")
            }
        }
        return pair.failure
    }

    @Test("-PLUS removed from the list: the flag informs the server, which rejects the login")
    func strippedPlus() {
        let server = ServerStreamConfiguration.example { $0.mechanisms = [.scramSHA256, .scramSHA256Plus] }
        let failure = Self.shortened(from: server, removing: ["SCRAM-SHA-256-PLUS"])
        #expect(failure?.code == .credentialsRejected)
        #expect(failure?.saslCondition == .notAuthorized)
    }

    @Test("-PLUS removed from a signed list: the client detects it")
    func strippedSignedPlus() {
        let server = ServerStreamConfiguration.example {
            $0.mechanisms = [.scramSHA256, .scramSHA256Plus]
            $0.signsOffer = true
        }
        // The man in the middle must prevent the client from announcing support for binding.
        let failure = Self.shortened(
            .juliet { $0.mechanisms.allowedMechanisms = [.scramSHA256] }, from: server,
            removing: ["SCRAM-SHA-256-PLUS"])
        #expect(failure?.saslError?.code == .offerTampered)
    }

    @Test("Mechanisms removed from the signed list (XEP-0474)", arguments: [false, true])
    func strippedMechanisms(extensible: Bool) {
        let change: (inout ServerStreamConfiguration) -> Void = {
            $0.mechanisms = [.scramSHA512, .scramSHA256]
            $0.signsOffer = true
        }
        let failure =
            extensible
            ? Self.shortened(.extensible(), from: .extensible(change), removing: ["SCRAM-SHA-512"])
            : Self.shortened(from: .example(change), removing: ["SCRAM-SHA-512"])
        #expect(failure?.code == .serverNotAuthentic)
        #expect(failure?.saslError?.code == .offerTampered)
        #expect(failure?.category == .encryption)
    }

    @Test("A binding type removed from the signed list (XEP-0474, XEP-0440)")
    func strippedBinding() {
        let server = ServerStreamConfiguration.example {
            $0.mechanisms = [.scramSHA256, .scramSHA256Plus]
            $0.channelBindingTypes = ["tls-exporter", "tls-server-end-point"]
            $0.signsOffer = true
        }
        let failure = Self.shortened(from: server, removing: ["tls-exporter"])
        #expect(failure?.saslError?.code == .offerTampered)
    }

    @Test("A signed list without changes is accepted", arguments: [false, true])
    func signed(extensible: Bool) {
        let change: (inout ServerStreamConfiguration) -> Void = {
            $0.mechanisms = [.scramSHA512, .scramSHA256, .scramSHA256Plus]
            $0.channelBindingTypes = ["tls-exporter"]
            $0.signsOffer = true
        }
        let pair = extensible ? StreamPair(.extensible(), .extensible(change)) : StreamPair(.juliet(), .example(change))
        #expect(pair.log.session?.mechanism == "SCRAM-SHA-256-PLUS", "\(pair.transcript)")
    }

    @Test(
        "A16: a list with only unknown binding types was forged: no login", arguments: [false, true])
    func unknownBinding(isRequired: Bool) {
        let server = ServerStreamConfiguration.example {
            $0.mechanisms = [.scramSHA256, .scramSHA256Plus]
            $0.channelBindingTypes = ["tls-novelty"]
        }
        let failure = Self.failure(
            .juliet { $0.mechanisms = SASLPolicy(requiresChannelBinding: isRequired) }, server)
        #expect(failure?.code == .noAcceptableMechanism)
        #expect(failure?.category == .policy)
    }

    @Test("PLAIN alone is rejected for a password that SCRAM protected before")
    func plainAfterSCRAM() {
        let server = ServerStreamConfiguration.example { $0.mechanisms = [.plain] }
        let failure = Self.failure(
            .juliet { $0.mechanisms = SASLPolicy(allowedMechanisms: SASLPolicy.all, previousMechanism: .scramSHA256) },
            server)
        #expect(failure?.code == .noAcceptableMechanism)
    }

    @Test("The replayed final message of an earlier login")
    func replayedFinalMessage() throws {
        let first = StreamPair(
            .juliet(), .example { $0.mechanisms = [.scramSHA256] })
        let success = try #require(first.transcript.firstMatch(of: /<success [^>]*>([^<]*)<\/success>/))
        var pair = TamperedPair(
            .juliet { $0.nonce = "anotherNonceOfTheClient" },
            .example {
                $0.mechanisms = [.scramSHA256]
                $0.nonce = "anotherNonceOfTheServer"
            })
        pair.run { text in
            if let match = text.firstMatch(of: /<success [^>]*>([^<]*)<\/success>/) {
                text = text.replacing(match.1, with: success.1)
            }
        }
        #expect(pair.failure?.code == .serverNotAuthentic)
        #expect(pair.failure?.saslError?.code == .serverSignatureMismatch)
    }

    @Test("A stream of another server", arguments: ["evil.example", "juliet@example.com", "example.com/x", "@"])
    func wrongFrom(from: String) {
        var client = ScriptedClient(at: .secured)
        let failure = client.receive(ScriptedServer.header.replacing("from='example.com'", with: "from='\(from)'")).ends
            .first?.failure
        #expect(failure?.code == .serverMismatch)
        #expect(failure?.text == from)
    }

    @Test("The server's name may be missing, or spelled differently")
    func rightFrom() {
        for from in ["", "from='EXAMPLE.com'"] {
            var client = ScriptedClient(at: .secured)
            #expect(
                client.receive(ScriptedServer.header.replacing("from='example.com'", with: from)).ends.isEmpty)
        }
    }

    @Test("Bytes injected before TLS")
    func injected() {
        var client = ScriptedClient(at: .clearFeatures)
        let failure = client.receive(ScriptedServer.proceed + "<stream:features/>").ends.first?.failure
        #expect(failure?.code == .injectedBeforeEncryption)
    }

    @Test("A token is bound to its connection and worthless on another one")
    func tokenElsewhere() throws {
        let first = StreamPair(.extensible(), .extensible())
        let token = try #require(first.log.tokens.first)
        // The man in the middle has a separate connection to the server, with another exporter.
        let other = TLSInformation(
            version: .tls13, channelBindings: [.tlsExporter(Array(repeating: 8, count: 32))])
        var pair = TamperedPair(
            .extensible {
                $0.fastToken = token
                $0.purpose = .authenticate(SASLCredentials(username: "juliet", password: nil))
            }, .extensible(), directory: first.directory, serverTLS: other)
        pair.run { _ in }
        #expect(pair.failure?.code == .credentialsRejected)
        #expect(pair.log.contains(.tokenRejected))
    }
}
