import Testing
import XMLStreaming

@Suite("Base64")
struct Base64Tests {
    @Test(
        "Test vectors of RFC 4648 §10",
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func vectors(plain: String, encoded: String) {
        #expect(Base64.encode(Array(plain.utf8)) == encoded)
        #expect(Base64.decode(encoded) == Array(plain.utf8))
    }

    @Test("Every byte is encoded and decoded")
    func roundTrip() {
        for length in 0..<70 {
            let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ length) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
        }
    }

    @Test(
        "Strict decoding rejects everything else",
        arguments: [
            "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z=g=", "====", "=", "Zm9v\n", " Zm9v", "Zm9-", "Zg==Zg==", "Zm9vé",
        ])
    func strict(encoded: String) {
        #expect(Base64.decode(encoded) == nil)
    }

    @Test("Line breaks are allowed on request")
    func whitespace() {
        #expect(Base64.decode(ignoringWhitespace: " Zm9v\r\nYmFy\t") == Array("foobar".utf8))
        #expect(Base64.decode(ignoringWhitespace: "Zm9v-YmFy") == nil)
    }
}
