import Foundation
import Glibc

/// The thread of a `FaultProxy`: one `poll` over all its sockets; no other thread uses them.
///
/// Unchecked: after `init` only the thread that calls `run` uses it.
final class FaultProxyLoop: @unchecked Sendable {
    private let port: UInt16
    private var target: UInt16
    private let shared: FaultProxy.SharedState
    private var settings = FaultProxy.Settings()
    /// -1 while connections are refused or ignored.
    private var listener: Int32
    /// A listener with a full backlog, so that the system answers no further client; -1 unless connections are ignored.
    private var fullListener: Int32 = -1
    /// The connections that fill the backlog.
    private var fillers: [Int32] = []
    private var relays: [FaultRelay] = []
    private var stopInstruction: FaultProxy.Instruction?

    init(port: UInt16, target: UInt16, shared: FaultProxy.SharedState) throws(FixtureError) {
        self.port = port
        self.target = target
        self.shared = shared
        listener = try Self.listen(port: port)
    }

    func run() {
        while stopInstruction == nil {
            var entries = [pollfd(fd: shared.wakeDescriptor, events: Int16(POLLIN), revents: 0)]
            entries.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))  // poll skips an fd of -1
            let now = ContinuousClock.now
            for relay in relays { entries += relay.interests(settings, now: now) }
            let next = relays.compactMap { $0.nextDelivery(after: now) }.min()
            poll(&entries, nfds_t(entries.count), milliseconds(until: next, now: now))
            // Traffic is processed before commands: bytes that arrived before a command belong to the time before it.
            moveTraffic()
            if entries[1].revents != 0 { acceptClients() }
            if entries[0].revents != 0 { executeInstructions() }
        }
        for relay in relays { relay.reset() }
        if listener >= 0 { close(listener) }
        stopIgnoring()
        shared.contents.withLock { contents in
            contents.counters.open = 0
            contents.stopped = true
            for instruction in contents.instructions { instruction.done.signal() }
            contents.instructions = []
        }
        stopInstruction?.done.signal()
    }

    private func milliseconds(until instant: ContinuousClock.Instant?, now: ContinuousClock.Instant) -> Int32 {
        guard let instant else { return -1 }
        return Int32(clamping: Int((instant - now) / .milliseconds(1)) + 1)
    }

    private func moveTraffic() {
        guard !relays.isEmpty else { return }
        let now = ContinuousClock.now
        // Under the lock, so that the counters include everything that was delivered.
        shared.contents.withLock { contents in
            for relay in relays {
                let movement = relay.move(settings, now: now)
                contents.counters.upstreamBytes += movement.upstream
                contents.counters.downstreamBytes += movement.downstream
                contents.counters.roundTrips += movement.roundTrips
            }
            relays.removeAll { $0.isClosed }
            contents.counters.open = relays.count
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
            shared.contents.withLock { contents in
                contents.counters.accepted += 1
                contents.counters.open = open
            }
        }
    }

    private func executeInstructions() {
        for instruction in shared.takeInstructions() {
            switch instruction.kind {
            case .configure(let settings): apply(settings)
            case .forward(let target): self.target = target
            case .reset: for relay in relays { relay.reset() }
            case .endTowardsClients: for relay in relays { relay.endTowardsClient() }
            case .endTowardsServer: for relay in relays { relay.endTowardsServer() }
            case .stop:
                stopInstruction = instruction
                continue
            }
            moveTraffic()
            instruction.done.signal()
        }
    }

    private func apply(_ new: FaultProxy.Settings) {
        let limits = (settings.resetsAfterUpstreamBytes, settings.resetsAfterDownstreamBytes)
        settings = new
        if limits != (new.resetsAfterUpstreamBytes, new.resetsAfterDownstreamBytes) {
            for relay in relays { relay.resetCount() }
        }
        if new.acceptance != .ignore { stopIgnoring() }
        switch new.acceptance {
        case .forward:
            for relay in relays where !relay.isConnected { relay.connect(to: target) }
            openListener()
        case .hang:
            openListener()
        case .refuse:
            closeListener()
        case .ignore:
            closeListener()
            startIgnoring()
        }
    }

    private func closeListener() {
        if listener >= 0 { close(listener) }
        listener = -1
    }

    /// Linux drops the SYN of a client if the backlog is full.
    private func startIgnoring() {
        guard fullListener < 0 else { return }
        do throws(FixtureError) {
            fullListener = try Self.listen(port: port, backlog: 0)
            // If another client fills the backlog first, the filler must not block.
            let filler = try LoopbackSocket.make(nonBlocking: true)
            guard LoopbackSocket.connect(filler, port: port) else { throw .system("Cannot fill", errno: errno) }
            fillers.append(filler)
        } catch {
            preconditionFailure("The port that this proxy has claimed cannot be used: \(error)")
        }
    }

    private func stopIgnoring() {
        for descriptor in fillers + [fullListener] where descriptor >= 0 { close(descriptor) }
        fillers = []
        fullListener = -1
    }

    /// A program that is being started has copies of all sockets until it executes, and with one of them the port.
    private static func listen(port: UInt16, backlog: Int32 = 64) throws(FixtureError) -> Int32 {
        var descriptor: Int32?
        var failure: FixtureError?
        _ = try poll(for: .seconds(60)) { () throws(FixtureError) in
            do throws(FixtureError) {
                descriptor = try LoopbackSocket.listen(port: port, nonBlocking: true, backlog: backlog)
                return true
            } catch {
                failure = error
                return false
            }
        }
        guard let descriptor else { throw failure ?? .system("Cannot listen", errno: EADDRINUSE) }
        return descriptor
    }

    private func openListener() {
        guard listener < 0 else { return }
        do throws(FixtureError) {
            listener = try Self.listen(port: port)
        } catch {
            preconditionFailure("The port that this proxy has claimed was taken: \(error)")
        }
    }
}
