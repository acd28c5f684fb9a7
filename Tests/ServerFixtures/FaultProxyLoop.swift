import Foundation
import Glibc

/// The thread of a `FaultProxy`: one `poll` over all its sockets; nothing else touches them.
///
/// Sendable without a check: after `init` it is used by the thread that calls `run` alone.
final class FaultProxyLoop: @unchecked Sendable {
    private let port: UInt16
    private let target: UInt16
    private let desk: FaultProxy.Desk
    private var settings = FaultProxy.Settings()
    /// -1 while connections are refused.
    private var listener: Int32
    private var relays: [FaultRelay] = []
    private var stopOrder: FaultProxy.Order?

    init(port: UInt16, target: UInt16, desk: FaultProxy.Desk) throws(FixtureError) {
        self.port = port
        self.target = target
        self.desk = desk
        listener = try LoopbackSocket.listen(port: port, nonBlocking: true)
    }

    func run() {
        while stopOrder == nil {
            var entries = [pollfd(fd: desk.bell, events: Int16(POLLIN), revents: 0)]
            entries.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))  // poll skips an fd of -1
            let now = ContinuousClock.now
            for relay in relays { entries += relay.interests(settings, now: now) }
            let next = relays.compactMap { $0.nextDelivery(after: now) }.min()
            poll(&entries, nfds_t(entries.count), milliseconds(until: next, now: now))
            // First traffic, then orders: what was on the wire when the order was given belongs to the time before.
            moveTraffic()
            if entries[1].revents != 0 { acceptClients() }
            if entries[0].revents != 0 { carryOutOrders() }
        }
        for relay in relays { relay.reset() }
        if listener >= 0 { close(listener) }
        desk.contents.withLock { contents in
            contents.counters.open = 0
            contents.stopped = true
            for order in contents.orders { order.done.signal() }
            contents.orders = []
        }
        stopOrder?.done.signal()
    }

    private func milliseconds(until instant: ContinuousClock.Instant?, now: ContinuousClock.Instant) -> Int32 {
        guard let instant else { return -1 }
        return Int32(clamping: Int((instant - now) / .milliseconds(1)) + 1)
    }

    private func moveTraffic() {
        guard !relays.isEmpty else { return }
        let now = ContinuousClock.now
        var upstream = 0
        var downstream = 0
        for relay in relays {
            let moved = relay.move(settings, now: now)
            upstream += moved.upstream
            downstream += moved.downstream
        }
        relays.removeAll { $0.isClosed }
        let open = relays.count
        desk.contents.withLock { contents in
            contents.counters.upstreamBytes += upstream
            contents.counters.downstreamBytes += downstream
            contents.counters.open = open
        }
    }

    private func acceptClients() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { return }
            LoopbackSocket.makeNonBlocking(client)
            let relay = FaultRelay(client: client)
            if settings.acceptance == .forward { relay.connect(to: target) }
            relays.append(relay)
            let open = relays.count
            desk.contents.withLock { contents in
                contents.counters.accepted += 1
                contents.counters.open = open
            }
        }
    }

    private func carryOutOrders() {
        for order in desk.takeOrders() {
            switch order.kind {
            case .configure(let settings): apply(settings)
            case .reset: for relay in relays { relay.reset() }
            case .endTowardsClients: for relay in relays { relay.endTowardsClient() }
            case .endTowardsServer: for relay in relays { relay.endTowardsServer() }
            case .stop:
                stopOrder = order
                continue
            }
            moveTraffic()
            order.done.signal()
        }
    }

    private func apply(_ new: FaultProxy.Settings) {
        settings = new
        switch new.acceptance {
        case .forward:
            for relay in relays where !relay.isConnected { relay.connect(to: target) }
            openListener()
        case .hang:
            openListener()
        case .refuse:
            if listener >= 0 { close(listener) }
            listener = -1
        }
    }

    private func openListener() {
        guard listener < 0 else { return }
        do throws(FixtureError) {
            listener = try LoopbackSocket.listen(port: port, nonBlocking: true)
        } catch {
            preconditionFailure("The port that this proxy has claimed was taken: \(error)")
        }
    }
}
