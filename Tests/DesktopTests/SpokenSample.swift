import Foundation
import ServerFixtures

/// A synthetic sentence, and its comparison with the received one.
struct SpokenSample {
    /// Samples per second: telephone quality suffices to recognise a voice.
    private static let rate = 4000
    /// A quarter of a second: a syllable.
    private static let piece = rate / 4
    /// The number of steps per sample: a recording begins anywhere between two samples, and with an offset of half a
    /// sample identical words correlate by less than 0.9.
    private static let steps = 8

    /// The sentence with silence around it, because sound takes time to reach the microphone.
    let file: String
    private let sentence: String

    init(in folder: String) async throws {
        sentence = "\(folder)/sentence.wav"
        file = "\(folder)/spoken.wav"
        try await Self.run([
            "espeak-ng", "-v", "en", "-s", "150", "-w", sentence,
            "The wild goose carries a letter over the mountains, and the moon shows it the way.",
        ])
        try await Self.run(["sox", sentence, file, "pad", "0.3", "2.5"])
    }

    /// How well a recording matches: the median correlation of all syllables, each searched near its expected position;
    /// 1 is identical. Under load sound stutters sometimes, which moves the rest.
    func likeness(of recording: String) async throws -> Double {
        let said = try await samples(of: sentence)
        let fine = try await samples(of: recording, steps: Self.steps)
        let steps = (0..<Self.steps).map { step in stride(from: step, to: fine.count, by: Self.steps).map { fine[$0] } }
        guard let heard = steps.first, let shortest = steps.last else { return 0 }
        guard said.count > 8 * Self.piece, shortest.count > said.count else { return 0 }
        // The position of the whole, by loudness in pieces of 10 ms.
        let moment = Self.rate / 100
        let place = Self.best(Self.loudness(said, moment)[...], Self.loudness(heard, moment)[...]).place * moment
        let syllables = Self.loudness(said, Self.piece)
        // Pauses do not match anything.
        let limit = syllables.reduce(0, +) / Float(syllables.count) / 3
        let likenesses = syllables.indices.filter { syllables[$0] > limit }.map { index in
            let start = index * Self.piece
            let syllable = said[start..<start + Self.piece]
            let near = max(0, place + start - 2 * Self.piece)..<min(shortest.count, place + start + 3 * Self.piece)
            let found = near.lowerBound + Self.best(syllable, heard[near]).place
            let around = max(0, found - 1)..<min(shortest.count, found + Self.piece + 1)
            return steps.map { Self.best(syllable, $0[around]).value }.max() ?? 0
        }
        return likenesses.sorted()[likenesses.count / 2]
    }

    /// The content of a file below half of ``rate``, with `steps` values per sample.
    private func samples(of file: String, steps: Int = 1) async throws -> [Float] {
        let raw = "\(sentence).raw"
        try? FileManager.default.removeItem(atPath: raw)
        try await Self.run([
            "gst-launch-1.0", "-q", "filesrc", "location=\(file)", "!", "decodebin", "!", "audioconvert", "!",
            "audioresample", "!", "audio/x-raw,format=S16LE,rate=\(Self.rate),channels=1", "!", "audioresample", "!",
            "audio/x-raw,rate=\(Self.rate * steps)", "!", "filesink", "location=\(raw)",
        ])
        let bytes = try Data(contentsOf: URL(filePath: raw))
        return stride(from: 0, to: bytes.count - 1, by: 2).map { index in
            Float(Int16(bitPattern: UInt16(bytes[index]) | UInt16(bytes[index + 1]) << 8))
        }
    }

    private static func loudness(_ samples: [Float], _ step: Int) -> [Float] {
        stride(from: 0, to: samples.count - step, by: step).map { start in
            samples[start..<start + step].reduce(0) { $0 + abs($1) }
        }
    }

    /// The position at which the series `short` fits best into `long`, and Pearson's correlation there.
    private static func best(_ short: ArraySlice<Float>, _ long: ArraySlice<Float>) -> (place: Int, value: Double) {
        short.withUnsafeBufferPointer { short in
            long.withUnsafeBufferPointer { long in
                var best = (place: 0, value: -1.0)
                guard !short.isEmpty, long.count >= short.count else { return (0, 0) }
                for place in 0...(long.count - short.count) {
                    var (first, second, both, firsts, seconds): (Float, Float, Float, Float, Float) = (0, 0, 0, 0, 0)
                    for index in 0..<short.count {
                        let (one, other) = (short[index], long[place + index])
                        first += one
                        second += other
                        both += one * other
                        firsts += one * one
                        seconds += other * other
                    }
                    let count = Double(short.count)
                    let product = Double(both) - Double(first) * Double(second) / count
                    let spreads = (
                        Double(firsts) - Double(first) * Double(first) / count,
                        Double(seconds) - Double(second) * Double(second) / count
                    )
                    let value = spreads.0 * spreads.1 > 0 ? product / (spreads.0 * spreads.1).squareRoot() : 0
                    if value > best.value { best = (place, value) }
                }
                return best
            }
        }
    }

    static func run(_ words: [String]) async throws {
        let (status, output) = try await OutsideProgram.run(words)
        guard status == 0 else { throw NotSeen(description: "\(words[0]) ended with \(status): \(output)") }
    }
}
