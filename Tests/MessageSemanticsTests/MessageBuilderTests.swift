import MessagePayloads
import MessageSemantics
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@Suite("Building the stanza of a message")
struct MessageBuilderTests {
    private func built(_ content: MessageContent, _ kind: ConversationAddress.Kind, tellsActivity: Bool = false) throws
        -> Message
    {
        let conversation = ConversationAddress(try JID("romeo@example.com"), kind: kind)
        return try #require(
            MessageBuilder(tellsActivity: tellsActivity).message(content, id: "m1", in: conversation))
    }

    @Test("a message ends the typing state, in direct conversations and only if typing is disclosed (XEP-0085 §5.1)")
    func writingIsOver() throws {
        let content = MessageContent.text(MessageText("O"))
        #expect(try built(content, .direct, tellsActivity: true).chatState == .active)
        #expect(try built(content, .direct).chatState == nil)
        #expect(try built(content, .room, tellsActivity: true).chatState == nil)
    }

    @Test(
        "a built stanza is read back as the same message, in direct conversations and rooms, and its id is its origin-id"
    )
    func reading() throws {
        let room = try JID("orchard@rooms.example.com")
        let target = TargetReference.archived(ArchiveReference(archive: room, id: "s1"))
        let file = Attachment(
            kind: .picture, mediaType: "image/png", name: "rose.png", size: 7, width: 3, height: 4,
            url: "https://example.com/rose.png", contentHash: String(repeating: "ab", count: 32),
            thumbnail: [0x89, 0x50, 0x4E, 0x47, 1])
        for kind in [ConversationAddress.Kind.direct, .room] {
            let sent = TargetReference.sent(id: "m0")
            let about = kind == .room ? target : sent
            let contents: [MessageContent] = [
                .text(MessageText("O", subject: "s", thread: "t", reply: about)),
                .text(MessageText("", attachments: [file])),
                .text(MessageText("A rose 🌹\nby name", attachments: [file])),
                .text(
                    MessageText(
                        "see https://example.com/a", link: LinkDescription(of: "https://example.com/a", title: "A page")
                    )),
                .correction(of: sent, MessageText("better")),
                .retraction(of: about), .reactions(to: about, ["🌞"]),
            ]
            for content in contents {
                let conversation = ConversationAddress(kind == .room ? room : try JID("romeo@example.com"), kind: kind)
                var message = try #require(MessageBuilder().message(content, id: "m1", in: conversation))
                message.from = try kind == .room ? room.with(resource: "Jule") : JID("juliet@example.com/a")
                let reader = MessageReader(
                    address: try JID("juliet@example.com"), occupancies: [room: RoomOccupancy(nickname: "Jule")],
                    isPreview: { $0.count < 100 })
                let written = try Message(from: XMLElement(parsing: XMLElement(message).description))
                let time = MessageTime(millisecondsSince1970: 1_000_000)
                guard case .message(let copy, conversation)? = reader.read(written, .init(.live, time: time)).first
                else {
                    Issue.record("\(content) is read as nothing in \(kind).")
                    continue
                }
                #expect(copy.content == content)
                #expect(copy.isOutgoing && copy.wireID == "m1" && copy.originID == "m1")
            }
        }
    }

    @Test(
        "P12: the quotation of a reply is limited: lines, the length of each, and the total",
        arguments: [
            ("short", "> short\n"), ("a\nb", "> a\n> b\n"), ("", "> \n"), ("a\n", "> a\n> \n"),
            (String(repeating: ">", count: 70_000), "> \(String(repeating: ">", count: 200))…\n"),
            ("好\n" + String(repeating: "x", count: 200) + "\ny", "> 好\n> \(String(repeating: "x", count: 200))\n> y\n"),
            (
                Array(repeating: String(repeating: "y", count: 500), count: 9).joined(separator: "\n"),
                String(repeating: "> \(String(repeating: "y", count: 200))…\n", count: 3) + "> …\n"
            ),
            (
                Array(repeating: "z", count: 20).joined(separator: "\n"), String(repeating: "> z\n", count: 8) + "> …\n"
            ),
        ])
    func quotation(text: String, quoted: String) throws {
        let message = Message(to: try JID("romeo@example.com"), body: "yes")
            .replying(MessageReply(to: "1"), quoting: text)
        #expect(message.body == quoted + "yes")
        #expect(message.bodyWithoutQuotation == "yes")
    }
}

extension Message {
    /// The text in programs that support replies.
    fileprivate var bodyWithoutQuotation: String? {
        guard let end = (try? payload(FallbackIndication.self))??.bodyRegions.first?.end, let body else { return nil }
        return String(String.UnicodeScalarView(body.unicodeScalars.dropFirst(end)))
    }
}
