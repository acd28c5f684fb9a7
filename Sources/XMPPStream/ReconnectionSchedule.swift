public import XMPPStanzas

/// Decides when an account connects and reconnects, without a clock, a network or randomness of its own.
///
/// The owner reports what happened and does what is answered. There is one attempt at a time: the next one is asked for
/// only after the end of the stream before it was reported.
///
///     var schedule = ReconnectionSchedule(.standard)
///     perform(schedule.start(now: now))                                // .attempt(.usual)
///     perform(schedule.disconnected(end, now: now, chance: chance))    // .pause(until: …)
///     perform(schedule.deadlinePassed(now: now))                       // .attempt(.usual)
///     perform(schedule.established(now: now))
///     perform(schedule.networkChanged(isAvailable: true, now: now))    // .probe(within: …)
///
/// An event that means nothing where the schedule stands is answered with `.none`, and after `.giveUp` and `.finish`
/// every event is.
public struct ReconnectionSchedule: ~Copyable, Sendable {
    /// Where to connect.
    public enum Place: Hashable, Sendable {
        /// Where the settings or DNS say.
        case usual
        /// Where the server sent us with `<see-other-host/>` (RFC 6120 §4.9.3.19).
        case redirected(StreamError.Host)
        /// Where the server that keeps the session wants to be found (XEP-0198 §5, `location`).
        case keeper(StreamError.Host)
    }

    /// An action for the owner to perform.
    public enum Action: Equatable, Sendable {
        case none
        /// Connect now.
        case attempt(Place)
        /// Nothing before this time.
        case pause(until: ContinuousClock.Instant)
        /// Nothing until there is a network again.
        case awaitNetwork
        /// Ask the server whether the connection lives and end the stream if there is no answer in time.
        case probe(within: Duration)
        /// End the stream of the present attempt: it began on a network that has changed since, and hangs.
        case abandon
        /// It makes no sense, or was tried often enough. Final.
        case giveUp
        /// The owner wanted the end, and it has come. Final.
        case finish
    }

    /// How often in a row an old session may be given up for a new one, or a place that the server named be empty,
    /// without a pause.
    package static let detourLimit = 3
    /// How often in a row a server may send a client elsewhere (RFC 6120 §4.9.3.19 warns of loops). The first time it
    /// is followed at once, later ones after a pause, and after these the usual place is asked again.
    package static let redirectLimit = 3
    /// How often in a row the same violation of the protocol at the same place in the stream is taken for chance. After
    /// that it would come again with each connection; five attempts with growing pauses take half a minute.
    package static let repetitionLimit = 5
    /// How many attempts the network and awakenings can cause in a short time. An interface that comes and goes every
    /// second must not make a storm.
    package static let hurryLimit = 3
    /// After that one more in each such time.
    package static let hurryInterval = Duration.seconds(20)
    /// Even without a network there is an attempt now and then: the network monitor may be wrong, for instance
    /// about a server on the same machine.
    package static let mistrust = Duration.seconds(300)
    /// The maximum drift between the two clocks without sleep.
    package static let sleepThreshold = Duration.seconds(2)

    let policy: ReconnectionPolicy
    var record: Record
    var state = State.idle

    /// - Parameter usualHost: What ``Place/usual`` is, where it is known: a server that sends a client from there to there
    ///   is not followed at once.
    public init(_ policy: ReconnectionPolicy, usualHost: StreamError.Host? = nil) {
        self.policy = policy
        record = Record(usualHost: usualHost)
    }

    init(_ policy: ReconnectionPolicy, _ record: Record, _ state: consuming State) {
        self.policy = policy
        self.record = record
        self.state = state
    }
}

// MARK: - What the owner wants

extension ReconnectionSchedule {
    /// Begins.
    ///
    /// - Parameter location: The place that an earlier session named for its resumption.
    public mutating func start(location: String? = nil, now: ContinuousClock.Instant) -> Action {
        let (policy, record) = (policy, record)
        switch consume state {
        case .idle:
            let place = record.place(for: location)
            self = Self(policy, record, .connecting(Attempt(place)))
            return .attempt(place)
        case .connecting(let attempt): self = Self(policy, record, .connecting(attempt))
        case .online(let online): self = Self(policy, record, .online(online))
        case .paused(let pause): self = Self(policy, record, .paused(pause))
        case .awaitingNetwork(let pause): self = Self(policy, record, .awaitingNetwork(pause))
        case .closing: self = Self(policy, record, .closing)
        case .finished: self = Self(policy, record, .finished)
        }
        return .none
    }

    /// A person does not want to wait: connects at once, or asks a connection that seems to live for a sign of it.
    public mutating func connectNow(now: ContinuousClock.Instant) -> Action {
        let (policy, record) = (policy, record)
        switch consume state {
        case .idle:
            self = Self(policy, record, .connecting(Attempt(.usual)))
            return .attempt(.usual)
        case .online(var online):
            let action = online.probe(policy, now)
            self = Self(policy, record, .online(online))
            return action
        case .paused(let pause):
            self = Self(policy, record, .connecting(Attempt(pause.place, isExtra: true)))
            return .attempt(pause.place)
        case .awaitingNetwork(let pause):
            self = Self(policy, record, .connecting(Attempt(pause.place, isExtra: true)))
            return .attempt(pause.place)
        case .connecting(let attempt): self = Self(policy, record, .connecting(attempt))
        case .closing: self = Self(policy, record, .closing)
        case .finished: self = Self(policy, record, .finished)
        }
        return .none
    }

    /// The owner wants the end. It closes the stream, if there is one, and reports its end as always.
    public mutating func close() -> Action {
        let (policy, record) = (policy, record)
        switch consume state {
        case .connecting: self = Self(policy, record, .closing)
        case .online: self = Self(policy, record, .closing)
        case .closing: self = Self(policy, record, .closing)
        case .finished: self = Self(policy, record, .finished)
        case .idle:
            self = Self(policy, record, .finished)
            return .finish
        case .paused:
            self = Self(policy, record, .finished)
            return .finish
        case .awaitingNetwork:
            self = Self(policy, record, .finished)
            return .finish
        }
        return .none
    }
}

// MARK: - What happened

extension ReconnectionSchedule {
    /// Stanzas flow.
    public mutating func established(now: ContinuousClock.Instant) {
        let policy = policy
        var record = record
        switch consume state {
        case .connecting(let attempt):
            record.wasOnline = true
            record.deadLocation = nil
            self = Self(policy, record, .online(Online(at: attempt.place, since: now)))
        case .idle: self = Self(policy, record, .idle)
        case .online(let online): self = Self(policy, record, .online(online))
        case .paused(let pause): self = Self(policy, record, .paused(pause))
        case .awaitingNetwork(let pause): self = Self(policy, record, .awaitingNetwork(pause))
        case .closing: self = Self(policy, record, .closing)
        case .finished: self = Self(policy, record, .finished)
        }
    }

    /// The stream is over, whether stanzas had flowed or not.
    ///
    /// - Parameter chance: between 0 and 1, drawn again each time.
    public mutating func disconnected(
        _ end: StreamEnd, now: ContinuousClock.Instant, chance: Double
    ) -> Action {
        let policy = policy
        var record = record
        switch consume state {
        case .connecting(let attempt):
            if case .keeper(let host) = attempt.place { record.deadLocation = host }
            let (next, action) = record.next(after: end, of: attempt, policy, now: now, chance: chance)
            self = Self(policy, record, State(next))
            return action
        case .online(let online):
            if online.since.duration(to: now) >= policy.recovery { record.recovered() }
            let attempt = Attempt(online.place, isOvertaken: online.isSuspect(now), hasFlowed: true)
            let (next, action) = record.next(after: end, of: attempt, policy, now: now, chance: chance)
            self = Self(policy, record, State(next))
            return action
        case .closing:
            self = Self(policy, record, .finished)
            return .finish
        case .idle: self = Self(policy, record, .idle)
        case .paused(let pause): self = Self(policy, record, .paused(pause))
        case .awaitingNetwork(let pause): self = Self(policy, record, .awaitingNetwork(pause))
        case .finished: self = Self(policy, record, .finished)
        }
        return .none
    }

    /// Time has passed. A call before ``nextDeadline`` does nothing.
    public mutating func deadlinePassed(now: ContinuousClock.Instant) -> Action {
        guard let nextDeadline, nextDeadline <= now else { return .none }
        let (policy, record) = (policy, record)
        switch consume state {
        case .connecting(var attempt):
            attempt.abandonAt = nil
            attempt.isAbandoned = true
            self = Self(policy, record, .connecting(attempt))
            return .abandon
        case .paused(let pause):
            self = Self(policy, record, .connecting(Attempt(pause.place)))
            return .attempt(pause.place)
        case .awaitingNetwork(let pause):
            self = Self(policy, record, .connecting(Attempt(pause.place, isExtra: true)))
            return .attempt(pause.place)
        case .idle: self = Self(policy, record, .idle)
        case .online(let online): self = Self(policy, record, .online(online))
        case .closing: self = Self(policy, record, .closing)
        case .finished: self = Self(policy, record, .finished)
        }
        return .none
    }

    /// There is another network now, or none.
    public mutating func networkChanged(isAvailable: Bool, now: ContinuousClock.Instant) -> Action {
        record.isNetworkAvailable = isAvailable
        if isAvailable { return hurry(now: now) }
        let (policy, record) = (policy, record)
        switch consume state {
        case .paused(var pause):
            pause.until = now.advanced(by: Self.mistrust)
            self = Self(policy, record, .awaitingNetwork(pause))
            return .awaitNetwork
        case .idle: self = Self(policy, record, .idle)
        case .connecting(let attempt): self = Self(policy, record, .connecting(attempt))
        // It may come back before anything was lost.
        case .online(let online): self = Self(policy, record, .online(online))
        case .awaitingNetwork(let pause): self = Self(policy, record, .awaitingNetwork(pause))
        case .closing: self = Self(policy, record, .closing)
        case .finished: self = Self(policy, record, .finished)
        }
        return .none
    }

    /// Compares two clocks of which one stands still while the machine sleeps. If it slept, what was true of the
    /// connection need not be true any more.
    public mutating func clocksRead(
        now: ContinuousClock.Instant, awake: SuspendingClock.Instant
    ) -> Action {
        let last = record.clocks
        record.clocks = (now, awake)
        guard let last else { return .none }
        let slept = last.now.duration(to: now) - last.awake.duration(to: awake)
        guard slept > Self.sleepThreshold, record.isNetworkAvailable else { return .none }
        return hurry(now: now)
    }

    /// The world has changed: what waits need not wait, and what seems to live has to prove it.
    private mutating func hurry(now: ContinuousClock.Instant) -> Action {
        let policy = policy
        var record = record
        switch consume state {
        case .connecting(var attempt):
            if attempt.abandonAt == nil, !attempt.isAbandoned, record.mayHurry(now) {
                attempt.abandonAt = now.advanced(by: policy.probeTimeout)
            }
            self = Self(policy, record, .connecting(attempt))
        case .online(var online):
            let action = online.probe(policy, now)
            self = Self(policy, record, .online(online))
            return action
        case .paused(let pause):
            guard record.mayHurry(now) else {
                self = Self(policy, record, .paused(pause))
                return .none
            }
            self = Self(policy, record, .connecting(Attempt(pause.place, isExtra: true)))
            return .attempt(pause.place)
        case .awaitingNetwork(var pause):
            guard record.mayHurry(now) else {
                pause.until = now.advanced(by: policy.backoff.pause(after: record.failures))
                self = Self(policy, record, .paused(pause))
                return .pause(until: pause.until)
            }
            self = Self(policy, record, .connecting(Attempt(pause.place, isExtra: true)))
            return .attempt(pause.place)
        case .idle: self = Self(policy, record, .idle)
        case .closing: self = Self(policy, record, .closing)
        case .finished: self = Self(policy, record, .finished)
        }
        return .none
    }
}

// MARK: - What can be read

extension ReconnectionSchedule {
    /// When ``deadlinePassed(now:)`` wants to be called; it changes with any event.
    public var nextDeadline: ContinuousClock.Instant? {
        switch state {
        case .connecting(let attempt): attempt.abandonAt
        case .paused(let pause): pause.until
        case .awaitingNetwork(let pause): pause.until
        case .idle: nil
        case .online: nil
        case .closing: nil
        case .finished: nil
        }
    }

    /// The time of the next attempt, where one has its time.
    public var nextAttempt: ContinuousClock.Instant? {
        switch state {
        case .paused(let pause): pause.until
        case .idle: nil
        case .connecting: nil
        case .online: nil
        case .awaitingNetwork: nil
        case .closing: nil
        case .finished: nil
        }
    }
}
