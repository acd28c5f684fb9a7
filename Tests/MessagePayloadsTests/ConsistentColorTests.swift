import MessagePayloads
import Testing

@Suite("XEP-0392: consistent colours")
struct ConsistentColorTests {
    /// The first two octets of the SHA-1 of each text of the specification's examples.
    private static let digests: [String: [UInt8]] = [
        "Romeo": [0xB7, 0xE8], "juliet@capulet.lit": [0xEA, 0x94], "😺": [0x85, 0xEB], "council": [0xFF, 0xFF],
        "Board": [0xE8, 0x79],
    ]

    @Test(
        "the examples of the specification (§A.1)",
        arguments: [
            ("Romeo", 327.255249, 0.865, 0.000, 0.686), ("juliet@capulet.lit", 209.410400, 0.000, 0.515, 0.573),
            ("😺", 331.199341, 0.872, 0.000, 0.659), ("council", 359.994507, 0.918, 0.000, 0.394),
            ("Board", 171.430664, 0.000, 0.527, 0.457),
        ])
    func vectors(text: String, angle: Double, red: Double, green: Double, blue: Double) throws {
        let color = ConsistentColor(of: text) { Self.digests[String(decoding: $0, as: UTF8.self)] ?? [] }
        #expect(abs(color.angle - angle) < 0.000001, "\(color.angle)")
        let rgb = color.rgb(lightness: 50)
        #expect(
            abs(rgb.red - red) < 0.0006 && abs(rgb.green - green) < 0.0006 && abs(rgb.blue - blue) < 0.0006, "\(rgb)")
    }

    @Test("colours of one lightness have one luminance, and every component is valid")
    func luminance() {
        func linear(_ value: Double) -> Double {
            // Close enough to the gamma of sRGB for a comparison.
            value <= 0.04045 ? value / 12.92 : power((value + 0.055) / 1.055)
        }
        func power(_ value: Double) -> Double {
            // To the power of 2.4: the square, times the fifth root of the square.
            var root = 1.0
            for _ in 0..<60 { root = (4 * root + value * value / (root * root * root * root)) / 5 }
            return value * value * root
        }
        for lightness in [20.0, 45, 70, 90] {
            let expected =
                lightness > 8 ? ((lightness + 16) / 116) * ((lightness + 16) / 116) * ((lightness + 16) / 116) : 0
            for angle in stride(from: 0.0, to: 360, by: 7) {
                let rgb = ConsistentColor(angle: angle).rgb(lightness: lightness)
                for part in [rgb.red, rgb.green, rgb.blue] { #expect((0...1).contains(part)) }
                let found = 0.2126 * linear(rgb.red) + 0.7152 * linear(rgb.green) + 0.0722 * linear(rgb.blue)
                #expect(abs(found - expected) < 0.01, "\(angle)° at \(lightness): \(found), not \(expected)")
            }
        }
    }

    @Test("the ends of the lightness are white and black; the hexadecimal form has six digits")
    func ends() {
        #expect(ConsistentColor(angle: 12).rgb(lightness: 100).hexadecimal == "#ffffff")
        #expect(ConsistentColor(angle: 12).rgb(lightness: 0).hexadecimal == "#000000")
        #expect(ConsistentColor(angle: 0).rgb(saturation: 0, lightness: 50).hexadecimal == "#777777")
        #expect(ConsistentColor(of: "x") { _ in [] }.angle == 0)
    }
}
