import TransportLayer
import Waiting
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
    func noticeSleep(_ now: ContinuousInstant) {
        if let awake = clock.awake?() { perform(machine.clocksRead(now: now, awake: awake)) }
    }

    /// Sets the timer to the next deadline, unless it is set to an earlier time already: one deadline after the other, because
    /// usually there is only one.
    func rearm() {
        if let deadline = stream?.nextDeadline ?? nil { arm(deadline) }
        if let deadline = requests.nextDeadline { arm(deadline) }
        if let deadline = machine.nextDeadline { arm(deadline) }
    }

    private func arm(_ deadline: ContinuousInstant) {
        guard timer.isDue(before: deadline) else { return }
        // The timer has the session until it is stopped at the end. A weak reference would make each other one more expensive.
        timer.set(to: deadline, of: clock, on: loop) { number in
            self.onLoop { $0.timePassed(number) }
        }
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
