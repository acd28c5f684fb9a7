import GTKBinding
import Glibc
import Testing
import WindowFixtures

extension GTKTests {
    @MainActor
    @Suite("The watchdog of the main loop")
    struct WatchdogTests {
        init() throws { try #require(Toolkit.isReady) }

        /// Uses the processor for a number of seconds of processor time.
        private static func work(_ seconds: Double) {
            let end = clock() + clock_t(seconds * Double(CLOCKS_PER_SEC))
            while clock() < end {}
        }

        @Test("the longest iteration is measured in CPU time; waiting takes none")
        func longest() async {
            let watchdog = MainLoopWatchdog()
            await Toolkit.settle()
            watchdog.reset()
            #expect(watchdog.longest.processor == .zero && watchdog.count == 0)
            var isDone = false
            MainLoop.schedule {
                Self.work(0.2)
                isDone = true
            }
            #expect(await Toolkit.eventually { isDone })
            await Toolkit.settle()
            // Other threads of the process may have used a part of the measured time.
            #expect(watchdog.longest.processor > .milliseconds(20))
            #expect(watchdog.longest.wall >= watchdog.longest.processor / 2)
            #expect(watchdog.count > 0)
            watchdog.reset()
            #expect(watchdog.longest.processor == .zero && watchdog.count == 0)
        }

        @Test("without a watchdog the loop runs as before, and a new one measures again")
        func end() async {
            var watchdog: MainLoopWatchdog? = MainLoopWatchdog()
            weak let witness = watchdog
            watchdog = nil
            #expect(witness == nil)
            var isDone = false
            MainLoop.schedule { isDone = true }
            #expect(await Toolkit.eventually { isDone })
            let second = MainLoopWatchdog()
            await Toolkit.settle()
            var isDoneAgain = false
            MainLoop.schedule { isDoneAgain = true }
            #expect(await Toolkit.eventually { isDoneAgain })
            await Toolkit.settle()
            #expect(second.count > 0)
        }
    }
}
