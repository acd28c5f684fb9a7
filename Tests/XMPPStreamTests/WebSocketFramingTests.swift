import SASLMechanisms
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

/// RFC 7395: one document per message.
@Suite("Framing for WebSocket")
struct WebSocketFramingTests {
    static let open = """
        <open xmlns='urn:ietf:params:xml:ns:xmpp-framing' from='example.com' id='x' version='1.0' xml:lang='en'/>
        """
    static let mechanisms = standalone(ScriptedServer.mechanisms)
    static let features = standalone(ScriptedServer.features)

    static func standalone(_ element: String) -> String {
        element.replacing("<stream:features", with: "<stream:features xmlns:stream='http://etherx.jabber.org/streams'")
    }

    static func client(
        _ configuration: ClientStreamConfiguration = .scripted(), saying lines: [String] = []
    ) -> ScriptedClient {
        var client = ScriptedClient(configuration, over: .webSocket)
        for line in lines { client.receive(line) }
        return client
    }

    static let login = [
        open, mechanisms, ScriptedServer.success, open, features,
        ScriptedServer.bound.replacing("<iq ", with: "<iq xmlns='jabber:client' "), ScriptedServer.enabled,
    ]

    static func messages(_ actions: [StreamAction]) -> [String] {
        actions.compactMap { if case .write(let bytes) = $0 { String(decoding: bytes, as: UTF8.self) } else { nil } }
    }

    @Test("A complete login: every write is one document with its own namespaces")
    func wholeLogin() throws {
        let client = Self.client(saying: Self.login)
        #expect(client.log.session?.address == .juliet)
        let messages = Self.messages(client.log)
        #expect(messages.count == 5)
        #expect(
            messages.first
                == "<open xmlns='urn:ietf:params:xml:ns:xmpp-framing' to='example.com' from='juliet@example.com' version='1.0'/>"
        )
        #expect(messages[3].hasPrefix("<iq xmlns='jabber:client' type='set'"))
        for message in messages { #expect(throws: Never.self) { try XMLElement(parsing: message) } }
    }

    @Test("Stanzas declare their namespace, and closing is a message")
    func stanzas() throws {
        var client = Self.client(saying: Self.login)
        let sent = Self.messages(client.send(Message.to("romeo@example.com", "O"), token: StanzaToken(1)))
        #expect(sent.count == 2)
        #expect(try XMLElement(parsing: sent[0]).name == XMLName("message", "jabber:client"))
        #expect(sent[1] == "<r xmlns='urn:xmpp:sm:3'/>")
        #expect(
            Self.messages(client.stream.sendElement(Presence(), now: start)) == ["<presence xmlns='jabber:client'/>"])
        let received = client.receive(
            "<message xmlns='jabber:client' from='romeo@example.com'><body>O</body></message>")
        #expect(received.stanzas.count == 1)
        let closing = client.stream.close(now: start)
        #expect(
            Self.messages(closing) == [
                "<r xmlns='urn:xmpp:sm:3'/>", "<close xmlns='urn:ietf:params:xml:ns:xmpp-framing'/>",
            ])
        let end = client.receive("<close xmlns='urn:ietf:params:xml:ns:xmpp-framing'/>")
        #expect(end.ends.first?.reason == .requested)
    }

    @Test("Stanzas that are sent again after a resumption are one message each, whatever transport was used before")
    func replay() throws {
        var first = ScriptedClient(at: .established)
        for token in 1...3 {
            first.send(Message.to("romeo@example.com", "O", id: "\(token)"), token: StanzaToken(UInt64(token)))
        }
        let state = first.stream.resumptionState
        let resumption = try #require(state)
        let lines = [Self.open, Self.mechanisms, ScriptedServer.success, Self.open, Self.features]
        var second = Self.client(.scripted { $0.resumption = resumption }, saying: lines)
        let actions = second.receive("<resumed xmlns='urn:xmpp:sm:3' previd='some-long-sm-id' h='1'/>")
        let messages = Self.messages(actions)
        #expect(try messages.map { try XMLElement(parsing: $0)["id"] } == ["2", "3", nil])
        #expect(actions.acknowledged == [StanzaToken(1)])
    }

    @Test("SASL2 with a token: opening and login are two messages")
    func token() {
        let token = FASTToken(mechanism: .hashedToken(.sha256, binding: .tlsExporter), token: "x")
        let client = Self.client(.extensible { $0.fastToken = token })
        let messages = Self.messages(client.log)
        #expect(messages.map { $0.prefix(6) } == ["<open ", "<authe"])
    }

    @Test("The server closes, with an error and without")
    func closed() {
        var client = Self.client(saying: Self.login)
        let end = client.receive("<close xmlns='urn:ietf:params:xml:ns:xmpp-framing'/>")
        #expect(end.ends.first?.reason == .closedByServer)
        var other = Self.client(saying: Self.login)
        let failure = other.receive(
            "<stream:error xmlns:stream='http://etherx.jabber.org/streams'>"
                + "<system-shutdown xmlns='urn:ietf:params:xml:ns:xmpp-streams'/></stream:error>"
        ).ends.first?.failure
        #expect(failure?.streamError?.condition == .systemShutdown)
    }

    @Test(
        "Other elements are not accepted as an opening",
        arguments: [
            "<stream:features xmlns:stream='http://etherx.jabber.org/streams'/>", "<message xmlns='jabber:client'/>",
            "<open xmlns='urn:example'/>", "</stream:stream>",
        ])
    func notOpened(text: String) {
        var client = Self.client()
        #expect(client.receive(text).ends.first?.failure != nil)
    }

    @Test("An unexpected second opening ends the stream", arguments: Array(1..<Self.login.count))
    func openedTwice(count: Int) {
        guard Self.login[count] != Self.open else { return }
        var client = Self.client(saying: Array(Self.login.prefix(count)))
        let failure = client.receive(Self.open).ends.first?.failure
        #expect(failure?.code == .unexpectedElement)
    }

    @Test("The opening must be of this server and of this version")
    func header() {
        var client = Self.client()
        let failure = client.receive(Self.open.replacing("example.com", with: "evil.example")).ends.first?.failure
        #expect(failure?.code == .serverMismatch)
        var old = Self.client()
        #expect(
            old.receive(Self.open.replacing("'1.0'", with: "'0.9'")).ends.first?.failure?.code == .unsupportedVersion)
    }
}
