import Foundation
import Testing
import WindowFixtures

@testable import GTKBinding

extension GTKTests {
    @MainActor
    @Suite("Memory that was needed for a moment")
    struct SpareMemoryTests {
        init() throws { try #require(Toolkit.isReady) }

        /// In KiB, as the kernel counts it.
        private static var resident: Int {
            let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
            return (pages?.dropFirst().first.flatMap { Int($0) } ?? 0) * 4
        }

        @Test("is returned to the system")
        func spare() async throws {
            // Pieces too small to be mapped alone, and one behind them that stays.
            let pieces = (0..<8000).map { _ in
                let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 4000, alignment: 16)
                piece.initializeMemory(as: UInt8.self, repeating: 1)
                return piece
            }
            for piece in pieces.dropLast() { piece.deallocate() }
            let before = Self.resident
            SpareMemory.returnSoon(after: .zero)
            #expect(await Toolkit.eventually { Self.resident < before - 16_000 })
            pieces.last?.deallocate()
        }
    }
}
