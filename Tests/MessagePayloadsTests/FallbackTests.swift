import MessagePayloads
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

/// XEP-0428, XEP-0461 and the counting of XEP-0426.
@Suite("Fallback text and replies")
struct FallbackTests {
    private let reply = MessageReply.name.namespace

    private func message(_ body: String, _ fallback: String) throws -> Message {
        try Message(
            from: XMLElement(
                parsing: "<message xmlns='jabber:client'><subject>Re</subject><body>\(body)</body>\(fallback)</message>"
            ))
    }

    @Test(
        "the parts that an indication names are left out",
        arguments: [
            ("<body start='0' end='33'/>", "Great" as String?, "Re" as String?),
            ("<body/>", nil, "Re"),
            ("", nil, nil),
            ("<subject/>", "> Anna wrote:\n> Hi, how are you?\nGreat", nil),
            ("<body start='14' end='33'/><body start='0' end='20'/>", "Great", "Re"),
            ("<body start='33'/>", "> Anna wrote:\n> Hi, how are you?\n", "Re"),
            ("<body end='33'/>", "Great", "Re"),
            ("<body start='36' end='4294967295'/>", "> Anna wrote:\n> Hi, how are you?\nGre", "Re"),
            ("<body start='90' end='99'/>", "> Anna wrote:\n> Hi, how are you?\nGreat", "Re"),
            // What cannot be read hides nothing.
            ("<body start='5' end='2'/>", "> Anna wrote:\n> Hi, how are you?\nGreat", "Re"),
            ("<body start='-1' end='2'/>", "> Anna wrote:\n> Hi, how are you?\nGreat", "Re"),
        ])
    func parts(regions: String, body: String?, subject: String?) throws {
        let message = try message(
            "&gt; Anna wrote:\n&gt; Hi, how are you?\nGreat",
            "<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'>\(regions)</fallback>")
        #expect(message.body(withoutFallbackFor: [reply]) == body)
        #expect(message.subject(withoutFallbackFor: [reply]) == subject)
        // Who does not know replies sees everything.
        #expect(message.body(withoutFallbackFor: ["urn:example"]) == message.body)
    }

    @Test("positions are counted in code points (XEP-0426)")
    func codePoints() throws {
        let text = "🧛🏾 👨‍👨‍👦‍👦 🇺🇳"
        #expect(text.unicodeScalars.count == 13)
        let message = try message(
            text, "<fallback xmlns='urn:xmpp:fallback:0' for='urn:xmpp:reply:0'><body start='2' end='11'/></fallback>")
        #expect(message.body(withoutFallbackFor: [reply]) == "🧛🏾🇺🇳")
    }

    @Test("a reply quotes for others what it does not show to those who know replies")
    func replying() throws {
        let author = try JID("anna@example.com/tablet")
        let message = Message(type: .chat, body: "Great 👨‍👨‍👦‍👦!")
            .replying(MessageReply(to: "message-id1", by: author), quoting: "We should\nbake 🎂", of: "Anna 🇺🇳")
        #expect(message.body == "> Anna 🇺🇳:\n> We should\n> bake 🎂\nGreat 👨‍👨‍👦‍👦!")
        let received = try Message(from: XMLElement(message))
        #expect(received.body(withoutFallbackFor: [reply]) == "Great 👨‍👨‍👦‍👦!")
        #expect(try received.payload(MessageReply.self) == MessageReply(to: "message-id1", by: author))
    }

    @Test("a long quotation is cut, and a reply without one changes no text")
    func longQuotation() throws {
        let long = Message(body: "yes").replying(
            MessageReply(to: "1"), quoting: (1...100).map(String.init).joined(separator: "\n"))
        #expect(long.body == "> 1\n> 2\n> 3\n> 4\n> 5\n> 6\n> 7\n> 8\n> …\nyes")
        #expect(long.body(withoutFallbackFor: [reply]) == "yes")
        let short = Message(body: "yes").replying(MessageReply(to: "1"))
        #expect(short.body == "yes")
        #expect(short.fallbackIndications.isEmpty)
    }
}
