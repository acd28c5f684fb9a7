/// The pending timers of an event loop: a binary heap by deadline; removed ones are skipped when they reach the top.
struct TimerQueue {
    struct Identifier: Hashable, Sendable {
        fileprivate let value: UInt64
    }

    private struct Entry {
        var deadline: ContinuousClock.Instant
        var identifier: Identifier
    }

    private var heap: [Entry] = []
    private var actions: [Identifier: @Sendable () -> Void] = [:]
    private var last: UInt64 = 0

    var nextDeadline: ContinuousClock.Instant? {
        mutating get {
            while let first = heap.first, actions[first.identifier] == nil { removeFirst() }
            return heap.first?.deadline
        }
    }

    mutating func insert(
        deadline: ContinuousClock.Instant, _ action: @escaping @Sendable () -> Void
    ) -> Identifier {
        last += 1
        let identifier = Identifier(value: last)
        actions[identifier] = action
        heap.append(Entry(deadline: deadline, identifier: identifier))
        var child = heap.count - 1
        while child > 0, heap[child].deadline < heap[(child - 1) / 2].deadline {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
        return identifier
    }

    mutating func remove(_ identifier: Identifier) {
        actions[identifier] = nil
        // Otherwise cancelled timers with distant deadlines would accumulate.
        if heap.count > 64, actions.count < heap.count / 4 {
            let pending = heap.filter { actions[$0.identifier] != nil }.sorted { $0.deadline < $1.deadline }
            heap = pending
        }
    }

    /// The action of the earliest timer that is due at `now`.
    mutating func removeDue(_ now: ContinuousClock.Instant) -> (@Sendable () -> Void)? {
        guard let deadline = nextDeadline, deadline <= now, let first = heap.first else { return nil }
        removeFirst()
        return actions.removeValue(forKey: first.identifier)
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < heap.count && heap[child].deadline < heap[least].deadline { least = child }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}
