import SASLMechanisms
import Testing
import XMLStreaming
import XMPPStanzas
import XMPPStream

/// Events that can occur at any time, tested in every phase of a login.
@Suite("Every phase of a login")
struct PhaseTests {
    typealias Phase = ScriptedServer.Phase

    static let login = Phase.allCases.filter { $0 != .established }
    static let open = Phase.allCases.filter(\.isOpen)
    /// The phases in which elements can arrive before a resource is bound.
    static let unbound = open.filter { $0 < .enabling }

    @Test("The script works")
    func script() {
        let client = ScriptedClient(at: .established)
        #expect(client.log.session?.address == .juliet)
        #expect(client.log.session?.isResumable == true)
        #expect(client.log.ends.isEmpty)
    }

    @Test("S0-59: a lost connection is one terminal action", arguments: Phase.allCases)
    func connectionLost(phase: Phase) {
        var client = ScriptedClient(at: phase)
        let actions = client.stream.transportClosed(.endOfStream, now: start)
        #expect(actions.ends.first?.failure?.code == .connectionLost)
        #expect(actions.ends.first?.failure?.category == .connection)
        #expect((actions.ends.first?.resumption != nil) == (phase == .established))
        expectSilence(&client)
    }

    @Test("S0-58, S0-74: one deadline for the whole login", arguments: login)
    func loginTimeout(phase: Phase) {
        var client = ScriptedClient(at: phase)
        #expect(client.wait(.seconds(29)) == [])
        let actions = client.wait(.seconds(1))
        #expect(actions.ends.first?.failure?.code == .loginTimedOut)
        #expect(actions.contains(.closeTransport))
        expectSilence(&client)
    }

    @Test("S0-58: the deadline runs while the transport connects")
    func connectTimeout() {
        var stream = ClientStream(configuration: .scripted())
        _ = stream.open(now: start)
        let deadline = stream.nextDeadline
        #expect(deadline == start.advanced(by: .seconds(30)))
        let actions = stream.timerFired(now: start.advanced(by: .seconds(30)))
        #expect(actions.ends.first?.failure?.code == .loginTimedOut)
        // The transport that connects later is closed again.
        let late = stream.transportConnected(now: start.advanced(by: .seconds(31)))
        #expect(late == [.closeTransport])
    }

    @Test("S0-56, S2-7: the owner closes", arguments: Phase.allCases)
    func close(phase: Phase) {
        var client = ScriptedClient(at: phase)
        var actions = client.stream.close(now: start)
        #expect(actions.progress.first == .closeRequested)
        // During the handshake nothing may be sent unencrypted.
        #expect(actions.text.hasSuffix("</stream:stream>") == (phase != .handshaking))
        if phase == .established {
            #expect(actions.ends.isEmpty)
            actions += client.receive("</stream:stream>")
        }
        #expect(actions.ends == [StreamEnd(reason: .requested)])
        #expect(actions.contains(.closeTransport))
        expectSilence(&client)
    }

    @Test("The server closes without a reason", arguments: open)
    func closedByServer(phase: Phase) {
        var client = ScriptedClient(at: phase)
        let actions = client.receive("</stream:stream>")
        #expect(actions.text == "</stream:stream>")
        if phase == .established {
            #expect(actions.ends.first?.reason == .closedByServer)
        } else {
            #expect(actions.ends.first?.failure?.code == .closedDuringLogin)
        }
        expectSilence(&client)
    }

    @Test("S0-45, S0-75: a stream error", arguments: Phase.allCases.filter { $0 != .handshaking })
    func streamError(phase: Phase) {
        var client = ScriptedClient(at: phase)
        if !phase.isOpen { client.receive(ScriptedServer.header) }
        let actions = client.receive(
            "<stream:error><system-shutdown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/>"
                + "<text xmlns='urn:ietf:params:xml:ns:xmpp-streams'>Back soon</text></stream:error></stream:stream>")
        let failure = actions.ends.first?.failure
        #expect(failure?.code == .streamError)
        #expect(failure?.streamError?.condition == .systemShutdown)
        #expect(failure?.text == "Back soon")
        #expect(failure?.category == .connection)
        #expect(actions.contains(.closeTransport))
        expectSilence(&client)
    }

    @Test("A stanza before a resource is bound is not delivered", arguments: unbound)
    func stanzaTooEarly(phase: Phase) {
        var client = ScriptedClient(at: phase)
        let actions = client.receive("<message from='romeo@example.com'><body>Now?</body></message>")
        #expect(actions.stanzas.isEmpty)
        #expect(actions.ends.first?.failure?.code == .unexpectedElement)
        #expect(actions.text.contains("not-authorized"))
        expectSilence(&client)
    }

    @Test("A stanza is delivered once a resource is bound", arguments: [Phase.enabling, .established])
    func stanza(phase: Phase) {
        var client = ScriptedClient(at: phase)
        let actions = client.receive("<message from='romeo@example.com'><body>Now!</body></message>")
        #expect(actions.stanzas.count == 1)
    }

    @Test("S0-65: an unknown element is reported and changes nothing", arguments: open)
    func unknownElement(phase: Phase) {
        var client = ScriptedClient(at: phase)
        #expect(client.receive("<novelty xmlns='urn:example:later'/>").elements.count == 1)
        for step in Phase.allCases where step > phase {
            if step == .secured { client.log += client.stream.tlsEstablished(.tls13, now: start) }
            if !step.line.isEmpty { client.receive(step.line) }
        }
        #expect(client.log.session != nil)
    }

    @Test(
        "A response without a request ends the login",
        arguments: open.filter { $0 != .established },
        [
            "<proceed xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>",
            "<challenge xmlns='urn:ietf:params:xml:ns:xmpp-sasl'>AA==</challenge>",
            "<success xmlns='urn:ietf:params:xml:ns:xmpp-sasl'/>",
            "<enabled xmlns='urn:xmpp:sm:3'/>", "<resumed xmlns='urn:xmpp:sm:3' h='0' previd='x'/>",
            "<a xmlns='urn:xmpp:sm:3' h='0'/>", "<stream:features/>",
        ])
    func outOfPlace(phase: Phase, element: String) {
        var client = ScriptedClient(at: phase)
        let expected: [Phase: [String]] = [
            .clearHeader: ["<proceed", "<stream:features"], .clearFeatures: ["<proceed"],
            .header: ["<stream:features"], .authenticating: ["<challenge", "<success"],
            .finalHeader: ["<stream:features"], .enabling: ["<enabled"],
        ]
        if expected[phase]?.contains(where: element.hasPrefix) == true { return }
        let actions = client.receive(element)
        #expect(actions.ends.first?.failure?.code == .unexpectedElement, "\(actions)")
        #expect(actions.text.contains("policy-violation"))
        expectSilence(&client)
    }

    @Test("Bytes that are not XML", arguments: Phase.allCases.filter { $0 != .handshaking })
    func malformed(phase: Phase) {
        var client = ScriptedClient(at: phase)
        let actions = client.receive("<a <>")
        #expect(actions.ends.first?.failure?.code == .malformedXML)
        #expect(actions.text.contains("not-well-formed"))
        expectSilence(&client)
    }

    @Test("Sending before the session is established is an error, and not ignored", arguments: login)
    func sendTooEarly(phase: Phase) {
        var client = ScriptedClient(at: phase)
        #expect(client.send(Presence(), token: StanzaToken(5)) == [.notSent(StanzaToken(5))])
    }

    /// After the end no event causes an action.
    func expectSilence(_ client: inout ScriptedClient) {
        let now = start.advanced(by: .seconds(3600))
        #expect(client.log.ends.count <= 1)
        let isEnded = client.stream.isEnded
        #expect(isEnded)
        let deadline = client.stream.nextDeadline
        #expect(deadline == nil)
        #expect(client.stream.bytesReceived(Array("<message/>".utf8), now: now) == [])
        #expect(client.stream.tlsEstablished(.tls13, now: now) == [])
        #expect(client.stream.transportClosed(.endOfStream, now: now) == [])
        #expect(client.stream.timerFired(now: now) == [])
        #expect(client.stream.close(now: now) == [])
        #expect(client.stream.stanzasHandled(3, now: now) == [])
        #expect(client.stream.sendElement(Presence(), now: now) == [])
        #expect(client.stream.send(Presence(), token: StanzaToken(9), now: now) == [.notSent(StanzaToken(9))])
    }
}
