import SASLMechanisms
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

/// XEP-0114: the stream of an external component, against the lines of a server.
@Suite("Component")
struct ComponentTests {
    /// The examples of §3, on one line each.
    enum Example {
        static let header = """
            <stream:stream xmlns:stream='http://etherx.jabber.org/streams' xmlns='jabber:component:accept' \
            from='plays.shakespeare.lit' id='3BF96D32'>
            """
        static let handshake = "<handshake>aaee83c26aeeafcbabeabfcbcd50df997e0a2a1e</handshake>"
        static let accepted = "<handshake/>"
        /// The secret of the specification.
        static let secret = "test"
    }

    static func configuration(
        secret: String = Example.secret, _ change: (inout ClientStreamConfiguration) -> Void = { _ in }
    ) -> ClientStreamConfiguration {
        var configuration = ClientStreamConfiguration(
            address: .fixture("plays.shakespeare.lit"),
            purpose: .component(SASLCredentials(username: "plays.shakespeare.lit", password: secret)),
            digests: .library, nonce: "")
        configuration.usesStreamManagement = false
        change(&configuration)
        return configuration
    }

    /// A component after these lines of the server.
    static func component(
        _ lines: String..., configuration: ClientStreamConfiguration = configuration()
    ) -> ScriptedClient {
        var component = ScriptedClient(configuration)
        for line in lines { component.receive(line) }
        return component
    }

    static func streamError(_ condition: String) -> String {
        "<stream:error><\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error></stream:stream>"
    }

    @Test("the header names the component, and the handshake is the digest of the example, in plain text")
    func login() {
        var component = Self.component(Example.header)
        #expect(
            component.log.text == """
                <?xml version='1.0'?><stream:stream to='plays.shakespeare.lit' xmlns='jabber:component:accept' \
                xmlns:stream='http://etherx.jabber.org/streams'>\(Example.handshake)
                """)
        #expect(component.log.session == nil)
        component.receive(Example.accepted)
        #expect(component.log.session?.address == .fixture("plays.shakespeare.lit"))
        #expect(component.log.session?.tls == nil && component.log.session?.isManaged == false)
        #expect(
            component.log.progress == [
                .willConnect, .connected, .negotiating, .opened(.none), .authenticating(mechanism: "handshake"),
                .authenticated, .bound(.fixture("plays.shakespeare.lit")),
            ])
    }

    @Test("the login and the first stanza do not depend on the sizes of the reads")
    func slices() {
        var component = ScriptedClient(Self.configuration())
        let text = "<?xml version='1.0'?>\(Example.header)\(Example.accepted)<message to='a@plays.shakespeare.lit'/>"
        for byte in text.utf8 { component.log += component.stream.bytesReceived([byte], now: component.now) }
        #expect(component.log.session != nil)
        #expect(component.log.stanzas.count == 1)
    }

    @Test("stanzas are read and written like those of a client")
    func stanzas() throws {
        var component = Self.component(Example.header, Example.accepted)
        component.receive(
            """
            <message from='romeo@montague.lit/orchard' to='hamlet@plays.shakespeare.lit' type='error' id='m1'>\
            <body>To be &amp; not</body><error type='cancel'>\
            <gone xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>\
            <forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client'><body>inner</body></message>\
            </forwarded></message>
            """)
        let message = try Message(from: try #require(component.log.stanzas.first))
        #expect(message.to == .fixture("hamlet@plays.shakespeare.lit") && message.body == "To be & not")
        #expect(message.error?.condition == .gone)

        // What was received can be sent on: nothing of it names the namespace of the stream.
        var copy = message
        (copy.to, copy.from) = (message.from, message.to)
        #expect(
            component.send(copy, token: StanzaToken(1)).text == """
                <message to='romeo@montague.lit/orchard' from='hamlet@plays.shakespeare.lit' id='m1' type='error'>\
                <body>To be &amp; not</body><error type='cancel'>\
                <gone xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>\
                <forwarded xmlns='urn:xmpp:forward:0'><message xmlns='jabber:client'><body>inner</body></message>\
                </forwarded></message>
                """)
    }

    @Test("elements that declare the namespace of the stream themselves are read in the same way")
    func declared() throws {
        let stanza = """
            <message xmlns='jabber:component:accept' from='a@b.example' to='c@plays.shakespeare.lit'>\
            <x xmlns='urn:example:x'><body xmlns='jabber:component:accept'>no</body><y/></x><body>yes</body></message>
            """
        let unreadable = "<iq xmlns='jabber:component:accept' from='a@b.example' type='get' id='1'><a:b/></iq>"
        for size in [1, 7, 10_000] {
            var component = Self.component(Example.header, Example.accepted)
            var rest = Array((stanza + unreadable + stanza).utf8)[...]
            while !rest.isEmpty {
                component.log += component.stream.bytesReceived(Array(rest.prefix(size)), now: component.now)
                rest = rest.dropFirst(size)
            }
            let messages = try component.log.stanzas.map { try Message(from: $0) }
            #expect(messages.map(\.body) == ["yes", "yes"])
            let inner = messages.first?.payloads.first(XMLName("x", "urn:example:x"))
            #expect(inner?.children.map(\.name) == [XMLName("body", "jabber:client"), XMLName("y", "urn:example:x")])
            let skipped = component.log.compactMap { if case .unreadable(let element) = $0 { element } else { nil } }
            #expect(skipped.map(\.startTag.name) == [XMLName("iq", "jabber:client")])
        }
    }

    @Test(
        "a refusal has a code, a category and a text",
        arguments: [
            ("not-authorized", StreamFailure.Category.authentication, "secret"),
            ("conflict", .conflict, "already"), ("host-unknown", .policy, "no component of this name"),
        ])
    func refusals(condition: String, category: StreamFailure.Category, word: String) {
        let component = Self.component(Example.header, Self.streamError(condition))
        #expect(component.failure?.code == .componentRefused)
        #expect(component.failure?.streamError?.condition.rawValue == condition)
        #expect(component.failure?.category == category)
        #expect(component.failure?.explanation.contains(word) == true)
        #expect(component.log.last == .ended(StreamEnd(reason: .failed(component.failure ?? StreamFailure(.notXMPP)))))
    }

    @Test("a header without an id is not answered, so the error after it is the reason")
    func unknownHost() {
        let header =
            "<stream:stream xmlns:stream='http://etherx.jabber.org/streams' xmlns='jabber:component:accept' id=''>"
        let component = Self.component(header, Self.streamError("host-unknown"))
        #expect(component.failure?.streamError?.condition == .hostUnknown)
        #expect(!component.log.text.contains("handshake"))
    }

    @Test("an error after the login is one of the stream, and a conflict then is no wrong name")
    func laterError() {
        let component = Self.component(Example.header, Example.accepted, Self.streamError("conflict"))
        #expect(component.failure?.code == .streamError && component.failure?.category == .conflict)
    }

    @Test("a conflict is waited for once the component was online, and reported before")
    func conflict() {
        let failure = Self.component(Example.header, Self.streamError("conflict")).log.ends.first
        for wasOnline in [false, true] {
            var schedule = ReconnectionSchedule(.standard)
            _ = schedule.start(now: start)
            if wasOnline {
                schedule.established(now: start)
                _ = schedule.disconnected(StreamEnd(reason: .closedByServer), now: start, jitterFraction: 0)
                _ = schedule.connectNow(now: start)
            }
            let action = failure.map { schedule.disconnected($0, now: start, jitterFraction: 0) }
            if wasOnline {
                guard case .pause = action else {
                    Issue.record("\(String(describing: action))")
                    return
                }
            } else {
                #expect(action == .giveUp)
            }
        }
    }

    @Test(
        "what is no server for components ends the stream with a typed failure",
        arguments: [
            ("HTTP/1.1 400 Bad Request\r\n\r\n", StreamFailure.Code.malformedXML), ("<html>", .notXMPP),
            (
                "<s:stream xmlns:s='http://etherx.jabber.org/streams' xmlns='jabber:client' id='1' version='1.0'>",
                .notXMPP
            ),
            (Example.header + "<message to='a@plays.shakespeare.lit'/>", .unexpectedElement),
            (Example.header + "<stream:features/>", .unexpectedElement),
            (Example.header + "</stream:stream>", .closedDuringLogin),
            (Example.header + "\u{1}", .malformedXML),
        ])
    func garbage(text: String, code: StreamFailure.Code) {
        let component = Self.component(text)
        #expect(component.failure?.code == code)
        #expect(component.log.session == nil && component.log.stanzas.isEmpty)
    }

    @Test("an oversized element ends the login, and is skipped and reported after it")
    func oversized() {
        let large =
            "<message from='a@b.example' to='c@plays.shakespeare.lit'><body>"
            + String(repeating: "x", count: XMLLimits.default.elementBytes + 1) + "</body></message>"
        #expect(Self.component(Example.header, large).failure?.code == .malformedXML)

        var component = Self.component(Example.header, Example.accepted, large)
        let skipped = component.log.compactMap { if case .unreadable(let element) = $0 { element } else { nil } }
        #expect(skipped.first?.startTag["from"] == "a@b.example")
        component.receive("<message from='a@b.example' to='c@plays.shakespeare.lit'/>")
        #expect(component.log.stanzas.count == 1 && component.failure == nil)
    }

    /// The steps of the login, each with what the server has sent.
    static let steps = [[], [Example.header], [Example.header, Example.accepted]]

    @Test("at each step a lost connection, a close and a missing answer end the stream once", arguments: steps)
    func ends(lines: [String]) {
        let isOnline = lines.count == 2
        func component() -> ScriptedClient {
            var component = ScriptedClient(Self.configuration())
            for line in lines { component.receive(line) }
            return component
        }
        var lost = component()
        lost.log += lost.stream.transportClosed(.endOfStream, now: lost.now)
        #expect(lost.failure?.code == .connectionLost)
        #expect(lost.log.ends.first?.resumption == nil)

        var closed = component()
        closed.log += closed.stream.close(now: closed.now)
        #expect(closed.log.text.hasSuffix("</stream:stream>"))
        if isOnline { closed.receive("</stream:stream>") }
        #expect(closed.log.ends.map(\.reason) == [.requested])

        var silent = component()
        silent.wait(.seconds(30))
        #expect(silent.failure?.code == (isOnline ? nil : .loginTimedOut))
        for var ended in [lost.log, closed.log] {
            ended.removeLast()
            #expect(ended.ends.isEmpty)
        }
        #expect(lost.stream.bytesReceived(Array("<message/>".utf8), now: lost.now).isEmpty)
    }

    @Test("a silent server is asked by a ping to the component itself, whose return is the answer and no request")
    func ping() {
        var component = Self.component(Example.header, Example.accepted)
        let question = component.stream.probe(within: .seconds(5), now: component.now)
        #expect(
            question.text == """
                <iq type='get' id='keepalive-1' from='plays.shakespeare.lit' to='plays.shakespeare.lit'>\
                <ping xmlns='urn:xmpp:ping'/></iq>
                """)
        component.receive(
            "<iq type='get' id='keepalive-1' from='eve@evil.example' to='plays.shakespeare.lit'><x xmlns='y'/></iq>"
        )
        #expect(component.stream.isProbing && component.log.stanzas.count == 1)
        component.receive(question.text)
        #expect(!component.stream.isProbing && component.log.stanzas.count == 1)
        component.wait(.seconds(6))
        #expect(component.failure == nil)
    }

    @Test("a ping that does not return ends the stream")
    func dead() {
        var component = Self.component(Example.header, Example.accepted)
        component.log += component.stream.probe(within: .seconds(5), now: component.now)
        component.wait(.seconds(5))
        #expect(component.failure?.code == .serverUnresponsive)
    }

    @Test("the configuration does not reveal the secret")
    func description() {
        let configuration = Self.configuration(secret: "extremely-private")
        var dumped = ""
        dump(configuration, to: &dumped)
        #expect(!"\(configuration)\(dumped)".contains("extremely-private"))
    }
}
