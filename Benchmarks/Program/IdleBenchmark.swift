import Glibc
import TransportLayer
import Waiting
import XMPPAddress
import XMPPClient
import XMPPStanzas

/// Holds sessions online.
///
/// - Parameter width: how many log in at the same time.
private func holdSessions(
    _ count: Int, named prefix: String, width: Int, server: BenchmarkServer, until end: Gate,
    online: @escaping @Sendable () -> Void
) async throws {
    let places = AsyncLock(limit: width)
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<count {
            var configuration = try server.configuration("juliet@capulet.example/\(prefix)\(number)")
            // Sessions of one process watch one network.
            configuration.networkMonitor = nil
            guard await places.enter() else { return }
            let client = Client(configuration)
            group.addTask {
                do {
                    try await client.run { _ in
                        places.leave()
                        online()
                        await end.wait()
                    }
                } catch {
                    print("failed: \(error)")
                    exit(1)
                }
            }
        }
        try await group.waitForAll()
    }
}

/// Counts sessions that are online.
private final class Count: Sendable {
    private let target: Int
    private let counted = Counter()
    let isReached = Gate()

    init(_ target: Int) { self.target = target }

    func add() { if counted.next() == target { isReached.open() } }
}

/// Measures the memory of idle sessions: how much more `sessions` need than one.
func measureIdle(server: BenchmarkServer, sessions: Int, width: Int) async throws {
    raiseFileLimit()
    let (end, warm, online) = (Gate(), Count(1), Count(sessions))
    async let first: Void = holdSessions(1, named: "first", width: 1, server: server, until: end) { warm.add() }
    await warm.isReached.wait()
    let before = anonymousMemory()
    async let others: Void = holdSessions(sessions, named: "r", width: width, server: server, until: end) {
        online.add()
    }
    await online.isReached.wait()
    // What the login leaves behind is over.
    try await Task.sleep(for: .seconds(1))
    let memory = anonymousMemory()
    let start = usedTime()
    // Swift's tasks keep a thread for five seconds after its last work; a task that waits would begin another one to count.
    let pause = 7.0
    let threads = await withCheckedContinuation { continuation in
        let loop = EventLoop.shared
        loop.execute {
            let end = ContinuousInstant.now.advanced(by: .seconds(pause))
            _ = loop.state.schedule(at: end) { continuation.resume(returning: threadCount()) }
        }
    }
    print(
        "idle \((memory - before) / Double(sessions)) KiB/session stanzas=\(sessions) process=\(memory / 1024)MiB "
            + "threads=\(threads) busy=\((usedTime() - start) / pause)")
    end.open()
    try await first
    try await others
}
