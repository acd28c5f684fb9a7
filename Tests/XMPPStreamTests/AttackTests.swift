import SASLMechanisms
import Testing
import XMLStreaming
import XMPPStanzas
import XMPPStream

/// Attacks by a man in the middle or a hostile server.
@Suite("Attacks")
struct AttackTests {
    @Test("STARTTLS removed from the features is requested nevertheless", arguments: [true, false])
    func strippedOffer(pipelines: Bool) {
        let pair = StreamPair(
            .juliet { $0.pipelinesStartTLS = pipelines },
            .example { $0.offered = NegotiationPlan([.registration, .sasl, .binding]) })
        #expect(pair.log.session?.tls == .tls13, "\(pair.transcript)")
    }

    @Test("STARTTLS removed completely: only the request is sent", arguments: [true, false])
    func strippedSupport(pipelines: Bool) {
        let pair = StreamPair(
            .juliet { $0.pipelinesStartTLS = pipelines }, .example { $0.encryption = .none })
        let failure = pair.log.ends.first?.failure
        #expect(failure?.code == .encryptionRefused)
        #expect(failure?.category == .encryption)
        #expect(!pair.log.text.contains("<auth"))
        #expect(!pair.log.text.contains("juliet"))
        #expect(pair.log.ends.count == 1)
    }

    @Test("Mechanisms offered without TLS are not used")
    func mechanismsInClear() {
        var client = ScriptedClient(at: .clearHeader)
        #expect(client.receive(ScriptedServer.mechanisms) == [])
        #expect(!client.log.text.contains("<auth"))
    }

    @Test(
        "W-11: bytes after <proceed/> in the same read are rejected",
        arguments: [" ", "<", "<message/>", "\u{16}\u{3}\u{1}"])
    func injection(bytes: String) {
        var client = ScriptedClient(at: .clearFeatures)
        let actions = client.receive(ScriptedServer.proceed + bytes)
        #expect(!actions.contains(.startTLS))
        #expect(actions.ends.first?.failure?.code == .injectedBeforeEncryption)
        #expect(actions.ends.first?.failure?.category == .encryption)
        #expect(actions.text.isEmpty)
    }

    @Test("Unencrypted bytes during the handshake")
    func injectionLater() {
        var client = ScriptedClient(at: .handshaking)
        let actions = client.receive("<message/>")
        #expect(actions.ends.first?.failure?.code == .injectedBeforeEncryption)
        #expect(actions.text.isEmpty)
    }

    @Test("The account's address is not sent unencrypted")
    func addressInClear() {
        let client = ScriptedClient(at: .clearFeatures)
        #expect(!client.log.text.contains("juliet"))
    }

    @Test(
        "Features without mechanisms",
        arguments: ["<stream:features/>", "<stream:features><x xmlns='y'/></stream:features>"])
    func noMechanisms(features: String) {
        var client = ScriptedClient(at: .header)
        let failure = client.receive(features).ends.first?.failure
        #expect(failure?.code == .authenticationNotOffered)
        #expect(failure?.category == .policy)
    }

    @Test("Only mechanisms that the policy forbids")
    func forbiddenMechanisms() {
        var client = ScriptedClient(.juliet(), at: .header)
        let actions = client.receive(ScriptedServer.mechanisms)
        #expect(actions.ends.first?.failure?.code == .noAcceptableMechanism)
        #expect(!actions.text.contains("<auth"))
    }

    @Test("A server that does not know the password", arguments: ["v=AAAA", ""])
    func wrongSignature(signature: String) {
        var client = ScriptedClient(.juliet(), at: .header)
        client.receive(ScriptedServer.mechanisms.replacing("PLAIN", with: "SCRAM-SHA-1"))
        let challenge = Base64.encode(Array("r=fyko+d2lbbFgONRv9qkxdawLXYZ,s=QSXCR+Q6sek8bf92,i=4096".utf8))
        #expect(
            client.receive("<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(challenge)</challenge>").text
                .contains("<response"))
        let data = signature.isEmpty ? "" : Base64.encode(Array(signature.utf8))
        let actions = client.receive("<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(data)</success>")
        #expect(!actions.progress.contains(.authenticated))
        #expect(actions.ends.first?.failure != nil)
        #expect(!actions.text.contains("<stream:stream"))
        #expect(actions.ends.first?.failure?.code == .serverNotAuthentic || signature == "v=AAAA")
    }

    @Test("A success that skips the exchange")
    func earlySuccess() {
        var client = ScriptedClient(.juliet(), at: .header)
        client.receive(ScriptedServer.mechanisms.replacing("PLAIN", with: "SCRAM-SHA-1"))
        let actions = client.receive(ScriptedServer.success)
        #expect(actions.ends.first?.failure != nil)
        #expect(!actions.progress.contains(.authenticated))
    }

    @Test("A challenge that does not extend our nonce is aborted")
    func foreignNonce() {
        var client = ScriptedClient(.juliet(), at: .header)
        client.receive(ScriptedServer.mechanisms.replacing("PLAIN", with: "SCRAM-SHA-1"))
        let challenge = Base64.encode(Array("r=somebodyelse,s=QSXCR+Q6sek8bf92,i=4096".utf8))
        let actions = client.receive("<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>\(challenge)</challenge>")
        #expect(actions.text.contains("<abort"))
        #expect(actions.ends.first?.failure?.code == .serverNotAuthentic)
    }

    @Test("A challenge with invalid Base64")
    func noBase64() {
        var client = ScriptedClient(at: .authenticating)
        let actions = client.receive("<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>§</challenge>")
        #expect(actions.text.contains("<abort"))
        #expect(actions.ends.first?.failure?.code == .authenticationMalformed)
    }

    static let headers: [(String, StreamFailure.Code, String)] = [
        (ScriptedServer.header.replacing("etherx.jabber.org", with: "example.org"), .notXMPP, "invalid-namespace"),
        (ScriptedServer.header.replacing("jabber:client", with: "jabber:server"), .notXMPP, "invalid-namespace"),
        (ScriptedServer.header.replacing(" version='1.0' ", with: " "), .unsupportedVersion, "unsupported-version"),
        (
            ScriptedServer.header.replacing(" version='1.0' ", with: " version='0.9' "), .unsupportedVersion,
            "unsupported-version"
        ),
        (
            ScriptedServer.header.replacing(" version='1.0' ", with: " version='x' "), .unsupportedVersion,
            "unsupported-version"
        ),
        ("<html>", .notXMPP, "invalid-namespace"),
        ("HTTP/1.1 400 Bad Request\r\n", .malformedXML, "not-well-formed"),
    ]

    @Test(
        "A stream header of another protocol", arguments: headers,
        [ScriptedServer.Phase.connected, .secured, .reopening])
    func header(header: (String, StreamFailure.Code, String), phase: ScriptedServer.Phase) {
        var client = ScriptedClient(at: phase)
        let actions = client.receive(header.0)
        #expect(actions.ends.first?.failure?.code == header.1)
        #expect(actions.text.contains(header.2))
    }

    @Test("A newer minor or major version is accepted", arguments: ["1.1", "1.10", "2.0", "01.0"])
    func newerVersion(version: String) {
        var client = ScriptedClient()
        #expect(
            client.receive(ScriptedServer.header.replacing("version='1.0' ", with: "version='\(version)' ")).ends
                .isEmpty)
    }

    @Test(
        "Before authentication a nesting bomb ends with a specific error",
        arguments: [ScriptedServer.Phase.clearHeader, .header])
    func nestingBomb(phase: ScriptedServer.Phase) {
        var client = ScriptedClient(at: phase)
        let failure = client.receive(String(repeating: "<a>", count: 100_000)).ends.first?.failure
        #expect(failure?.code == .malformedXML)
        #expect(failure?.xmlError?.code == .tooDeep)
    }

    @Test("Before authentication a large element is rejected")
    func largeElement() {
        var client = ScriptedClient(at: .header)
        let failure = client.receive("<stream:features>" + String(repeating: "a", count: 1 << 20)).ends.first?.failure
        #expect(failure?.xmlError?.code == .elementTooLarge)
        var late = ScriptedClient(at: .established)
        let body = String(repeating: "a", count: 1 << 20)
        #expect(late.receive("<message><body>\(body)</body></message>").stanzas.count == 1)
    }

    @Test("A bind response without an account", arguments: ["", "<jid/>", "<jid>example.com</jid>", "<jid>@/</jid>"])
    func badAddress(jid: String) {
        var client = ScriptedClient(at: .binding)
        let actions = client.receive(
            "<iq type='result' id='bind-1'><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'>\(jid)</bind></iq>")
        #expect(actions.ends.first?.failure?.code == .bindingRefused)
    }

    @Test(
        "a stranger that responds instead of the server neither ends nor completes a login",
        arguments: ["result", "error"])
    func foreignSession(type: String) {
        var client = ScriptedClient(at: .finalHeader)
        client.receive(
            "<stream:features><bind xmlns='urn:ietf:params:xml:ns:xmpp-bind'/>"
                + "<session xmlns='urn:ietf:params:xml:ns:xmpp-session'/></stream:features>")
        #expect(client.receive(ScriptedServer.bound).text.contains("session-1"))
        for sender in ["mallory@evil.test/x", "juliet@example.com.evil.test", "example.com/x", "@"] {
            let actions = client.receive("<iq type='\(type)' id='session-1' from='\(sender)'/>")
            #expect(actions.stanzas.count == 1 && actions.ends.isEmpty && actions.session == nil)
        }
        #expect(client.receive("<iq type='result' id='session-1' from='example.com'/>").session != nil)
    }

    @Test("I6: a session for another account is rejected")
    func otherAccount() {
        var client = ScriptedClient(at: .binding)
        let actions = client.receive(ScriptedServer.bound.replacing("juliet@example.com", with: "bank@evil.test"))
        #expect(actions.ends.first?.failure?.code == .accountMismatch)
        #expect(actions.ends.first?.failure?.description.contains("bank@evil.test") == true)
        #expect(actions.session == nil && !actions.progress.contains { if case .bound = $0 { true } else { false } })
    }

    @Test("I6: the same in a login by XEP-0388", arguments: [false, true])
    func otherAccountInline(resuming: Bool) {
        let state = ResumptionState(
            id: "some-long-sm-id", address: .juliet, handledCount: 0, acknowledgedCount: 0, unacknowledged: [])
        var client = ScriptedClient(
            .extensible {
                $0.mechanisms = SASLPolicy(allowedMechanisms: [.plain])
                if resuming { $0.resumption = state }
            })
        for (index, line) in ScriptedServer.extensibleLogin(resuming: resuming).enumerated() {
            client.receive(line.replacing("juliet@example.com", with: "romeo@example.com"))
            if index == 2 { client.log += client.stream.tlsEstablished(.tls13, now: client.now) }
        }
        #expect(client.failure?.code == .accountMismatch)
        #expect(client.log.session == nil)
    }

    @Test("W-20: a response with another id does not bind")
    func otherID() {
        var client = ScriptedClient(at: .binding)
        let actions = client.receive(ScriptedServer.bound.replacing("bind-1", with: "bind-2"))
        #expect(actions.ends.first?.failure?.code == .unexpectedElement)
        #expect(actions.session == nil)
    }
}
