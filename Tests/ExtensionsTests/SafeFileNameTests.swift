import FileSharing
import Testing

@Suite("File names from the network")
struct SafeFileNameTests {
    @Test(
        "S0-98: no name can leave its folder or hide its type",
        arguments: [
            ("summit.jpg", "summit.jpg"), ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"),
            ("C:\\Windows\\system32\\evil.exe", "evil.exe"), ("..", "file"), (".", "file"), ("", "file"),
            ("  ", "file"), (".bashrc", "bashrc"), ("a/b/", "b"), ("nul", "_nul"), ("NUL.txt", "_NUL.txt"),
            ("a\u{0}b.png", "a_b.png"), ("photo\u{202E}gpj.exe", "photo_gpj.exe"), ("a\nb.txt", "a_b.txt"),
            ("très cool.jpg", "très cool.jpg"), ("照片 1.png", "照片 1.png"), ("what?.png", "what_.png"),
            ("trailing.  ", "trailing"), ("a|b<c>.png", "a_b_c_.png"), ("🐦.opus", "🐦.opus"),
        ])
    func names(received: String, safe: String) {
        #expect(SafeFileName(received, fallback: "file").description == safe)
    }

    @Test("the extension can be derived from the type of the content")
    func fileExtension() {
        #expect(SafeFileName("evil.exe", fallback: "file", fileExtension: "png").description == "evil.png")
        #expect(SafeFileName(nil, fallback: "picture", fileExtension: "png").description == "picture.png")
        #expect(SafeFileName("v1.2 notes and more", fallback: "f").description == "v1.2 notes and more")
    }

    @Test("a long name is truncated before its extension, never inside of a character")
    func length() {
        let name = SafeFileName(String(repeating: "雁", count: 300) + ".jpeg", fallback: "f").description
        #expect(name.utf8.count <= SafeFileName.maximumUTF8Length)
        #expect(name.hasSuffix("雁.jpeg"))
    }

    @Test("random names never contain a separator, a control character or too many bytes")
    func random() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let scalars = (0..<Int.random(in: 0...80)).compactMap { _ in
                Unicode.Scalar(UInt32.random(in: 0...0x2FFF, using: &generator))
            }
            let name = SafeFileName(String(String.UnicodeScalarView(scalars)), fallback: "f").description
            #expect(!name.isEmpty && name != "." && name != "..")
            #expect(!name.unicodeScalars.contains { $0 == "/" || $0 == "\\" || $0.value < 0x20 })
            #expect(name.utf8.count <= SafeFileName.maximumUTF8Length)
        }
    }
}
