/// Connects to the addresses of one host, alternating between the address families, each with a short head start before
/// the next (RFC 8305 "Happy Eyeballs").
struct AddressRace {
    struct Failure: Sendable {
        var address: SocketAddress
        var error: TransportError
    }

    private enum Event: Sendable {
        case connected(SocketTransport)
        case failed(Failure)
        case headStartOver(Int)
    }

    let addresses: [SocketAddress]
    let delay: Duration
    let deadline: ContinuousClock.Instant
    let limits: TransportLimits
    let loop: EventLoop

    /// The first established connection, and the earlier failures. Without either, the task was cancelled.
    func run() async -> (SocketTransport?, [Failure]) {
        let order = Self.interleaved(addresses)
        return await withTaskGroup(of: Event.self) { group in
            var next = 0
            var running = 0
            var failures: [Failure] = []
            func start() {
                guard next < order.count else { return }
                let address = order[next]
                next += 1
                running += 1
                let number = next
                group.addTask { await attempt(address) }
                if next < order.count {
                    group.addTask {
                        await EventLoop.shared.sleep(for: delay)
                        return .headStartOver(number)
                    }
                }
            }
            start()
            while running > 0, let event = await group.next() {
                switch event {
                case .connected(let transport):
                    group.cancelAll()
                    // Other attempts may have connected at the same moment.
                    for await case .connected(let late) in group { late.abort() }
                    return (transport, failures)
                case .failed(let failure):
                    running -= 1
                    failures.append(failure)
                    start()
                case .headStartOver(let number): if number == next && !Task.isCancelled { start() }
                }
            }
            group.cancelAll()
            return (nil, failures)
        }
    }

    private func attempt(_ address: SocketAddress) async -> Event {
        let remaining = max(.milliseconds(1), ContinuousClock.now.duration(to: deadline))
        do throws(TransportError) {
            return .connected(
                try await SocketTransport.connect(to: address, timeout: remaining, limits: limits, loop: loop))
        } catch {
            return .failed(Failure(address: address, error: error))
        }
    }

    /// The given order, but with alternating families (RFC 8305 §4).
    static func interleaved(_ addresses: [SocketAddress]) -> [SocketAddress] {
        guard let first = addresses.first else { return [] }
        var preferred = addresses.filter { $0.isIPv6 == first.isIPv6 }[...]
        var others = addresses.filter { $0.isIPv6 != first.isIPv6 }[...]
        var result: [SocketAddress] = []
        while !preferred.isEmpty || !others.isEmpty {
            if let address = preferred.popFirst() { result.append(address) }
            if let address = others.popFirst() { result.append(address) }
        }
        return result
    }
}
