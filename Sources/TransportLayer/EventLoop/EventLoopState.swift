import CEpoll
import Glibc
package import Waiting

/// A handler for events of a descriptor.
package protocol EventHandler: AnyObject, Sendable {
    /// Called on the thread of the loop with the event bits of epoll.
    func eventsOccurred(_ events: UInt32)
}

/// What collects bytes during an iteration of the loop and passes them on at its end.
package protocol Flushable: AnyObject, Sendable {
    /// Called on the thread of the loop at the end of the iteration.
    func turnEnded()
}

/// A connection that can keep memory between its turns, because its next one comes sooner than that of others.
package protocol WarmConnection: AnyObject, Sendable {
    /// Gives the memory back. Called on the thread of the loop.
    func cool()
}

/// The state of an ``EventLoop`` that only its thread accesses.
///
/// `@unchecked Sendable`: every member except the initialiser is called only on the thread of the loop, by the loop
/// itself and by actors whose executor is the loop. The initialiser runs before the thread starts.
package final class EventLoopState: @unchecked Sendable {
    /// The token of the descriptor that ends a wait because of queued work, which has no handler.
    static let wakeUpToken: UInt64 = 0
    /// The token of the descriptor of the timer.
    static let timerToken: UInt64 = 1

    private struct WeakHandler {
        weak var handler: (any EventHandler)?
    }

    private struct WeakConnection {
        weak var connection: (any WarmConnection)?
    }

    /// How many connections keep memory between their turns. The buffers of TLS are 34 KiB.
    static let warmLimit = 16

    private let epoll: Int32
    private var handlers: [UInt64: WeakHandler] = [:]
    private var lastToken = timerToken
    private var gathered: [any Flushable] = []
    private var warm: [WeakConnection] = []
    /// The place of the one that has been warm for the longest time.
    private var longest = 0
    /// Empty, with the memory that the next turn needs.
    private var flushing: [any Flushable] = []
    private let events = UnsafeMutableBufferPointer<epoll_event>.allocate(capacity: 64)
    private let timer: Int32
    private var timers = TimerQueue()
    /// The instant at which the descriptor of the timer reports; `nil` if it does not.
    private var armed: ContinuousInstant?
    /// Whether a timer was added, or the descriptor has reported, since the descriptor was set.
    private var mustArm = false
    /// Whether the descriptor of the timer has reported.
    private var hasTimeCome = false
    /// Work that the loop itself has queued: it needs neither a lock nor a wake-up.
    private var work: [EventLoop.Work] = []
    /// The same for the next iteration.
    private var deferred: [EventLoop.Work] = []

    /// Lent to the connection that is reading, so that idle connections need no buffer.
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024, alignment: 16)
    /// The same for what was decrypted: everything that was read, and one record that had begun before.
    let plaintext = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 * 1024 + TLSEngine.recordSize, alignment: 16)

    init(epoll: Int32, timer: Int32) {
        self.epoll = epoll
        self.timer = timer
        events.initialize(repeating: epoll_event())
    }

    /// Watches `descriptor`. The handler is referenced weakly and looked up by the token.
    package func register(_ descriptor: Int32, events: UInt32, handler: some EventHandler) -> UInt64 {
        lastToken += 1
        setHandler(WeakHandler(handler: handler), of: lastToken)
        add(descriptor, events: events, token: lastToken)
        return lastToken
    }

    func add(_ descriptor: Int32, events: UInt32, token: UInt64) {
        control(EPOLL_CTL_ADD, descriptor, events, token)
    }

    func change(_ descriptor: Int32, events: UInt32, token: UInt64) {
        control(EPOLL_CTL_MOD, descriptor, events, token)
    }

    /// Removes a handler; the caller then closes the descriptor or still needs it (`stopWatching`).
    package func unregister(_ token: UInt64, stopWatching descriptor: Int32? = nil) {
        setHandler(nil, of: token)
        if let descriptor { control(EPOLL_CTL_DEL, descriptor, 0, 0) }
    }

    // As in ``TLSMemory``, what is changed is not in the property meanwhile.

    private func setHandler(_ handler: WeakHandler?, of token: UInt64) {
        var all = exchange(&handlers, with: [:])
        all[token] = handler
        handlers = all
    }

    private func handler(of token: UInt64) -> (any EventHandler)? {
        let all = handlers
        return all[token]?.handler
    }

    private func control(_ operation: Int32, _ descriptor: Int32, _ events: UInt32, _ token: UInt64) {
        var event = epoll_event()
        event.events = events
        event.data.u64 = token
        _ = epoll_ctl(epoll, operation, descriptor, &event)
    }

    func append(_ item: EventLoop.Work) {
        var all = exchange(&work, with: [])
        all.append(item)
        work = all
    }

    /// Runs `block` in the next iteration, after what this one has written, and after the events of other connections.
    func `defer`(_ block: @escaping @Sendable () -> Void) {
        var all = exchange(&deferred, with: [])
        all.append(.block(block))
        deferred = all
    }

    /// The iteration ends: what was left for the next one is work now.
    func takeDeferred() {
        guard !deferred.isEmpty else { return }
        var all = exchange(&work, with: [])
        all += exchange(&deferred, with: [])
        work = all
    }

    var hasWork: Bool { !work.isEmpty }

    /// Exchanges the queued work for an empty array.
    func takeWork(_ batch: inout [EventLoop.Work]) { swap(&work, &batch) }

    /// Schedules a call of `turnEnded()` at the end of this iteration.
    package func gather(_ connection: some Flushable) {
        var all = exchange(&gathered, with: [])
        all.append(connection)
        gathered = all
    }

    /// Lets a connection keep its memory between its turns; one that has done so for the longest time has to give it back.
    func keepWarm(_ connection: some WarmConnection) {
        var all = exchange(&warm, with: [])
        if all.count < Self.warmLimit {
            all.append(WeakConnection(connection: connection))
        } else {
            all[longest].connection?.cool()
            all[longest] = WeakConnection(connection: connection)
            longest = (longest + 1) % Self.warmLimit
        }
        warm = all
    }

    /// A session passes its bytes to its transport, which is flushed after it.
    func flushConnections() {
        while !gathered.isEmpty {
            var connections = exchange(&flushing, with: [])
            swap(&gathered, &connections)
            for connection in connections { connection.turnEnded() }
            connections.removeAll(keepingCapacity: true)
            flushing = connections
        }
    }

    func poll(milliseconds: Int32) {
        let count = epoll_wait(epoll, events.baseAddress, Int32(events.count), milliseconds)
        guard count > 0 else { return }
        for index in 0..<Int(count) {
            let event = events[index]
            if event.data.u64 == Self.timerToken { hasTimeCome = true }
            handler(of: event.data.u64)?.eventsOccurred(event.events)
        }
    }

    /// Runs `action` on the thread of the loop after `delay`.
    func schedule(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> TimerQueue.Identifier {
        schedule(at: ContinuousInstant.now.advanced(by: delay), action)
    }

    /// Runs `action` on the thread of the loop at an instant.
    package func schedule(
        at deadline: ContinuousInstant, _ action: @escaping @Sendable () -> Void
    ) -> TimerQueue.Identifier {
        mustArm = true
        return timers.insert(deadline: deadline, action)
    }

    /// The number of timers that were neither called nor cancelled.
    var timerCount: Int { timers.count }

    package func cancelTimer(_ identifier: TimerQueue.Identifier) {
        timers.remove(identifier)
    }

    /// Makes a wait end at the earliest deadline. A deadline that has become later costs a wake-up, not a system call for each
    /// change.
    func armTimer() {
        guard mustArm else { return }
        mustArm = false
        guard let deadline = timers.nextDeadline, armed.map({ deadline < $0 }) ?? true else { return }
        // Rounded up: a timer that reports too early would not report again.
        let pause = max(.zero, ContinuousInstant.now.duration(to: deadline)) + .nanoseconds(1)
        let (seconds, attoseconds) = pause.components
        var setting = itimerspec()
        setting.it_value.tv_sec = Int(seconds)
        setting.it_value.tv_nsec = Int(attoseconds / 1_000_000_000)
        timerfd_settime(timer, 0, &setting, nil)
        armed = deadline
    }

    /// Calls what is due, if the descriptor of the timer has reported.
    func fireTimers() {
        guard hasTimeCome else { return }
        hasTimeCome = false
        (armed, mustArm) = (nil, true)
        let now = ContinuousInstant.now
        while let action = timers.removeDue(now) { action() }
    }
}

/// The pending timers of an event loop: a binary heap by deadline; removed ones are skipped when they reach the top.
package struct TimerQueue {
    package struct Identifier: Hashable, Sendable {
        fileprivate let value: UInt64
    }

    private struct Entry {
        var deadline: ContinuousInstant
        var identifier: Identifier
    }

    private var heap: [Entry] = []
    private var actions: [Identifier: @Sendable () -> Void] = [:]
    private var last: UInt64 = 0

    var count: Int { actions.count }

    var nextDeadline: ContinuousInstant? {
        mutating get {
            while let first = heap.first, actions[first.identifier] == nil { removeFirst() }
            return heap.first?.deadline
        }
    }

    mutating func insert(
        deadline: ContinuousInstant, _ action: @escaping @Sendable () -> Void
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
    mutating func removeDue(_ now: ContinuousInstant) -> (@Sendable () -> Void)? {
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
