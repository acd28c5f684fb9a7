import Testing

@testable import XMPPStream

@Suite("Backoff")
struct BackoffTests {
    @Test(
        "pauses double with each failure in a row, up to the maximum",
        arguments: [(0, 5), (1, 5), (2, 10), (3, 20), (6, 160), (7, 300), (8, 300), (Int.max, 300)])
    func doubling(failures: Int, seconds: Int) {
        let backoff = Backoff(first: .seconds(5), longest: .seconds(300))
        #expect(backoff.pause(after: failures) == .seconds(seconds))
    }

    @Test("a maximum below the first pause holds, and no pause stays none however often it fails")
    func edges() {
        #expect(Backoff(first: .seconds(5), longest: .seconds(2)).pause(after: 1) == .seconds(2))
        #expect(Backoff(first: .zero).pause(after: .max) == .zero)
    }
}
