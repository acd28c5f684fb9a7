import TransportLayer
import XMPPStream

// The network and the time.
extension Session {
    /// Reports changes of the network to the machines until the session ends.
    func watchNetwork(_ monitor: any NetworkMonitor) async {
        for await change in monitor.changes() {
            counted.wakeUps += 1
            switch change {
            case .unavailable: perform(machine.networkChanged(isAvailable: false, now: clock.now()))
            case .available, .changed:
                memory.keepAlivePace?.networkChanged()
                stream?.networkChanged()
                perform(machine.networkChanged(isAvailable: true, now: clock.now()))
            }
        }
    }

    /// Detects whether the computer has slept since the last time.
    func noticeSleep(_ now: ContinuousClock.Instant) {
        if let awake = clock.awake?() { perform(machine.clocksRead(now: now, awake: awake)) }
    }

    /// Sets the timer to the next deadline, unless it is set to an earlier time already.
    func rearm() {
        guard let next = nextDeadline, timer.isDue(before: next) else { return }
        timer.set(to: next, of: clock, on: loop) { [weak self] number in
            self?.onLoop { $0.timePassed(number) }
        }
    }

    private var nextDeadline: ContinuousClock.Instant? {
        earliest(earliest(stream?.nextDeadline ?? nil, requests.nextDeadline), machine.nextDeadline)
    }

    private func earliest(
        _ one: ContinuousClock.Instant?, _ other: ContinuousClock.Instant?
    ) -> ContinuousClock.Instant? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    /// Reports the time to the machines and the requests.
    private func timePassed(_ number: UInt64) {
        guard timer.passed(number) else { return }
        let now = clock.now()
        counted.wakeUps += 1
        noticeSleep(now)
        perform(stream?.timerFired(now: now))
        perform(machine.deadlinePassed(now: now))
        for reply in requests.deadlinePassed(now: now) {
            reply.fulfil(.failure(ClientError(.timedOut, "There was no answer in time.")))
        }
        rearm()
    }
}
