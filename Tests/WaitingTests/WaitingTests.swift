import Synchronization
import Testing
import Waiting

@Suite("Waiting", .timeLimit(.minutes(5)))
struct WaitingTests {
    @Test("a signal before the wait is stored, and several count as one")
    func signals() async {
        let signal = Signal()
        signal.send()
        signal.send()
        await signal.wait()
        let isOver = Gate()
        let task = Task {
            await signal.wait()
            isOver.open()
        }
        #expect(!isOver.isOpen)
        signal.send()
        await task.value
        #expect(isOver.isOpen)
    }

    /// Counts without a lock: only the signal orders what is read.
    private final class Tally: Sendable {
        let count = Atomic(0)
    }

    @Test("the task that waits for a signal sees what each of many threads did before it sent one")
    func signalsOfThreads() async {
        let (signal, tally) = (Signal(), Tally())
        let (threads, times) = (4, 5000)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<threads {
                group.addTask {
                    for _ in 0..<times {
                        tally.count.add(1, ordering: .relaxed)
                        signal.send()
                    }
                }
            }
            // Without the last signal, this would wait for ever.
            while tally.count.load(ordering: .relaxed) < threads * times { await signal.wait() }
        }
        #expect(tally.count.load(ordering: .relaxed) == threads * times)
    }

    @Test("waiting for a signal, a gate, a lock, a promise or a mailbox ends with the task")
    func cancellation() async {
        await Self.cancelled { await Signal().wait() }
        await Self.cancelled { await Gate().wait() }
        #expect(await Self.cancelled { await Promise<Int>().value(cancelled: 7) } == 7)
        #expect(await Self.cancelled { await Mailbox<[Int]>().next() } == nil)
        let lock = AsyncLock()
        await lock.lock()
        #expect(await Self.cancelled { await lock.enter() } == false)
        lock.leave()
        #expect(lock.isFree)
    }

    @discardableResult
    private static func cancelled<Result: Sendable>(
        _ job: @escaping @Sendable () async -> Result
    ) async -> Result {
        let task = Task { await job() }
        await Task.yield()
        task.cancel()
        return await task.value
    }

    @Test("a gate lets all current and later waiters pass")
    func gates() async {
        let gate = Gate()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 { group.addTask { await gate.wait() } }
            gate.open()
            await group.waitForAll()
        }
        await gate.wait()
        #expect(gate.isOpen)
    }

    @Test("a cancelled task still waits for a gate that it must pass")
    func gateRegardless() async {
        let (gate, other) = (Gate(), Gate())
        let task = Task {
            await gate.waitUncancelled()
            return other.isOpen
        }
        task.cancel()
        for _ in 0..<10 { await Task.yield() }
        other.open()
        gate.open()
        #expect(await task.value)
        await gate.waitUncancelled()
    }

    @MainActor
    @Test("a lock is passed on in the order of arrival, skipping cancelled tasks")
    func locks() async {
        let lock = AsyncLock()
        await lock.lock()
        var order: [Int] = []
        var standing = 0
        let tasks = (0..<5).map { number in
            Task { @MainActor in
                standing += 1
                guard await lock.enter() else { return }
                order.append(number)
                lock.leave()
            }
        }
        while standing < 5 { await Task.yield() }
        tasks[2].cancel()
        lock.leave()
        for task in tasks { await task.value }
        #expect(order == [0, 1, 3, 4])
        #expect(lock.isFree)
    }

    @Test("a cancelled task still gets a lock that it must have")
    func lockRegardless() async {
        let lock = AsyncLock()
        await lock.lock()
        let task = Task { await lock.lock() }
        task.cancel()
        await Task.yield()
        lock.leave()
        await task.value
        #expect(!lock.isFree)
    }

    @Test("a promise has its first value, whether the value or the task came first")
    func promises() async {
        let early = Promise<Int>()
        early.fulfil(1)
        early.fulfil(2)
        #expect(await early.value(cancelled: 0) == 1)
        let late = Promise<Int>()
        async let value = late.value(cancelled: 0)
        late.fulfil(3)
        #expect(await value == 3)
    }

    @Test("a mailbox joins values until they are taken, and returns the rest after its end")
    func mailboxes() async {
        let mailbox = Mailbox<[Int]>()
        mailbox.put { $0.append(1) }
        mailbox.put { $0.append(2) }
        #expect(await mailbox.next() == [1, 2])
        #expect(mailbox.takeWaiting() == nil)
        mailbox.put { $0.append(3) }
        mailbox.finish()
        mailbox.put { $0.append(4) }
        #expect(await mailbox.next() == [3])
        #expect(await mailbox.next() == nil)
    }

    @Test("nothing that many threads put into a mailbox is lost or duplicated")
    func mailboxUnderLoad() async {
        let mailbox = Mailbox<[Int]>()
        let taken = await withTaskGroup(of: [Int].self) { group in
            group.addTask {
                var all: [Int] = []
                while let batch = await mailbox.next() { all += batch }
                return all
            }
            await withTaskGroup(of: Void.self) { writers in
                for writer in 0..<8 {
                    writers.addTask { for number in 0..<500 { mailbox.put { $0.append(writer * 500 + number) } } }
                }
            }
            mailbox.finish()
            return await group.next() ?? []
        }
        #expect(taken.count == 4000)
        #expect(Set(taken).count == 4000)
        for writer in 0..<8 {
            let own = taken.filter { $0 / 500 == writer }
            #expect(own == own.sorted())
        }
    }

    @MainActor
    @Test(
        "work under a lock is done in the order in which it was asked for, as much at a time as the lock allows",
        arguments: [1, 3])
    func work(limit: Int) async {
        let lock = AsyncLock(limit: limit)
        var (begun, atWork, most): ([Int], Int, Int) = ([], 0, 0)
        let tasks = (0..<20).map { number in
            Task { @MainActor in
                await lock.withLock {
                    begun.append(number)
                    atWork += 1
                    most = max(most, atWork)
                    await Task.yield()
                    atWork -= 1
                }
            }
        }
        for task in tasks { await task.value }
        #expect(begun.sorted() == Array(0..<20))
        // Those that hold the lock at the same time may be started in any order.
        for (index, number) in begun.enumerated() { #expect(abs(number - index) < limit, "\(begun)") }
        #expect(most == limit)
        #expect(lock.isFree)
    }

    @Test("a broadcast wakes all that wait, and is not missed by those that look before they wait")
    func broadcasts() async {
        let changes = Broadcast()
        let before = changes.next
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                let next = changes.next
                group.addTask { await next.wait() }
            }
            changes.send()
            await group.waitForAll()
        }
        await before.wait()
        #expect(!changes.next.isOpen)
    }
}
