import Foundation

/// A folder that goes with the test.
package final class SpareFolder: Sendable {
    package let path: String

    package init() throws {
        path = NSTemporaryDirectory() + "chat-model-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}

package enum Sample {
    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// A picture of noise, so that its size depends on its quality.
    package static func bitmap(width: Int, height: Int) -> [UInt8] {
        let row = (width * 3 + 3) / 4 * 4
        var generator = SeededGenerator(seed: 7)
        var bytes = Array("BM".utf8) + little(54 + row * height, 4) + little(0, 4) + little(54, 4)
        bytes += little(40, 4) + little(width, 4) + little(height, 4) + little(1, 2) + little(24, 2)
        bytes += little(0, 4) + little(row * height, 4) + little(2835, 4) + little(2835, 4) + little(0, 8)
        for line in 0..<height {
            for column in 0..<row {
                bytes.append(UInt8(truncatingIfNeeded: line / 4 + column / 8) &+ UInt8(generator.next() & 31))
            }
        }
        return bytes
    }

    /// A tone of 440 Hz.
    package static func sound(seconds: Double) -> [UInt8] {
        let count = Int(seconds * 16_000)
        var bytes = Array("RIFF".utf8) + little(36 + count * 2, 4) + Array("WAVEfmt ".utf8) + little(16, 4)
        bytes += little(1, 2) + little(1, 2) + little(16_000, 4) + little(32_000, 4) + little(2, 2) + little(16, 2)
        bytes += Array("data".utf8) + little(count * 2, 4)
        for index in 0..<count {
            bytes += little(Int(12_000 * sin(Double(index) * 2 * .pi * 440 / 16_000)), 2)
        }
        return bytes
    }
}
