import SASLMechanisms
import Testing
import XMLStreaming
import XMPPStanzas
import XMPPStream

/// Events that can occur at any time, tested in every phase of a login by XEP-0388.
@Suite("Every phase of a login by XEP-0388")
struct ExtensiblePhaseTests {
    /// The phase of a login.
    enum Phase: Int, CaseIterable, Sendable {
        /// Our header was sent, with the login if there is a token.
        case opening, openingWithToken
        /// The server's header was received.
        case header, headerWithToken
        /// The login was sent and the features are known.
        case authenticating, authenticatingWithToken
        /// `<success/>` was received and bound a resource.
        case admitted
        case established

        var usesToken: Bool {
            switch self {
            case .openingWithToken, .headerWithToken, .authenticatingWithToken: true
            case .opening, .header, .authenticating, .admitted, .established: false
            }
        }

        /// What the server has sent.
        var lines: [String] {
            switch self {
            case .opening, .openingWithToken: []
            case .header, .headerWithToken: [ScriptedServer.header]
            case .authenticating, .authenticatingWithToken:
                [ScriptedServer.header, ScriptedServer.extensibleMechanisms]
            case .admitted: [ScriptedServer.header, ScriptedServer.extensibleMechanisms, ScriptedServer.admitted]
            case .established:
                [
                    ScriptedServer.header, ScriptedServer.extensibleMechanisms, ScriptedServer.admitted,
                    ScriptedServer.features,
                ]
            }
        }

        var isOpen: Bool { !lines.isEmpty }
        var isBound: Bool { self == .admitted || self == .established }
    }

    static let login = Phase.allCases.filter { $0 != .established }

    static func client(at phase: Phase) -> ScriptedClient {
        var offer = InlineOffer()
        offer.binds = true
        let token = FASTToken(mechanism: .hashedToken(.sha256, binding: .tlsExporter), token: "t", offer: offer)
        var client = ScriptedClient(
            .extensible {
                $0.mechanisms.allowedMechanisms = [.plain]
                $0.fastToken = phase.usesToken ? token : nil
            }, over: .stream)
        for line in phase.lines { client.receive(line) }
        return client
    }

    func expectSilence(_ client: inout ScriptedClient) {
        #expect(client.log.ends.count <= 1)
        let isEnded = client.stream.isEnded
        #expect(isEnded)
        #expect(client.stream.bytesReceived(Array("<message/>".utf8), now: start) == [])
        #expect(client.stream.timerFired(now: start.advanced(by: .seconds(3600))) == [])
    }

    @Test("The script works")
    func script() {
        let client = Self.client(at: .established)
        #expect(client.log.session?.address.description == "juliet@example.com/Hongyan/1")
        #expect(client.log.session?.isResumable == true)
        #expect(client.log.tokens.map(\.token) == ["t2"])
        #expect(Self.client(at: .openingWithToken).log.text.contains("mechanism='HT-SHA-256-EXPR'"))
    }

    @Test("A lost connection is one terminal action", arguments: Phase.allCases)
    func connectionLost(phase: Phase) {
        var client = Self.client(at: phase)
        let actions = client.stream.transportClosed(.endOfStream, now: start)
        #expect(actions.ends.first?.failure?.code == .connectionLost)
        #expect((actions.ends.first?.resumption != nil) == phase.isBound)
        expectSilence(&client)
    }

    @Test("One deadline for the whole login", arguments: login)
    func loginTimeout(phase: Phase) {
        var client = Self.client(at: phase)
        #expect(client.wait(.seconds(29)) == [])
        #expect(client.wait(.seconds(1)).ends.first?.failure?.code == .loginTimedOut)
        expectSilence(&client)
    }

    @Test("The owner closes", arguments: login)
    func close(phase: Phase) {
        var client = Self.client(at: phase)
        let actions = client.stream.close(now: start)
        #expect(actions.text.hasSuffix("</stream:stream>"))
        #expect(actions.ends.first?.reason == .requested)
        expectSilence(&client)
    }

    @Test("The server closes without a reason", arguments: Phase.allCases.filter(\.isOpen))
    func closedByServer(phase: Phase) {
        var client = Self.client(at: phase)
        let end = client.receive("</stream:stream>").ends.first
        if phase == .established {
            #expect(end?.reason == .closedByServer)
        } else {
            #expect(end?.failure?.code == .closedDuringLogin)
        }
        expectSilence(&client)
    }

    @Test("A stream error", arguments: Phase.allCases)
    func streamError(phase: Phase) {
        var client = Self.client(at: phase)
        if !phase.isOpen { client.receive(ScriptedServer.header) }
        let failure = client.receive(
            "<stream:error><conflict xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>"
        ).ends.first?.failure
        #expect(failure?.streamError?.condition == .conflict)
        expectSilence(&client)
    }

    @Test(
        "A stanza is delivered once a resource is bound, and not before", arguments: Phase.allCases.filter(\.isOpen))
    func stanza(phase: Phase) {
        var client = Self.client(at: phase)
        let actions = client.receive("<message from='romeo@example.com'><body>Now?</body></message>")
        #expect(actions.stanzas.count == (phase.isBound ? 1 : 0))
        #expect((actions.ends.first?.failure?.code == .unexpectedElement) == !phase.isBound)
    }

    @Test("An unknown element changes nothing", arguments: Phase.allCases.filter(\.isOpen))
    func unknownElement(phase: Phase) {
        var client = Self.client(at: phase)
        #expect(client.receive("<novelty xmlns='urn:example:later'/>").elements.count == 1)
        #expect(client.log.ends.isEmpty)
    }

    static let answers = [
        "<challenge xmlns='urn:xmpp:sasl:2'>AA==</challenge>", "<success xmlns='urn:xmpp:sasl:2'/>",
        "<failure xmlns='urn:xmpp:sasl:2'/>", "<continue xmlns='urn:xmpp:sasl:2'/>",
        "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>AA==</challenge>",
        "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>", "<resumed xmlns='urn:xmpp:sm:3' h='0' previd='x'/>",
        "<enabled xmlns='urn:xmpp:sm:3'/>", "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>", "<stream:features/>",
    ]

    @Test(
        "A response without a request ends the login", arguments: login.filter(\.isOpen), answers)
    func outOfPlace(phase: Phase, element: String) {
        let isExpected =
            switch phase {
            case .header, .headerWithToken, .admitted: element == "<stream:features/>"
            case .authenticating, .authenticatingWithToken: element.contains("urn:xmpp:sasl:2")
            case .opening, .openingWithToken, .established: false
            }
        if isExpected { return }
        var client = Self.client(at: phase)
        let actions = client.receive(element)
        #expect(actions.ends.first?.failure?.code == .unexpectedElement, "\(actions)")
        expectSilence(&client)
    }

    @Test(
        "A challenge for a mechanism without challenges is aborted",
        arguments: [Phase.authenticating, .authenticatingWithToken])
    func challenge(phase: Phase) {
        var client = Self.client(at: phase)
        let actions = client.receive("<challenge xmlns='urn:xmpp:sasl:2'>AA==</challenge>")
        #expect(actions.text.contains("<abort xmlns='urn:xmpp:sasl:2'/>"))
        #expect(actions.ends.first?.failure?.code == .authenticationMalformed)
    }

    @Test(
        "If the server temporarily cannot verify logins, the token is preserved",
        arguments: [Phase.authenticating, .authenticatingWithToken])
    func temporary(phase: Phase) {
        var client = Self.client(at: phase)
        let actions = client.receive(
            "<failure xmlns='urn:xmpp:sasl:2'><temporary-auth-failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/></failure>"
        )
        #expect(actions.ends.first?.failure?.code == .authenticationUnavailable)
        #expect(!actions.contains(.tokenRejected))
    }

    @Test("Bytes that are not XML", arguments: Phase.allCases)
    func malformed(phase: Phase) {
        var client = Self.client(at: phase)
        #expect(client.receive("<a <>").ends.first?.failure?.code == .malformedXML)
        expectSilence(&client)
    }

    @Test("Features after a resumption change nothing")
    func lateFeatures() {
        let resumption = ResumptionState(
            id: "some-long-sm-id", address: .fixture("juliet@example.com/Hongyan/1"), handledCount: 0,
            acknowledgedCount: 0, unacknowledged: [])
        var client = ScriptedClient(
            .extensible {
                $0.mechanisms.allowedMechanisms = [.plain]
                $0.resumption = resumption
            }, over: .stream)
        client.receive(ScriptedServer.header + ScriptedServer.extensibleMechanisms)
        #expect(client.receive(ScriptedServer.resumedInline).session?.isResumed == true)
        #expect(client.receive("<presence/>").stanzas.count == 1)
        #expect(client.receive(ScriptedServer.features) == [])
        #expect(client.receive("<presence/>").stanzas.count == 1)
    }
}
