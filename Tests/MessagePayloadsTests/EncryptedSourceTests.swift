import MessagePayloads
import Testing
import XMLStreaming

@Suite("XEP-0448")
struct EncryptedSourceTests {
    private static func file(_ cipher: String, key: String, iv: String) -> String {
        """
        <file-sharing xmlns='urn:xmpp:sfs:0'><file xmlns='urn:xmpp:file:metadata:0'>\
        <media-type>image/jpeg</media-type><name>summit.jpg</name><size>3032449</size>\
        <hash xmlns='urn:xmpp:hashes:2' algo='sha3-256'>2XarmwTlNxDAMkvymloX3S5+VbylNrJt/l5QyPa+YoU=</hash></file>\
        <sources><encrypted xmlns='urn:xmpp:esfs:0' cipher='\(cipher)'><key>\(key)</key><iv>\(iv)</iv>\
        <hash xmlns='urn:xmpp:hashes:2' algo='sha3-256'>BgKI2gp2kNCRsARNvhFmw5kFf9BBo2pTbV2D8XHTMWI=</hash>\
        <sources xmlns='urn:xmpp:sfs:0'><url-data xmlns='http://jabber.org/protocol/url-data' \
        target='https://download.montague.lit/4a771ac1-f0b2-4a4a-9700-f2a26fa2bb67/encrypted.jpg'/></sources></encrypted>\
        <jinglepub xmlns='urn:xmpp:jinglepub:1' from='romeo@montague.lit/resource' id='9559976B'/></sources></file-sharing>
        """
    }

    private static let key = "SuRJ2agVm/pQbJQlPq/B23Xt1YOOJCcEGJA5HrcYOGQ="
    private static let namespace = EncryptedSource.Cipher.aes256GCM.rawValue

    @Test("the example is read, and what is written is read as the same file")
    func example() throws {
        let file = try SharedFile(
            from: XMLElement(parsing: Self.file(Self.namespace, key: Self.key, iv: "T8RDMBaiqn6Ci4Nw")))
        let source = try #require(file.encrypted.first)
        #expect(file.encrypted.count == 1 && file.urls.isEmpty)
        #expect(source.cipher == .aes256GCM && source.key.count == 32 && source.vector.count == 12)
        #expect(Base64.encode(source.key) == Self.key && source.hashes.map(\.algorithm) == ["sha3-256"])
        #expect(
            source.urls == ["https://download.montague.lit/4a771ac1-f0b2-4a4a-9700-f2a26fa2bb67/encrypted.jpg"])
        #expect(file.metadata.size == 3_032_449 && file.metadata.fileName == "summit.jpg")
        #expect(try SharedFile(from: XMLElement(file)) == file)
    }

    @Test(
        "a source with an unknown cipher, or with a key or vector of another length, is ignored",
        arguments: [
            ("urn:xmpp:ciphers:rot13:0", key, "T8RDMBaiqn6Ci4Nw"), (namespace, "AAAA", "T8RDMBaiqn6Ci4Nw"),
            (namespace, key, "AAAA"), (namespace, key, ""), (namespace, "%", "T8RDMBaiqn6Ci4Nw"),
            (EncryptedSource.Cipher.aes256CBC.rawValue, key, "T8RDMBaiqn6Ci4Nw"),
            (EncryptedSource.Cipher.aes128GCM.rawValue, key, "T8RDMBaiqn6Ci4Nw"),
        ])
    func refused(cipher: String, key: String, iv: String) throws {
        #expect(
            try SharedFile(from: XMLElement(parsing: Self.file(cipher, key: key, iv: iv))).encrypted.isEmpty)
    }
}
