import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

/// Parses a stanza in the namespace of client streams.
func element(_ text: String) throws -> XMLElement {
    guard let close = text.firstIndex(where: { $0 == " " || $0 == ">" || $0 == "/" }) else {
        return try XMLElement(parsing: text)
    }
    return try XMLElement(parsing: text[..<close] + " xmlns='jabber:client'" + text[close...])
}

func message(_ text: String) throws -> Message { try Message(from: element(text)) }

@Suite("Message")
struct MessageTests {
    @Test(
        "S0-8: five types with the meaning of RFC 6121; missing or unknown is normal",
        arguments: [
            ("", Message.Kind.normal), ("type='normal'", .normal), ("type='chat'", .chat),
            ("type='groupchat'", .groupchat), ("type='headline'", .headline), ("type='error'", .error),
            ("type='letter'", .normal), ("type=''", .normal), ("type='CHAT'", .normal),
        ])
    func types(attribute: String, kind: Message.Kind) throws {
        let message = try message("<message \(attribute)><body>x</body></message>")
        #expect(message.type == kind)
        #expect(message.isError == (kind == .error))
    }

    @Test("S0-9: to is the receiver, from the sender; both are addresses, not text")
    func addresses() throws {
        let message = try message("<message from='Romeo@Example.NET/Orchard' to='juliet@example.com'/>")
        #expect(try message.from == JID("romeo@example.net/Orchard"))
        #expect(try message.to == JID("juliet@example.com"))
        let bare = try MessageTests.read("<message/>")
        #expect(bare.from == nil && bare.to == nil && bare.id == nil)
    }

    static func read(_ text: String) throws -> Message { try message(text) }

    @Test(
        "a bad address from the network is an error, never a crash",
        arguments: ["@", "a@", "@b", "a@b/", "a b@c", "", "\u{FFFD}@x"])
    func badAddress(address: String) throws {
        let bad = try element("<message from='\(address)' to='a@example.org'><body>x</body></message>")
        #expect(throws: XMLDecodingError.self) { try Message(from: bad) }
        #expect(throws: XMLDecodingError.self) { try AnyStanza(bad) }
        let receiver = try element("<message to='\(address)'/>")
        #expect(throws: XMLDecodingError.self) { try Message(from: receiver) }
    }

    @Test("S0-10: subject, body and thread with its parent")
    func payload() throws {
        let message = try message(
            """
            <message to='romeo@example.net' from='juliet@example.com/balcony' id='c8xg3nf8' type='chat' xml:lang='en'>\
            <subject>I implore you!</subject><body>Wherefore art thou, Romeo?</body>\
            <thread parent='e0ffe42b28561960c6b12b944a092794b9683a38'>0e3141cd80894871a68e6fe6b1ec56fa</thread></message>
            """)
        #expect(message.id == "c8xg3nf8")
        #expect(message.language == "en")
        #expect(message.subject == "I implore you!")
        #expect(message.body == "Wherefore art thou, Romeo?")
        #expect(
            message.thread
                == Message.Thread(
                    id: "0e3141cd80894871a68e6fe6b1ec56fa", parent: "e0ffe42b28561960c6b12b944a092794b9683a38"))
        #expect(message.isChatMessageWithBody && message.isMessageWithBody && message.isChatMessage)
    }

    @Test("S0-10, W-16: several bodies by language, and the best one for the reader")
    func languages() throws {
        let message = try message(
            """
            <message xml:lang='en'><body>Art thou not Romeo?</body><body xml:lang='cs'>Nejsi ty Romeo?</body>\
            <body xml:lang='zh-Hant'>你不是羅密歐嗎？</body></message>
            """)
        #expect(message.body == "Art thou not Romeo?")
        #expect(message.bodies.count == 3)
        #expect(message.body(language: "cs") == "Nejsi ty Romeo?")
        #expect(message.body(language: "EN") == "Art thou not Romeo?")
        #expect(message.body(language: "fr") == nil)
        #expect(message.bodies.best(for: ["fr", "cs-CZ"]) == "Nejsi ty Romeo?")
        #expect(message.bodies.best(for: ["zh"]) == "你不是羅密歐嗎？")
        #expect(message.bodies.best(for: ["zh-Hant-TW"]) == "你不是羅密歐嗎？")
        #expect(message.bodies.best(for: ["de"]) == "Art thou not Romeo?")
    }

    @Test("without a body in the stanza's own language the first one is the body")
    func firstBody() throws {
        let message = try message("<message><body xml:lang='cs'>Ahoj</body><body xml:lang='de'>Hallo</body></message>")
        #expect(message.body == "Ahoj")
        #expect(message.bodies.best(for: []) == "Ahoj")
    }

    @Test("S0-68: subject, body, body in a language and thread can be added")
    func building() throws {
        var message = Message(to: try JID("a@example.org"), type: .chat, id: "1", body: "hello")
        message.setBody("ahoj", language: "cs")
        message.subject = "greeting"
        message.setSubject("pozdrav", language: "cs")
        message.thread = Message.Thread(id: "t", parent: "p")
        let read = try Message(from: XMLElement(message))
        #expect(read == message)
        #expect(read.body == "hello" && read.body(language: "cs") == "ahoj")
        #expect(read.subject == "greeting" && read.subjects["cs"] == "pozdrav")
        #expect(read.thread == Message.Thread(id: "t", parent: "p"))
    }

    @Test("setting replaces a value, nil removes it, other languages do not change")
    func replacing() throws {
        var message = try message("<message><body>one</body><body xml:lang='cs'>jedna</body><x xmlns='u'/></message>")
        message.body = "two"
        #expect(message.body == "two" && message.body(language: "cs") == "jedna")
        #expect(message.bodies.count == 2 && message.payloads.contains(XMLName("x", "u")))
        message.body = nil
        message.setBody(nil, language: "cs")
        #expect(!message.isMessageWithBody && message.body == nil)
        #expect(Array(message.payloads).count == 1)
        message.bodies = ["en": "e", "de": "d"]
        #expect(message.bodies["de"] == "d")
    }

    @Test("S0-68: isChatMessage, isErrorMessage, isMessageWithBody and the error as a value")
    func convenience() throws {
        let failed = try message(
            """
            <message from='romeo@example.net' id='sj2b371v' to='juliet@im.example.com/churchyard' type='error'>\
            <error by='example.net' type='cancel'><gone xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'>\
            xmpp:romeo@afterlife.example.net</gone></error></message>
            """)
        #expect(failed.isErrorMessage && !failed.isChatMessage && !failed.isMessageWithBody)
        #expect(failed.error?.condition == .gone)
        #expect(failed.error?.newAddress == "xmpp:romeo@afterlife.example.net")
        #expect(try failed.error?.by == JID("example.net"))
        #expect(failed.errorReply(StanzaError(.badRequest)) == nil)
    }

    @Test("an error message without a readable error is still an error")
    func emptyError() throws {
        #expect(try message("<message type='error'/>").error?.condition == .undefinedCondition)
        #expect(try message("<message type='chat'/>").error == nil)
    }

    @Test("Martin #9: an error reply swaps the addresses, keeps the id and echoes nothing")
    func errorReply() throws {
        let message = try message(
            "<message from='a@x.org/1' to='b@y.org' id='7' type='chat'><body>secret</body></message>")
        let reply = try #require(message.errorReply(StanzaError(.serviceUnavailable)))
        #expect(try reply.to == JID("a@x.org/1") && reply.from == JID("b@y.org"))
        #expect(reply.id == "7" && reply.type == .error && reply.error?.condition == .serviceUnavailable)
        #expect(!XMLElement(reply).description.contains("secret"))
    }

    @Test(
        "text is escaped and read back unchanged", arguments: ["<&>\"'", "a\nb\tc", "  spaces  ", "表情 😀 e\u{301}", ""])
    func roundTrip(text: String) throws {
        let message = Message(to: try JID("a@example.org"), type: .chat, id: text, body: text)
        let read = try Message(from: XMLElement(message))
        #expect(read.body == text)
        #expect(read.type == .chat)
    }

    @Test("a received message can be written again unchanged")
    func forwarding() throws {
        let text =
            "<message from='a@x.org/1' to='b@y.org' id='7' type='chat' xml:lang='de'><body>x</body><e xmlns='u' k='v'><f/>t</e></message>"
        let received = try message(text)
        #expect(try Message(from: XMLElement(received)) == received)
        #expect(try XMLElement(received) == element(text))
    }
}
