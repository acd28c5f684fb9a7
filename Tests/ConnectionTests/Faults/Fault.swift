import ServerFixtures

/// A fault between a client and its server.
struct Fault: Sendable, CustomStringConvertible {
    enum Kind: Sendable, Hashable {
        case network(NetworkFault)
        /// The process is killed (SIGKILL) and started again.
        case kill

        var name: String { if case .network(let fault) = self { fault.rawValue } else { "kill" } }
    }

    /// Which of the two clients it affects. The second one is never killed, so that its memory use can be observed.
    var victim: Int
    var kind: Kind
    /// The duration of lasting faults.
    var duration: Duration
    /// The number of bytes after which other faults occur.
    var bytes: Int
    /// How many messages must have arrived on each side before it occurs; 0 does not wait for the effects of the
    /// previous fault.
    var messagesBefore: Int

    var description: String { "\(kind.name) of client \(victim + 1), \(duration), \(bytes) bytes" }

    init(using generator: inout SeededGenerator) {
        victim = Int.random(in: 0...1, using: &generator)
        let kinds = NetworkFault.allCases.map { Kind.network($0) } + (victim == 0 ? [.kill] : [])
        kind = kinds[Int.random(in: 0..<kinds.count, using: &generator)]
        // Most are short; one in ten is longer than the keep-alive timeout of the clients.
        let isLong = Int.random(in: 0..<10, using: &generator) == 0
        duration = .milliseconds(Int.random(in: isLong ? 1000...2500 : 10...300, using: &generator))
        bytes = Int.random(in: 1...4000, using: &generator)
        messagesBefore = Int.random(in: 0..<3, using: &generator) == 0 ? 0 : Int.random(in: 1...8, using: &generator)
    }

    static func plan(seed: UInt64, count: Int) -> [Fault] {
        var generator = SeededGenerator(seed: seed)
        return (0..<count).map { _ in Fault(using: &generator) }
    }

    /// Causes the fault and returns when it is over; the network works again afterwards.
    func happen(to proxy: FaultProxy, _ client: PrivateProgram) async throws {
        switch kind {
        case .network(let fault): try await fault.happen(to: proxy, for: duration, number: bytes)
        case .kill:
            client.kill()
            try client.start()
        }
    }
}
