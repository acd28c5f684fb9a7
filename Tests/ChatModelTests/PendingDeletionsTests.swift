import ChatFixtures
import ChatStore
import Testing

@testable import ChatModel

@Suite("Deletions that can be undone")
@MainActor
struct PendingDeletionsTests {
    private let clock = ManualClock()
    private let one = MessageID(rawValue: 1)
    private let two = MessageID(rawValue: 2)

    private func deletions() -> PendingDeletions {
        PendingDeletions(environment: ModelEnvironment(clock: clock))
    }

    @Test("a deletion happens after five seconds, and is shown at once")
    func later() async throws {
        let deletions = deletions()
        var done: [String] = []
        deletions.begin([one]) {
            done.append("deleted")
        } done: {
            done.append("final")
        }
        #expect(deletions.messages == [one])
        await clock.sleeps(1)
        clock.advance(by: PendingDeletions.delay - .milliseconds(1))
        #expect(done.isEmpty)
        clock.advance(by: .milliseconds(1))
        await eventually { deletions.messages.isEmpty }
        #expect(done == ["final", "deleted"])
    }

    @Test("an undone deletion never happens; too late it cannot be undone")
    func undone() async throws {
        let deletions = deletions()
        var count = 0
        let first = deletions.begin([one, two]) { count += 1 }
        #expect(deletions.undo(first))
        #expect(deletions.messages.isEmpty)
        await deletions.flush()
        #expect(count == 0)
        let second = deletions.begin([one]) { count += 1 }
        await deletions.flush()
        #expect(count == 1 && deletions.messages.isEmpty)
        #expect(!deletions.undo(second))
    }

    @Test("a failed deletion is reported, and the message is shown again")
    func failed() async throws {
        let deletions = deletions()
        var failure: StoreError?
        deletions.begin([one]) { () async throws(StoreError) in
            throw StoreError(.closed, "closed")
        } failed: {
            failure = $0
        }
        await deletions.flush()
        #expect(failure?.code == .closed && deletions.messages.isEmpty)
    }

    @Test("a message in two deletions is hidden until both are over")
    func twice() async throws {
        let deletions = deletions()
        let first = deletions.begin([one]) {}
        deletions.begin([one, two]) {}
        deletions.undo(first)
        #expect(deletions.messages == [one, two])
        await deletions.flush()
        #expect(deletions.messages.isEmpty)
    }
}
