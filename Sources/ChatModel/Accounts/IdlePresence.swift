public import ChatStore

/// Decides when a user who does nothing counts as away. It has no clock: each call says what time it is.
public struct IdleWatch: Sendable, Hashable {
    private var lastInput: MessageTime
    /// The time of the last input, once it is too long ago; `nil` while the user is active.
    public private(set) var idleSince: MessageTime?

    public init(now: MessageTime) { lastInput = now }

    /// The user did something.
    ///
    /// - Returns: whether the user was idle until now.
    public mutating func inputHappened(now: MessageTime) -> Bool {
        lastInput = now
        defer { idleSince = nil }
        return idleSince != nil
    }

    /// Time has passed, or the limit has changed.
    ///
    /// - Parameter minutes: how long the user may do nothing; 0 for any time.
    /// - Returns: when to call this again; `nil` if only input changes something.
    public mutating func timePassed(now: MessageTime, minutes: Int) -> Duration? {
        guard minutes > 0, idleSince == nil else { return nil }
        // The clock was set back: the time before is unknown.
        if now < lastInput { lastInput = now }
        let passed = now.millisecondsSince1970 - lastInput.millisecondsSince1970
        let limit = Int64(minutes) * 60_000
        guard passed >= limit else { return .milliseconds(limit - passed) }
        idleSince = lastInput
        return nil
    }
}

/// Shows the user as away after some minutes without input (XEP-0319), and as before at the next input.
///
///     let idling = IdlePresence(environment: environment, minutes: { preferences.values.minutesUntilAway }) { since in
///         await account.setPresence(presence.idle(since: since))
///     }
///     idling.inputHappened()                      // at the start, and with each key
@MainActor
public final class IdlePresence {
    private let environment: ModelEnvironment
    private let minutes: @MainActor () -> Int
    private let show: @MainActor (MessageTime?) async -> Void
    private var watch: IdleWatch
    /// Waits for the moment when the user counts as away; `nil` if that cannot come without input.
    private var waiting: Task<Void, Never>?
    /// Shows one change after the other.
    private var showing: Task<Void, Never>?

    /// - Parameters:
    ///   - minutes: how long the user may do nothing; 0 for any time.
    ///   - show: shows since when the user is idle, or `nil` for an active one.
    public init(
        environment: ModelEnvironment, minutes: @escaping @MainActor () -> Int,
        show: @escaping @MainActor (MessageTime?) async -> Void
    ) {
        self.environment = environment
        self.minutes = minutes
        self.show = show
        watch = IdleWatch(now: environment.now())
    }

    isolated deinit { waiting?.cancel() }

    /// The user did something in the program.
    public func inputHappened() {
        if watch.inputHappened(now: environment.now()) { tell() }
        // A task that waits looks again when its time has come, so that a key costs nothing.
        if waiting == nil { wait() }
    }

    /// Ends the watch; the presence stays as it is.
    public func stop() {
        waiting?.cancel()
        waiting = nil
    }

    private func wait() {
        guard let delay = watch.timePassed(now: environment.now(), minutes: minutes()) else { return }
        let clock = environment.clock
        waiting = Task { [weak self] in
            guard (try? await clock.sleep(for: delay)) != nil else { return }
            self?.looked()
        }
    }

    private func looked() {
        waiting = nil
        let wasIdle = watch.idleSince != nil
        wait()
        if watch.idleSince != nil, !wasIdle { tell() }
    }

    private func tell() {
        let (before, since) = (showing, watch.idleSince)
        showing = Task { [show] in
            await before?.value
            await show(since)
        }
    }
}
