/// A small deterministic generator of random numbers (SplitMix64), so that a corpus is the same everywhere.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }

    /// A number from 0 up to but not including `bound`.
    public mutating func below(_ bound: Int) -> Int { Int(truncatingIfNeeded: next() % UInt64(bound)) }

    public mutating func inRange(_ range: ClosedRange<Int>) -> Int {
        range.lowerBound + below(range.upperBound - range.lowerBound + 1)
    }

    /// `true` with a probability in percent.
    public mutating func percent(_ share: Int) -> Bool { below(100) < share }

    public mutating func pick<Element>(_ elements: [Element]) -> Element { elements[below(elements.count)] }

    public mutating func hex(_ digits: Int) -> String {
        var text = ""
        while text.utf8.count < digits {
            let part = String(next(), radix: 16)
            text += String(repeating: "0", count: 16 - part.utf8.count) + part
        }
        return String(text.prefix(digits))
    }
}
