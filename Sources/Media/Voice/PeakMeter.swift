/// Reduces samples, as they come, to a fixed number of peaks: the shape drawn beside a voice message.
struct PeakMeter {
    /// Peaks of one message; enough for a bubble some hundred points wide.
    static let bucketCount = 64
    /// Anything softer counts as silence, or the noise of an empty recording would be drawn as speech: −60 dB.
    static let silence: Float = 0.001

    private let samplesPerPeak: Int
    private var fine: [Float] = []
    private var current: Float = 0
    private var counted = 0
    private(set) var sampleCount = 0

    /// A peak per 5 ms is kept until the length is known.
    init(rate: Int) {
        samplesPerPeak = max(1, rate / 200)
    }

    mutating func add(_ samples: UnsafeBufferPointer<Float>) {
        sampleCount += samples.count
        for sample in samples {
            // A NaN from a broken decoder compares false and is passed over.
            let loudness = abs(sample)
            if loudness > current { current = loudness }
            counted += 1
            if counted == samplesPerPeak {
                fine.append(current)
                current = 0
                counted = 0
            }
        }
    }

    /// The peaks, relative to the loudest one, which is 1; all 0 for silence.
    func peaks(_ count: Int = Self.bucketCount) -> [Float] {
        let fine = counted > 0 ? fine + [current] : fine
        guard let top = fine.max(), top > Self.silence, top.isFinite else { return Array(repeating: 0, count: count) }
        return (0..<count).map { bucket in
            let start = bucket * fine.count / count
            let end = max(start + 1, (bucket + 1) * fine.count / count)
            return (fine[start..<min(end, fine.count)].max() ?? 0) / top
        }
    }
}
