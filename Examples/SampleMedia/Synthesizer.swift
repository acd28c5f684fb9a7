import Foundation

/// Sound made by the program itself: tones one after the other, written as WAV (RIFF, 16-bit PCM).
public struct Synthesizer: Sendable {
    /// One tone that glides from one pitch to another.
    public struct Tone: Sendable {
        var from: Double
        var to: Double
        public var milliseconds: Int
        /// 0 is pure, 1 as rough as a goose.
        var roughness: Double

        /// Hertz; 0 is silence.
        package init(_ from: Double, to: Double? = nil, milliseconds: Int, roughness: Double = 0) {
            self.from = from
            self.to = to ?? from
            self.milliseconds = milliseconds
            self.roughness = roughness
        }
    }

    private static let rate = 16_000
    /// Milliseconds in which a tone comes and goes, so that it does not click.
    private static let ramp = 15.0

    public static func wav(_ tones: [Tone]) -> [UInt8] {
        let samples = tones.flatMap(samples)
        var file = Array("RIFF".utf8) + littleEndian(UInt32(36 + samples.count * 2), 4) + Array("WAVEfmt ".utf8)
        file += littleEndian(16, 4) + littleEndian(1, 2) + littleEndian(1, 2)
        file +=
            littleEndian(UInt32(rate), 4) + littleEndian(UInt32(rate * 2), 4) + littleEndian(2, 2) + littleEndian(16, 2)
        file += Array("data".utf8) + littleEndian(UInt32(samples.count * 2), 4)
        for sample in samples { file += littleEndian(UInt32(UInt16(bitPattern: sample)), 2) }
        return file
    }

    private static func samples(_ tone: Tone) -> [Int16] {
        let count = rate * tone.milliseconds / 1000
        var phase = 0.0
        return (0..<count).map { index in
            guard tone.from > 0 else { return 0 }
            let progress = Double(index) / Double(count)
            phase += (tone.from + (tone.to - tone.from) * progress) / Double(rate)
            // Overtones that fall off slowly sound like a reed, which is what a goose has in its throat.
            var value = sin(2 * .pi * phase)
            for overtone in 2...6 {
                value += tone.roughness * sin(2 * .pi * phase * Double(overtone)) / Double(overtone).squareRoot()
            }
            value *= 1 + 0.4 * tone.roughness * sin(2 * .pi * 55 * Double(index) / Double(rate))
            let elapsed = progress * Double(tone.milliseconds)
            let fade = min(1, elapsed / ramp, (Double(tone.milliseconds) - elapsed) / ramp)
            return Int16(max(-1, min(1, value * 0.28 * fade)) * 32_000)
        }
    }

    private static func littleEndian(_ value: UInt32, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(value >> (8 * UInt32($0)) & 0xFF) }
    }
}
