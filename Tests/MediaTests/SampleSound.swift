import Foundation
import Testing

@testable import Media

/// Generated sounds: syllables of a tone with known loudness.
struct SampleSound {
    static let rate = 16_000
    let samples: [Float]

    /// Tones of changing loudness with pauses, like speech.
    init(seconds: Double) {
        let count = Int(seconds * Double(Self.rate))
        let loudness: [Double] = [0.2, 0.9, 0, 0.5, 0.7, 0.1, 0, 0.8, 0.3, 0.6, 0.05, 0.4]
        let syllable = max(1, count / 24)
        samples = (0..<count).map { index in
            let place = Double(index % syllable) / Double(syllable)
            let envelope = loudness[index / syllable % loudness.count] * sin(place * .pi)
            return Float(envelope * sin(2 * .pi * 440 * Double(index) / Double(Self.rate)))
        }
    }

    var milliseconds: Int { samples.count * 1000 / Self.rate }

    var peaks: [Float] {
        var meter = PeakMeter(rate: Self.rate)
        samples.withUnsafeBufferPointer { meter.add($0) }
        return meter.peaks()
    }

    /// RIFF/WAVE, 16 bits, mono.
    var wav: [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        }
        var bytes = Array("RIFF".utf8) + number(36 + samples.count * 2, 4) + Array("WAVEfmt ".utf8)
        bytes += number(16, 4) + number(1, 2) + number(1, 2) + number(Self.rate, 4) + number(Self.rate * 2, 4)
        bytes += number(2, 2) + number(16, 2) + Array("data".utf8) + number(samples.count * 2, 4)
        for sample in samples { bytes += number(Int(sample * 32_000), 2) }
        return bytes
    }
}

/// Pearson's correlation of two series of the same length.
func correlation(_ first: [Float], _ second: [Float]) -> Double {
    precondition(first.count == second.count && !first.isEmpty)
    let count = Double(first.count)
    let means = (first.reduce(0) { $0 + Double($1) } / count, second.reduce(0) { $0 + Double($1) } / count)
    var products = (0.0, 0.0, 0.0)
    for (one, other) in zip(first, second) {
        let differences = (Double(one) - means.0, Double(other) - means.1)
        products.0 += differences.0 * differences.1
        products.1 += differences.0 * differences.0
        products.2 += differences.1 * differences.1
    }
    return products.0 / (products.1 * products.2).squareRoot()
}

/// A temporary folder, removed at the end of the test.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "media-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    func file(_ name: String, _ bytes: [UInt8] = []) throws -> String {
        let file = path + "/" + name
        try Data(bytes).write(to: URL(filePath: file))
        return file
    }
}
