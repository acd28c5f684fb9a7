import Foundation

/// Whether the long versions of tests run, too.
package enum LongTests {
    package static let isOn = ProcessInfo.processInfo.environment["HONGYAN_LONG_TESTS"] != nil
}

/// A sequence of numbers that a seed repeats.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    package init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    package mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }
}
