public import Waiting
public import XMPPStanzas

/// Decides when an account connects and reconnects, without a clock, a network or randomness of its own.
///
/// The owner reports events and performs the returned actions. There is one attempt at a time: the next one is
/// requested only after the end of the previous stream was reported.
///
///     var schedule = ReconnectionSchedule(.standard)
///     perform(schedule.start(now: now))                                // .attempt(.usual)
///     perform(schedule.disconnected(end, now: now, jitterFraction: jitterFraction))    // .pause(until: …)
///     perform(schedule.deadlinePassed(now: now))                       // .attempt(.usual)
///     perform(schedule.established(now: now))
///     perform(schedule.networkChanged(isAvailable: true, now: now))    // .probe(within: …)
///
/// An event that does not apply in the current state returns `.none`, and so does every event after `.giveUp` and
/// `.finish`.
public struct ReconnectionSchedule: ~Copyable, Sendable {
    /// Where to connect.
    public enum Place: Hashable, Sendable {
        /// The host of the settings or of DNS.
        case usual
        /// The host to which the server redirected us with `<see-other-host/>` (RFC 6120 §4.9.3.19).
        case redirected(StreamError.Host)
        /// The host that the server named for the resumption (XEP-0198 §5, `location`).
        case keeper(StreamError.Host)
    }

    /// An action for the owner to perform.
    public enum Action: Equatable, Sendable {
        case none
        /// Connect now.
        case attempt(Place)
        /// Do nothing before this time.
        case pause(until: ContinuousInstant)
        /// Do nothing until the network is available.
        case awaitNetwork
        /// Check the connection, and end the stream if there is no response in time.
        case probe(within: Duration)
        /// End the stream of the current attempt: it was started on a network that has changed since, and hangs.
        case abandon
        /// Further attempts are useless, or there were enough. Final.
        case giveUp
        /// The end that the owner requested. Final.
        case finish
    }

    /// The maximum number of consecutive times that an old session is replaced by a new one, or that a place named by
    /// the server does not respond, without backoff.
    package static let detourLimit = 3
    /// The maximum number of consecutive redirections (RFC 6120 §4.9.3.19 warns of loops). The first one is followed at
    /// once, later ones after the backoff, and after the last the usual place is tried again.
    package static let redirectLimit = 3
    /// The number of times that the same violation of the protocol at the same position in the stream counts as
    /// accidental. After that it would probably repeat with each connection; five attempts with growing backoff take
    /// half a minute.
    package static let repetitionLimit = 5
    /// The number of attempts that the network and waking up can cause in a short time. An interface that changes every
    /// second must not cause a flood of attempts.
    package static let hurryLimit = 3
    /// The interval after which one more is allowed.
    package static let hurryInterval = Duration.seconds(20)
    /// The interval of attempts without a network: the network monitor may be wrong, for instance about a server on the
    /// same machine.
    package static let mistrust = Duration.seconds(300)
    /// The maximum drift between the two clocks without sleep.
    package static let sleepThreshold = Duration.seconds(2)

    let policy: ReconnectionPolicy
    var record: Record
    var state = State.idle

    /// - Parameter usualHost: The host of ``Place/usual``, if it is known: a redirection from there to there is not
    ///   followed at once.
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

// MARK: - Commands

extension ReconnectionSchedule {
    /// Starts the schedule.
    ///
    /// - Parameter location: The place that an earlier session named for its resumption.
    public mutating func start(location: String? = nil, now: ContinuousInstant) -> Action {
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

    /// The user does not want to wait: connects at once, or checks a connection that seems to be alive.
    public mutating func connectNow(now: ContinuousInstant) -> Action {
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

    /// The owner requests the end. It closes the stream, if there is one, and reports its end as usual.
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

// MARK: - Events

extension ReconnectionSchedule {
    /// The session is online.
    public mutating func established(now: ContinuousInstant) {
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

    /// The stream has ended, whether it was established or not.
    ///
    /// - Parameter jitterFraction: between 0 and 1, drawn again each time.
    public mutating func disconnected(
        _ end: StreamEnd, now: ContinuousInstant, jitterFraction: Double
    ) -> Action {
        let policy = policy
        var record = record
        switch consume state {
        case .connecting(let attempt):
            if case .keeper(let host) = attempt.place { record.deadLocation = host }
            let (next, action) = record.next(after: end, of: attempt, policy, now: now, jitterFraction: jitterFraction)
            self = Self(policy, record, State(next))
            return action
        case .online(let online):
            if online.since.duration(to: now) >= policy.recovery { record.recovered() }
            let attempt = Attempt(online.place, isOvertaken: online.isSuspect(now), hasFlowed: true)
            let (next, action) = record.next(after: end, of: attempt, policy, now: now, jitterFraction: jitterFraction)
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
    public mutating func deadlinePassed(now: ContinuousInstant) -> Action {
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

    /// The network changed or became unavailable.
    public mutating func networkChanged(isAvailable: Bool, now: ContinuousInstant) -> Action {
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
        // The network may come back before anything was lost.
        case .online(let online): self = Self(policy, record, .online(online))
        case .awaitingNetwork(let pause): self = Self(policy, record, .awaitingNetwork(pause))
        case .closing: self = Self(policy, record, .closing)
        case .finished: self = Self(policy, record, .finished)
        }
        return .none
    }

    /// Compares two clocks, of which one stops while the machine sleeps. After sleep, the connection may be dead.
    ///
    /// - Parameter awake: How long the machine was awake, from any beginning that is always the same.
    public mutating func clocksRead(now: ContinuousInstant, awake: Duration) -> Action {
        let last = record.clocks
        record.clocks = (now, awake)
        guard let last else { return .none }
        let slept = last.now.duration(to: now) - (awake - last.awake)
        guard slept > Self.sleepThreshold, record.isNetworkAvailable else { return .none }
        return hurry(now: now)
    }

    /// The network or the clock has changed: a pending attempt starts now, and a connection that seems to be alive is
    /// checked.
    private mutating func hurry(now: ContinuousInstant) -> Action {
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

// MARK: - Properties

extension ReconnectionSchedule {
    /// When to call ``deadlinePassed(now:)``; it can change with any event.
    public var nextDeadline: ContinuousInstant? {
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

    /// The time of the next attempt, if there is one.
    public var nextAttempt: ContinuousInstant? {
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
