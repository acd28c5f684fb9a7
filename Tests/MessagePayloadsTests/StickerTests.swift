import MessagePayloads
import Testing
import XMLStreaming
import XMPPStanzas

@Suite("Stickers, thumbnails and messages that disappear (XEP-0449, XEP-0264, XEP-0466)")
struct StickerTests {
    private func check<P: XMLPayload>(_ type: P.Type, _ document: String) throws {
        let element = try XMLElement(parsing: document)
        #expect(XMLElement(try P(from: element)) == element)
    }

    private static let pack =
        "<pack xmlns='urn:xmpp:stickers:0'><name>Marsey the Cat</name>"
        + "<summary>Be cute or be cynical, this little kitten works both ways.</summary>"
        + "<item><file xmlns='urn:xmpp:file:metadata:0'><media-type>image/png</media-type><size>71045</size><desc>👍</desc>"
        + "<hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>0AdP8lJOWJrugSKOIAqfEKqFatIpG5JBCjjxY253ojQ=</hash></file>"
        + "<sources xmlns='urn:xmpp:sfs:0'><url-data xmlns='http://jabber.org/protocol/url-data' "
        + "target='https://download.montague.lit/sticker_marsey_thumbs_up.png'/></sources><suggest>+1</suggest></item>"
        + "<item><file xmlns='urn:xmpp:file:metadata:0'><media-type>image/png</media-type><size>67016</size><desc>😘</desc>"
        + "<hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>gw+6xdCgOcvCYSKuQNrXH33lV9NMzuDf/s0huByCDsY=</hash></file></item>"
        + "<hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>EpRv28DHHzFrE4zd+xaNpVb4jbu4s74XtioExNjQzZ0=</hash></pack>"

    @Test("a sticker and its pack")
    func stickers() throws {
        try check(Sticker.self, "<sticker xmlns='urn:xmpp:stickers:0'/>")
        try check(Sticker.self, "<sticker xmlns='urn:xmpp:stickers:0' pack='EpRv28DHHzFrE4zd+xaNpVb4'/>")
        try check(Sticker.self, "<sticker xmlns='urn:xmpp:stickers:0' pack='a' jid='romeo@montague.lit' node='b'/>")
        try check(StickerPack.self, Self.pack)
        let pack = try StickerPack(from: XMLElement(parsing: Self.pack))
        #expect(pack.id == "EpRv28DHHzFrE4zd+xaNpVb4")
        #expect(pack.items.map(\.file.description) == ["👍", "😘"])
        #expect(pack.items.first?.suggestions == ["+1"])
        #expect(!pack.isRestricted)
    }

    @Test("the octets that identify a pack are in order, whatever the order of the stickers")
    func hashInput() throws {
        let pack = try StickerPack(from: XMLElement(parsing: Self.pack))
        var turned = pack
        turned.items.reverse()
        #expect(turned.hashInput == pack.hashInput)
        let text = String(decoding: pack.hashInput, as: UTF8.self)
        #expect(text.hasPrefix("name\u{1F}\u{1F}Marsey the Cat\u{1F}\u{1E}summary\u{1F}\u{1F}Be cute"))
        #expect(text.hasSuffix("\u{1F}\u{1E}\u{1D}\u{1C}"))
        #expect(text.contains("👍\u{1E}sha-256\u{1F}0AdP8lJOWJrugSKOIAqfEKqFatIpG5JBCjjxY253ojQ=\u{1F}\u{1E}\u{1D}"))
    }

    @Test("many stickers are not read")
    func manyStickers() throws {
        let item = "<item><file xmlns='urn:xmpp:file:metadata:0'/></item>"
        let text = "<pack xmlns='urn:xmpp:stickers:0'>\(String(repeating: item, count: 1000))</pack>"
        #expect(try StickerPack(from: XMLElement(parsing: text)).items.count == 256)
    }

    @Test("thumbnails of a file")
    func thumbnails() throws {
        let thumbnail =
            "<thumbnail xmlns='urn:xmpp:thumbs:1' uri='cid:sha1+ffd7c8d28e9c5e82afea41f97108c6b4@bob.xmpp.org' "
            + "media-type='image/png' width='128' height='96'/>"
        try check(Thumbnail.self, thumbnail)
        try check(
            FileMetadata.self,
            "<file xmlns='urn:xmpp:file:metadata:0'><name>image.jpg</name>\(thumbnail)</file>")
        let odd = try Thumbnail(
            from: XMLElement(parsing: "<thumbnail xmlns='urn:xmpp:thumbs:1' uri='a:b' width='99999999' height='-1'/>"))
        #expect(odd.width == 4096)
        #expect(odd.height == nil)
        for text in ["<thumbnail xmlns='urn:xmpp:thumbs:1'/>", "<thumbnail xmlns='urn:xmpp:thumbs:1' uri=''/>"] {
            #expect(throws: XMLDecodingError.self) { try Thumbnail(from: XMLElement(parsing: text)) }
        }
        let small = try #require(Thumbnail(content: [1, 2, 3, 255], mediaType: "image/png", width: 2, height: 1))
        #expect(small.uri == "data:image/png;base64,AQID/w==")
        #expect(try Thumbnail(from: XMLElement(parsing: XMLElement(small).description)).content == [1, 2, 3, 255])
        #expect(Thumbnail(content: [], mediaType: "image/png") == nil)
        let largest = [UInt8](repeating: 7, count: Thumbnail.contentLimit)
        #expect(Thumbnail(content: largest, mediaType: "image/png")?.content == largest)
        #expect(Thumbnail(content: largest + [7], mediaType: "image/png") == nil)
        let tooLarge = "data:image/png;base64," + Base64.encode(largest + [7, 7, 7])
        for uri in [
            tooLarge, "data:image/png;base64,", "data:image/png;base64,?", "data:,AQID", "https://a.example/x", "data:",
        ] {
            #expect(Thumbnail(uri: uri).content == nil)
        }

        let many = "<file xmlns='urn:xmpp:file:metadata:0'>\(String(repeating: thumbnail, count: 50))</file>"
        #expect(try FileMetadata(from: XMLElement(parsing: many)).thumbnails.count == Thumbnail.limit)
    }

    @Test("the timer of a message")
    func timer() throws {
        try check(EphemeralTimer.self, "<ephemeral xmlns='urn:xmpp:ephemeral:0' timer='604800'/>")
        for value in ["-1", "4294967296", "soon", ""] {
            let element = try XMLElement(parsing: "<ephemeral xmlns='urn:xmpp:ephemeral:0' timer='\(value)'/>")
            #expect(throws: XMLDecodingError.self) { try EphemeralTimer(from: element) }
        }
    }
}
