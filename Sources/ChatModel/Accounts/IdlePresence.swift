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

    /// The user did something at `time`, also in other programs. A time of the last seconds before the known one is the same
    /// input, measured less exactly.
    ///
    /// - Returns: whether the user was idle until now.
    public mutating func inputHappened(at time: MessageTime) -> Bool {
        guard time.millisecondsSince1970 > lastInput.millisecondsSince1970 + Self.tolerance else { return false }
        return inputHappened(now: time)
    }

    /// How much later, in milliseconds, a time must be to be that of another input.
    private static let tolerance: Int64 = 2000

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
    private let elsewhere: (@MainActor () async -> MessageTime?)?
    private let show: @MainActor (MessageTime?) async -> Void
    private var watch: IdleWatch
    /// Waits for the moment when the user counts as away; `nil` if that cannot come without input.
    private var waiting: Task<Void, Never>?
    /// The minutes when it looked last.
    private var limit: Int?
    /// Shows one change after the other.
    private var showing: Task<Void, Never>?

    /// How often it looks for input elsewhere while the user is idle: nothing reports it.
    private static let lookingInterval = Duration.seconds(30)

    /// - Parameters:
    ///   - minutes: how long the user may do nothing; 0 for any time.
    ///   - elsewhere: the time of the last input in any program, or `nil` where that is not known. It is asked before the user
    ///     counts as idle, and every half minute from then on.
    ///   - show: shows since when the user is idle, or `nil` for an active one.
    public init(
        environment: ModelEnvironment, minutes: @escaping @MainActor () -> Int,
        elsewhere: (@MainActor () async -> MessageTime?)? = nil,
        show: @escaping @MainActor (MessageTime?) async -> Void
    ) {
        self.environment = environment
        self.minutes = minutes
        self.elsewhere = elsewhere
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

    /// The number of minutes may be another one now. The same one changes nothing: a sleep that is cancelled occupies memory
    /// until it would have ended.
    public func limitChanged() {
        guard minutes() != limit else { return }
        waiting?.cancel()
        waiting = nil
        wait()
    }

    /// Ends the watch; the presence stays as it is.
    public func stop() {
        waiting?.cancel()
        waiting = nil
    }

    private func wait() {
        let (now, limit, wasIdle) = (environment.now(), minutes(), watch.idleSince != nil)
        self.limit = limit
        var delay = watch.timePassed(now: now, minutes: limit)
        if watch.idleSince != nil {
            if !wasIdle { tell() }
            if elsewhere != nil { delay = Self.lookingInterval }
        }
        guard let delay else { return }
        let clock = environment.clock
        waiting = Task { [weak self] in
            guard (try? await clock.sleep(for: delay)) != nil else { return }
            await self?.look()
        }
    }

    /// It is time: the user is idle, unless there was input meanwhile.
    private func look() async {
        let input = await elsewhere?()
        guard !Task.isCancelled else { return }
        waiting = nil
        if let input, watch.inputHappened(at: input) { tell() }
        wait()
    }

    private func tell() {
        let (before, since) = (showing, watch.idleSince)
        showing = Task { [show] in
            await before?.value
            await show(since)
        }
    }
}
