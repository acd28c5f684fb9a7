import QRCodes
import Testing

@Suite("QR codes")
struct QRCodeTests {
    private let link =
        "xmpp:juliet@capulet.example?omemo-sid-31415=623548d3623548d3623548d3623548d3623548d3623548d3623548d3623548d3"

    @Test("a code has the three corner patterns and nothing dark around it")
    func corners() throws {
        let code = try #require(QRCode(link))
        // Versions have 17 + 4 n modules.
        #expect(code.size >= 21 && (code.size - 17) % 4 == 0)
        for (left, top) in [(0, 0), (code.size - 7, 0), (0, code.size - 7)] {
            for offset in 0..<7 {
                #expect(code.isDark(x: left + offset, y: top) && code.isDark(x: left, y: top + offset))
                #expect(code.isDark(x: left + offset, y: top + 6) && code.isDark(x: left + 6, y: top + offset))
            }
            #expect(!code.isDark(x: left + 1, y: top + 1) && code.isDark(x: left + 3, y: top + 3))
        }
        #expect(!code.isDark(x: -1, y: 0) && !code.isDark(x: 0, y: code.size))
    }

    @Test("the same text is the same code, and another text another one")
    func texts() throws {
        #expect(QRCode(link) == QRCode(link))
        #expect(QRCode(link) != QRCode(link + "0"))
    }

    @Test("the longest text has a code; an empty and a longer one have none")
    func bounds() {
        #expect(QRCode(String(repeating: "a", count: QRCode.maximumLength))?.size == 177)
        #expect(QRCode(String(repeating: "a", count: QRCode.maximumLength + 1)) == nil)
        #expect(QRCode("") == nil)
    }
}
