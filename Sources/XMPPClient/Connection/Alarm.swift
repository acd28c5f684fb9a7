/// Sleeps until an instant that may be moved forward while it sleeps.
struct Alarm: Sendable {
    private let bell = Doorbell()

    /// Ends the sleep early, because there is a nearer instant now.
    func ring() { bell.ring() }

    /// Returns at the instant, at a ring or when the task is cancelled; without an instant only at a ring.
    func sleep(until instant: ContinuousClock.Instant?, clock: SessionClock) async {
        guard let instant else { return await bell.wait() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await clock.sleep(instant) }
            group.addTask { await bell.wait() }
            await group.next()
            group.cancelAll()
        }
    }
}
