import MessagePayloads
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@Suite("Media inside of the message")
struct InlineMediaTests {
    private static let picture = [UInt8]((0..<1000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    @Test(
        "S0-93, S0-101: Base64 in lines of 64 in an element named after the kind; body and subject contain the kind",
        arguments: InlineMedia.Kind.allCases)
    func form(kind: InlineMedia.Kind) throws {
        var message = Message(to: try JID("juliet@capulet.example"), type: .chat)
        try InlineMedia(kind: kind, fileName: "20260912101500romeo", content: Self.picture).write(into: &message)
        let received = try Message(from: XMLElement(parsing: XMLElement(message).description))
        #expect(received.body == kind.rawValue)
        #expect(received.subject == kind.rawValue)
        let element = try #require(received.payloads.first(XMLName(kind.rawValue, "jabber:client")))
        let lines = element.text.split(separator: "\n")
        #expect(lines.dropLast().allSatisfy { $0.count == 64 })
        #expect(try InlineMedia(in: received)?.fileName == "20260912101500romeo")
    }

    @Test("S0-96: the receiver checks the kind, reads the child and decodes it", arguments: InlineMedia.Kind.allCases)
    func receiving(kind: InlineMedia.Kind) throws {
        var message = Message(type: .chat)
        let sent = try InlineMedia(kind: kind, fileName: "a", content: Self.picture)
        sent.write(into: &message)
        #expect(try InlineMedia(in: Message(from: XMLElement(message))) == sent)
        #expect(try InlineMedia(in: Message(type: .chat, body: kind.rawValue)) == nil)
    }

    @Test("a file without a name, and one with a different name element")
    func names() throws {
        let text = "<message xmlns='jabber:client'><ImageMessage>AAEC</ImageMessage></message>"
        #expect(try InlineMedia(in: Message(from: XMLElement(parsing: text)))?.fileName == nil)
        let other = "<message xmlns='jabber:client'><picName>p</picName><ImageMessage>AAEC</ImageMessage></message>"
        #expect(try InlineMedia(in: Message(from: XMLElement(parsing: other)))?.fileName == "p")
    }

    @Test(
        "S0-98: empty or damaged content is rejected with a reason",
        arguments: [
            ("", FileOfferError.empty), ("   ", .empty), ("%%%%", .notBase64), ("AAE", .notBase64),
        ])
    func damaged(text: String, error: FileOfferError) throws {
        let message = try Message(
            from: XMLElement(parsing: "<message xmlns='jabber:client'><ImageMessage>\(text)</ImageMessage></message>"))
        #expect(throws: error) { try InlineMedia(in: message) }
    }

    @Test("S0-99: a file that is too large for a stanza is neither sent nor accepted")
    func tooLarge() throws {
        let content = [UInt8](repeating: 7, count: InlineMedia.maximumSize + 1)
        let limit = UInt64(InlineMedia.maximumSize)
        #expect(throws: FileOfferError.tooLarge(size: limit + 1, limit: limit)) {
            try InlineMedia(kind: .picture, fileName: nil, content: content)
        }
        let text = "<message xmlns='jabber:client'><VoiceMessage>\(Base64.encode(content))</VoiceMessage></message>"
        let message = try Message(from: XMLElement(parsing: text))
        #expect { try InlineMedia(in: message) } throws: {
            if case .tooLarge? = $0 as? FileOfferError { true } else { false }
        }
        let largest = [UInt8](repeating: 7, count: InlineMedia.maximumSize)
        var allowed = Message(type: .chat)
        try InlineMedia(kind: .voice, fileName: nil, content: largest).write(into: &allowed)
        #expect(try InlineMedia(in: Message(from: XMLElement(allowed)))?.content == largest)
    }

    @Test(
        "a kind of files follows from the media type or the extension, and says whether it has a form inside of messages",
        arguments: [
            (.picture, "image/png", "a.b.JPG", .picture), (.voice, "AUDIO/ogg", "x.opus", .voice),
            (.video, "video/mp4", "x.mkv", nil), (.file, "application/pdf", "x.pdf", nil), (.file, "", "", nil),
        ] as [(FileKind, String, String, InlineMedia.Kind?)])
    func kinds(_ kind: FileKind, _ mediaType: String, _ fileName: String, _ inline: InlineMedia.Kind?) {
        #expect(FileKind(mediaType: mediaType) == kind && FileKind(fileName: fileName) == kind)
        #expect(kind.inline == inline)
        if let inline { #expect(FileKind(inline) == kind) }
        #expect(FileKind(mediaType: nil) == .file && FileKind(fileName: nil) == .file)
        #expect(Set(FileKind.allCases.map(\.word)).count == FileKind.allCases.count)
    }
}
