#if compiler(>=6.3) && compiler(<6.4)
    import Foundation
    import Testing

    @testable import Executors

    /// Tasks that prefer the executor of ``QuietExecutor``: the process of the tests keeps Swift's own for the others.
    @Suite("The executor of a program that is open all day", .serialized, .timeLimit(.minutes(2)))
    struct QuietExecutorTests {
        private let executor = PoolExecutor.shared

        private actor Counter {
            var count = 0

            func add() { count += 1 }
        }

        private actor Order {
            var numbers: [Int] = []

            func add(_ number: Int) { numbers.append(number) }
        }

        @Test("Everything that is asked for is done, once")
        func everything() async {
            let counter = Counter()
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<10_000 {
                    group.addTask(executorPreference: executor) {
                        await counter.add()
                        await Task.yield()
                        await counter.add()
                    }
                }
            }
            #expect(await counter.count == 20_000)
        }

        @Test("Who sleeps wakes in the order of the times, and never before it", arguments: [true, false])
        func sleeping(isContinuous: Bool) async {
            let woken = Order()
            // So far apart that a busy machine does not mix them up.
            let step = 60
            await withTaskGroup(of: Void.self) { group in
                for number in [3, 1, 4, 0, 2] {
                    group.addTask(executorPreference: executor) {
                        let start = ContinuousClock.now
                        let time = Duration.milliseconds(number * step)
                        if isContinuous {
                            try? await Task.sleep(for: time, clock: .continuous)
                        } else {
                            try? await Task.sleep(for: time, clock: .suspending)
                        }
                        #expect(ContinuousClock.now - start >= time)
                        await woken.add(number)
                    }
                }
            }
            #expect(await woken.numbers == [0, 1, 2, 3, 4])
        }

        @Test("Who is cancelled does not sleep on")
        func cancelling() async {
            let start = ContinuousClock.now
            let task = Task(executorPreference: executor) { try await Task.sleep(for: .seconds(600)) }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(ContinuousClock.now - start < .seconds(300))
        }

        @Test("When all are awake the kernel's timer is not set")
        func rest() async throws {
            // Nobody else uses this clock, and nobody who was cancelled leaves something on it.
            let timer = executor.suspending
            #expect(try !isSet(timer))
            let task = Task(executorPreference: executor) {
                try await Task.sleep(for: .milliseconds(300), clock: .suspending)
            }
            while try !isSet(timer) { await Task.yield() }
            try await task.value
            #expect(try !isSet(timer))
        }

        /// What the kernel says about it (proc_pid_fdinfo(5)).
        private func isSet(_ timer: JobTimer) throws -> Bool {
            let facts = try String(contentsOfFile: "/proc/self/fdinfo/\(timer.descriptor)", encoding: .utf8)
            #expect(facts.contains("it_value: "))
            return !facts.contains("it_value: (0, 0)")
        }
    }
#endif
