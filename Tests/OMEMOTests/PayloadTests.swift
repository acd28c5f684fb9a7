import Cryptography
import OMEMO
import Testing
import XMLStreaming

@Suite("Payload, envelope and links")
struct PayloadTests {
    private let cryptography = OpenSSLCryptography()

    @Test("a payload is decrypted with its key only")
    func current() throws {
        let encrypted = try EncryptedPayload([UInt8]("Hello"), using: cryptography)
        #expect(encrypted.key.bytes.count == 48)
        func decrypt(_ payload: [UInt8], _ key: [UInt8]) throws -> [UInt8] {
            try EncryptedPayload.decrypt(payload, key: key, using: cryptography)
        }
        #expect(try decrypt(encrypted.payload, encrypted.key.bytes) == [UInt8]("Hello"))
        for index in encrypted.payload.indices {
            var changed = encrypted.payload
            changed[index] ^= 1
            #expect(throws: OMEMOError(.damagedPayload)) { try decrypt(changed, encrypted.key.bytes) }
        }
        for index in encrypted.key.bytes.indices {
            var changed = encrypted.key.bytes
            changed[index] ^= 1
            #expect(throws: OMEMOError(.damagedPayload)) { try decrypt(encrypted.payload, changed) }
        }
        for key in [[], EncryptedPayload.emptyKey, encrypted.key.bytes + [0]] {
            #expect(throws: OMEMOError(.damagedPayload)) { try decrypt(encrypted.payload, key) }
        }
        #expect(throws: OMEMOError(.damagedPayload)) { try decrypt([], encrypted.key.bytes) }
    }

    @Test("a legacy payload is decrypted with its key only, and with the tag at its end")
    func legacy() throws {
        let encrypted = try LegacyPayload([UInt8]("Hello"), using: cryptography)
        #expect(encrypted.key.bytes.count == 32 && encrypted.nonce.count == 12 && encrypted.payload.count == 5)
        func decrypt(_ payload: [UInt8], _ nonce: [UInt8], _ key: [UInt8]) throws -> [UInt8] {
            try LegacyPayload.decrypt(payload, nonce: nonce, key: key, using: cryptography)
        }
        let key = encrypted.key.bytes
        #expect(try decrypt(encrypted.payload, encrypted.nonce, key) == [UInt8]("Hello"))
        let trailing = encrypted.payload + key.suffix(16)
        #expect(try decrypt(trailing, encrypted.nonce, Array(key.prefix(16))) == [UInt8]("Hello"))
        #expect(throws: OMEMOError(.damagedPayload)) {
            try decrypt(encrypted.payload, encrypted.nonce, Array(key.prefix(16)))
        }
        #expect(throws: OMEMOError(.damagedPayload)) { try decrypt(encrypted.payload, [1, 2], key) }
        #expect(throws: OMEMOError(.damagedPayload)) { try decrypt(encrypted.payload, encrypted.nonce, key + [1]) }
        var changed = encrypted.payload
        changed[0] ^= 1
        #expect(throws: OMEMOError(.damagedPayload)) { try decrypt(changed, encrypted.nonce, key) }
    }

    @Test("payloads of 12 and 16 bytes of nonce are read")
    func nonces() throws {
        let (key, body) = ([UInt8](repeating: 1, count: 16), [UInt8]("Hello"))
        for count in [12, 16] {
            let nonce = [UInt8](repeating: 2, count: count)
            let sealed = try #require(AESGCM.seal(body, key: key, nonce: nonce))
            let whole = try LegacyPayload.decrypt(sealed, nonce: nonce, key: key, using: cryptography)
            #expect(whole == body)
        }
    }

    private func body(_ text: String) -> XMLElement { XMLElement(XMLName("body", "jabber:client"), text: text) }

    private func context(isGroup: Bool = false, sent: Int64 = 1_000) -> EnvelopeContext {
        EnvelopeContext(
            sender: "romeo@montague.example", recipient: "juliet@capulet.example", isGroup: isGroup, sent: sent,
            canonicalAddress: { $0.contains("@") ? $0.lowercased() : nil }, seconds: { Int64($0) })
    }

    private func refusal(_ envelope: Envelope, _ context: EnvelopeContext) -> EnvelopeError.Code? {
        do { try context.check(envelope) } catch { return error.code }
        return nil
    }

    @Test("an envelope is read back, and its length tells little")
    func envelope() throws {
        let envelope = Envelope(
            [body("Hello")], from: "romeo@montague.example", to: "juliet@capulet.example", time: "1000")
        var lengths: Set<Int> = []
        for _ in 0..<50 {
            let bytes = try envelope.padded(using: cryptography)
            lengths.insert(bytes.count)
            var read = try Envelope(decrypted: bytes)
            #expect(read.padding?.isEmpty == false)
            read.padding = nil
            #expect(read == envelope)
        }
        #expect(lengths.count > 5)
        #expect(lengths.allSatisfy { (512...720).contains($0) })
        let long = Envelope([body(String(repeating: "x", count: 2_000))], from: "a@b", to: nil, time: nil)
        #expect(try Envelope(decrypted: long.padded(using: cryptography)).content == long.content)
    }

    @Test("elements for servers are neither written nor read in an envelope")
    func servers() throws {
        let names = [
            XMLName("store", "urn:xmpp:hints"), XMLName("stanza-id", "urn:xmpp:sid:0"),
            XMLName("addresses", "http://jabber.org/protocol/address"), XMLName("encryption", "urn:xmpp:eme:0"),
        ]
        let origin = XMLElement(XMLName("origin-id", "urn:xmpp:sid:0"))
        let content = names.map { XMLElement($0) } + [body("Hello"), origin]
        let envelope = Envelope(content, from: "a@b", to: nil, time: nil)
        #expect(envelope.content == [body("Hello"), origin])
        let xml = """
            <envelope xmlns='urn:xmpp:sce:1'><content><store xmlns='urn:xmpp:hints'/><stanza-id xmlns='urn:xmpp:sid:0'/>\
            <body xmlns='jabber:client'>Hello</body></content><rpad/></envelope>
            """
        #expect(try Envelope(decrypted: [UInt8](xml)).content == [body("Hello")])
    }

    @Test("padding of any length is accepted, and what is not an envelope is not")
    func malformed() throws {
        let padding = String(repeating: "p", count: 100_000)
        let long = "<envelope xmlns='urn:xmpp:sce:1'><content/><rpad>\(padding)</rpad></envelope>"
        #expect(try Envelope(decrypted: [UInt8](long)).content.isEmpty)
        for xml in [
            "", "Hello", "<envelope/>", "<envelope xmlns='urn:xmpp:sce:1'/>",
            "<envelope xmlns='urn:xmpp:sce:1'><content/>",
            "<envelope xmlns='urn:xmpp:sce:1'><content/></envelope><a/>",
            "<envelope xmlns='urn:xmpp:sce:1'><content/><from/></envelope>",
            "<envelope xmlns='urn:xmpp:sce:1'><content/><time/></envelope>",
        ] {
            #expect(throws: EnvelopeError(.malformed), "\(xml)") { try Envelope(decrypted: [UInt8](xml)) }
        }
        #expect(throws: EnvelopeError(.malformed)) { try Envelope(decrypted: [0xff, 0xfe, 0]) }
    }

    @Test("an envelope of another sender, recipient, room or time is refused")
    func checks() {
        let (romeo, juliet) = ("Romeo@montague.example", "juliet@capulet.example")
        func envelope(_ from: String, _ to: String?, _ time: String?) -> Envelope {
            Envelope([], from: from, to: to, time: time)
        }
        #expect(refusal(envelope(romeo, juliet, "1600"), context()) == nil, "Compared as addresses.")
        #expect(refusal(envelope(romeo, nil, nil), context()) == nil)
        #expect(refusal(envelope("mallory@capulet.example", juliet, nil), context()) == .wrongSender)
        #expect(refusal(envelope("nobody", juliet, nil), context()) == .wrongSender)
        #expect(refusal(envelope(romeo, romeo, nil), context()) == .wrongRecipient)
        #expect(refusal(envelope(romeo, nil, nil), context(isGroup: true)) == .missingRecipient)
        #expect(refusal(envelope(romeo, juliet, nil), context(isGroup: true)) == nil)
        #expect(refusal(envelope(romeo, romeo, nil), context(isGroup: true)) == .wrongRecipient)
        #expect(refusal(envelope(romeo, nil, "1601"), context()) == .wrongTime)
        #expect(refusal(envelope(romeo, nil, "399"), context()) == .wrongTime)
        #expect(refusal(envelope(romeo, nil, "400"), context()) == nil)
        #expect(refusal(envelope(romeo, nil, "\(Int64.min)"), context()) == .wrongTime)
        #expect(refusal(envelope(romeo, nil, "yesterday"), context()) == .malformed)
        var anonymous = envelope(romeo, nil, nil)
        anonymous.from = nil
        #expect(refusal(anonymous, context()) == nil, "The sender is only recommended.")
    }

    private static let example =
        "aesgcm://download.montague.tld/4a771ac1-f0b2-4a4a-9700-f2a26fa2bb67/tr%C3%A8s%20cool.jpg"
        + "#8c3d050e9386ec173861778f68e9af38a97aaf82faa4063b4d0878a61261534410c8a84331eaac851759f587"

    @Test("the link of XEP-0454 is read and written")
    func link() throws {
        let link = try #require(EncryptedFileLink(Self.example))
        #expect(
            link.address == "https://download.montague.tld/4a771ac1-f0b2-4a4a-9700-f2a26fa2bb67/tr%C3%A8s%20cool.jpg")
        #expect(Hex.encode(link.nonce) == "8c3d050e9386ec173861778f")
        #expect(Hex.encode(link.key) == "68e9af38a97aaf82faa4063b4d0878a61261534410c8a84331eaac851759f587")
        #expect(link.text == Self.example)
        #expect(EncryptedFileLink(address: link.address, nonce: link.nonce, key: link.key) == link)
        #expect(!"\(link)".contains("68e9"), "A description can get into a log.")
        let longer = Self.example.replacing("#", with: "#00112233")
        #expect(EncryptedFileLink(longer)?.nonce.count == 16)
    }

    @Test(
        "what is not exactly a link is refused",
        arguments: [
            "", "aesgcm://", "https://example.org/a#00", "aesgcm://example.org/a", "aesgcm://example.org/a#",
            example + " ", " " + example, example + "\nmore", String(example.dropLast()), example + "0",
            example + "00", example.replacing("#", with: "#zz"), example.replacing("download", with: "down load"),
            example.replacing("aesgcm", with: "AESGCM"), "aesgcm:///a" + example.suffix(89), example + example,
            example.replacing("cool", with: "\u{202e}cool"),
        ])
    func noLink(text: String) {
        #expect(EncryptedFileLink(text) == nil)
    }

    @Test("only an https address without fragment becomes a link")
    func addresses() {
        let (nonce, key) = ([UInt8](repeating: 1, count: 12), [UInt8](repeating: 2, count: 32))
        #expect(EncryptedFileLink(address: "https://example.org/a", nonce: nonce, key: key) != nil)
        for address in ["http://example.org/a", "https://example.org/a#b", "https:///a", "https://example.org", ""] {
            #expect(EncryptedFileLink(address: address, nonce: nonce, key: key) == nil)
        }
        #expect(EncryptedFileLink(address: "https://example.org/a", nonce: key, key: key) == nil)
        #expect(EncryptedFileLink(address: "https://example.org/a", nonce: nonce, key: nonce) == nil)
    }
}
