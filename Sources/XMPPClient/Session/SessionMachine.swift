import XMPPAddress
import XMPPStream

/// The life cycle of a session: when it connects, whether stanzas can be sent, and how it ends.
///
/// The owner reports events and performs the returned actions in order. The code that makes connections calls
/// ``nextStep()`` whenever an action is ``Action/proceed``.
///
///     perform(machine.begin(resuming: saved, now: now))           // .proceed
///     machine.nextStep()                                          // .connect(.usual)
///     perform(machine.established(session, now: now))             // .adopt, .lose, .connected, .show(.online), .start
///     perform(machine.streamEnded(end, now: now, jitter: jitter)) // …
///     perform(machine.connectionOver(resumption, now: now))       // .failed, .disconnected, .show(.offline)
struct SessionMachine: ~Copyable {
    enum Action: Equatable, Sendable {
        /// The result of ``nextStep()`` has changed.
        case proceed
        /// Check the connection, and end the stream if there is no response in time.
        case probe(within: Duration)
        /// End the stream: it was started on a network that has changed since, and hangs.
        case abandon
        /// Apply the negotiated settings.
        case adopt(StreamSession)
        /// Stanzas sent before can be neither answered nor acknowledged any more, except for those that wait for the
        /// next connection.
        case lose(ClientError)
        /// Report that the session is online.
        case connected(JID, isResumed: Bool)
        /// Send the stanzas that waited for the connection and start the extensions, after the stanzas that the stream
        /// resends, unless the stream has already ended.
        case start(isFirst: Bool)
        /// Report the failure of a stream.
        case failed(StreamFailure)
        /// Report that a connection has ended.
        case disconnected(ClientError?, retryAfter: Duration?)
        /// Report the new state of the connection.
        case show(ConnectionState)
    }

    /// The next step of the code that makes connections.
    enum Step: Equatable, Sendable {
        /// Do nothing before the next ``Action/proceed``.
        case wait
        /// Connect to this place, and do nothing else until ``connectionOver(_:now:)``.
        case connect(ReconnectionSchedule.Place)
        /// The session has ended, with the reason unless the end was requested.
        case end(ClientError?)
    }

    /// Whether a stanza can be sent.
    enum Sending: Equatable, Sendable {
        /// It is sent now.
        case now
        /// It waits, because the session can be resumed.
        case later
        /// It is sent if it is a registration request.
        case registration
        /// There is no connection, and none that will be resumed.
        case never
        /// The session is over.
        case over(ClientError?)
    }

    /// There is no connection.
    private struct Offline {
        /// Whether stanzas wait for the next connection, which resumes the session.
        var keepsStanzas = false
        /// The place of the next connection, if it is due at once.
        var place: ReconnectionSchedule.Place?
    }

    private struct Connecting {
        let keepsStanzas: Bool
    }

    private struct Draining {
        let end: StreamEnd
        let keepsStanzas: Bool
        let wasOnline: Bool
        /// The place of the next connection, if it is due as soon as this one is over.
        var place: ReconnectionSchedule.Place?
    }

    /// Copyable, unlike the machine: Swift 6.3 cannot match several cases of a noncopyable value together.
    private enum State {
        /// The session has not begun. → offline, ended
        case initial
        /// There is no connection, and none is being made. → connecting, ended
        case offline(Offline)
        /// A connection is being made. → registering, online, draining
        case connecting(Connecting)
        /// The server waits for registration requests. → draining
        case registering(StreamFeatures)
        /// The session is online. → draining
        indirect case online(StreamSession)
        /// The stream is over; its received data is still being handled, and the remaining data written. → offline
        indirect case draining(Draining)
        /// The session has ended, with the reason unless the end was requested.
        case ended(ClientError?)
    }

    /// Why no further connection is made.
    private enum Verdict {
        case wanted
        /// The schedule gave up because of the error of the last connection.
        case givenUp
        case failed(ClientError)
    }

    private var state = State.initial
    private var schedule: ReconnectionSchedule
    private var verdict: Verdict?
    /// Why the last connection ended.
    private var lastError: ClientError?
    /// The session that the next connection resumes.
    private(set) var resumption: ResumptionState?
    /// The state of the connection that is shown.
    private(set) var shown = ConnectionState.offline(reason: nil, nextAttempt: nil)
    /// The number of times the session went online.
    private(set) var connections = 0

    init(_ schedule: consuming ReconnectionSchedule) {
        self.schedule = schedule
    }
}

// MARK: - Commands

extension SessionMachine {
    /// Starts the session.
    ///
    /// - Parameter resumption: a session of an earlier process, which the first connection resumes.
    mutating func begin(resuming resumption: ResumptionState?, now: ContinuousClock.Instant) -> [Action] {
        switch state {
        case .initial:
            self.resumption = resumption
            state = .offline(Offline())
            return take(schedule.start(location: resumption?.location, now: now), now: now)
        case .offline, .connecting, .registering, .online, .draining, .ended:
            preconditionFailure("a session begins once")
        }
    }

    /// Returns the next step; after ``Step/connect(_:)`` the state is connecting.
    mutating func nextStep() -> Step {
        switch state {
        case .initial, .offline:
            switch verdict {
            case .wanted: return .end(nil)
            case .givenUp: return .end(lastError)
            case .failed(let error): return .end(error)
            case nil: break
            }
        case .connecting, .registering, .online, .draining: return .wait
        case .ended(let error): return .end(error)
        }
        guard case .offline(let offline) = state, let place = offline.place else { return .wait }
        state = .connecting(Connecting(keepsStanzas: offline.keepsStanzas))
        return .connect(place)
    }

    /// The user does not want to wait.
    mutating func connectNow(now: ContinuousClock.Instant) -> [Action] {
        // Otherwise the schedule would begin.
        if phase == .initial { return [] }
        return take(schedule.connectNow(now: now), now: now)
    }

    /// The end was requested. The owner closes the stream and reports its end as usual.
    mutating func closeRequested(now: ContinuousClock.Instant) -> [Action] {
        let actions = take(schedule.close(), now: now)
        // The schedule waits for the end of a connection that will not be started any more.
        switch state {
        case .offline(var offline) where offline.place != nil:
            offline.place = nil
            state = .offline(offline)
        case .draining(var draining) where draining.place != nil:
            draining.place = nil
            state = .draining(draining)
        case .initial, .offline, .connecting, .registering, .online, .draining, .ended: return actions
        }
        return actions
            + take(schedule.disconnected(StreamEnd(reason: .requested), now: now, jitterFraction: 0), now: now)
    }

    /// The session cannot begin, or nothing can be stored any more: no further connection is made, regardless of the
    /// schedule.
    mutating func cannotGoOn(_ error: ClientError) -> [Action] {
        switch state {
        case .ended: return []
        case .initial, .offline, .connecting, .registering, .online, .draining:
            verdict = .failed(error)
            return [.proceed]
        }
    }

    /// The session has ended.
    mutating func end(_ error: ClientError?) -> [Action] {
        switch state {
        case .ended: return []
        case .initial, .offline, .connecting, .registering, .online, .draining:
            state = .ended(error)
            return [.disconnected(error, retryAfter: nil)] + show(.offline(reason: error, nextAttempt: nil))
        }
    }
}

// MARK: - Events of the connection

extension SessionMachine {
    /// The stream reported progress; steps that are out of order are ignored.
    mutating func progressed(_ progress: StreamProgress) -> [Action] {
        guard let step = ConnectionStep(progress) else { return [] }
        switch shown {
        case .offline: return show(.connecting(step))
        case .connecting(let present): return present < step ? show(.connecting(step)) : []
        case .online: return []
        }
    }

    /// The server waits for registration requests.
    mutating func readyToRegister(_ features: StreamFeatures) -> [Action] {
        switch state {
        case .connecting:
            state = .registering(features)
            return show(.connecting(.registering))
        case .initial, .offline, .registering, .online, .draining, .ended:
            preconditionFailure("only a connection that is being made becomes ready to register")
        }
    }

    /// The session is online.
    mutating func established(_ session: StreamSession, now: ContinuousClock.Instant) -> [Action] {
        switch state {
        case .connecting:
            state = .online(session)
            connections += 1
            // From now on only the stream knows what can be resumed; a stream without stream management leaves nothing
            // to resume.
            resumption = nil
            schedule.established(now: now)
            let lost = ClientError(.connectionFailed, "The connection was lost and the session could not be resumed.")
            let loss: [Action] = session.isResumed ? [] : [.lose(lost)]
            return [.adopt(session)] + loss + [.connected(session.address, isResumed: session.isResumed)]
                + show(.online(isResumed: session.isResumed)) + [.start(isFirst: connections == 1)]
        case .initial, .offline, .registering, .online, .draining, .ended:
            preconditionFailure("only a connection that is being made becomes one on which stanzas flow")
        }
    }

    /// The stream is over; its received data may still have to be handled.
    ///
    /// - Parameter jitter: between 0 and 1, drawn again each time.
    mutating func streamEnded(_ end: StreamEnd, now: ContinuousClock.Instant, jitter: Double) -> [Action] {
        let wasOnline: Bool
        let keptStanzas: Bool
        switch state {
        case .connecting(let connecting): (wasOnline, keptStanzas) = (false, connecting.keepsStanzas)
        case .registering: (wasOnline, keptStanzas) = (false, false)
        case .online: (wasOnline, keptStanzas) = (true, end.resumption != nil)
        case .initial, .offline, .draining, .ended: preconditionFailure("a stream ends once, while there is one")
        }
        state = .draining(Draining(end: end, keepsStanzas: keptStanzas, wasOnline: wasOnline))
        return take(schedule.disconnected(end, now: now, jitterFraction: jitter), now: now)
    }

    /// All received data was handled, and the transport is closed.
    ///
    /// - Parameter resumption: the session that the next connection resumes.
    mutating func connectionOver(
        resuming resumption: ResumptionState?, now: ContinuousClock.Instant
    ) -> [Action] {
        switch state {
        case .draining(let draining):
            self.resumption = resumption
            state = .offline(Offline(keepsStanzas: resumption != nil, place: draining.place))
            let end = draining.end
            lastError = ClientError(end)
            var actions: [Action] = end.failure.map { [.failed($0)] } ?? []
            if resumption == nil, end.reason != .requested { actions.append(.lose(lastError ?? .notConnected)) }
            guard verdict == nil else { return actions }
            let untilNext = draining.place == nil ? schedule.nextDeadline.map { now.duration(to: $0) } : .zero
            actions.append(.disconnected(lastError, retryAfter: max(untilNext ?? .zero, .zero)))
            return actions + showOffline(now)
        case .initial, .offline, .connecting, .registering, .online, .ended:
            preconditionFailure("a connection is over after its stream has ended")
        }
    }
}

// MARK: - Network and time

extension SessionMachine {
    /// The network changed or became unavailable.
    mutating func networkChanged(isAvailable: Bool, now: ContinuousClock.Instant) -> [Action] {
        take(schedule.networkChanged(isAvailable: isAvailable, now: now), now: now)
    }

    /// Compares two clocks, of which one stops while the computer sleeps.
    mutating func clocksRead(now: ContinuousClock.Instant, awake: SuspendingClock.Instant) -> [Action] {
        take(schedule.clocksRead(now: now, awake: awake), now: now)
    }

    /// Time has passed. A call before ``nextDeadline`` does nothing.
    mutating func deadlinePassed(now: ContinuousClock.Instant) -> [Action] {
        take(schedule.deadlinePassed(now: now), now: now)
    }

    private mutating func take(_ action: ReconnectionSchedule.Action, now: ContinuousClock.Instant) -> [Action] {
        // The schedule does not know that the session has ended.
        if phase == .ended { return [] }
        switch action {
        case .none: return []
        case .attempt(let place):
            isDue(at: place)
            return [.proceed]
        case .pause, .awaitNetwork:
            // While a stream is still being finished, its end has not been reported.
            guard case .offline = state else { return [] }
            return showOffline(now)
        case .probe(let timeout): return [.probe(within: timeout)]
        case .abandon:
            // A pending connection that has not started will start on the current network.
            return phase == .connecting || phase == .registering ? [.abandon] : []
        case .giveUp: return conclude(.givenUp)
        case .finish: return conclude(.wanted)
        }
    }

    private mutating func isDue(at place: ReconnectionSchedule.Place) {
        switch state {
        case .offline(var offline):
            offline.place = place
            state = .offline(offline)
        case .draining(var draining):
            draining.place = place
            state = .draining(draining)
        case .initial, .connecting, .registering, .online, .ended:
            preconditionFailure("the schedule asks for one connection at a time")
        }
    }

    private mutating func conclude(_ verdict: Verdict) -> [Action] {
        if case .failed? = self.verdict { return [.proceed] }
        self.verdict = verdict
        return [.proceed]
    }

    private mutating func showOffline(_ now: ContinuousClock.Instant) -> [Action] {
        var next = schedule.nextAttempt.map { max(now.duration(to: $0), .zero) }
        if case .offline(let offline) = state, offline.place != nil { next = .zero }
        return show(.offline(reason: lastError, nextAttempt: next))
    }

    private mutating func show(_ next: ConnectionState) -> [Action] {
        guard next != shown else { return [] }
        shown = next
        return [.show(next)]
    }
}

// MARK: - Properties

extension SessionMachine {
    /// The names of the states.
    enum Phase: Equatable, Sendable, CaseIterable {
        case initial, offline, connecting, registering, online, draining, ended
    }

    var phase: Phase {
        switch state {
        case .initial: .initial
        case .offline: .offline
        case .connecting: .connecting
        case .registering: .registering
        case .online: .online
        case .draining: .draining
        case .ended: .ended
        }
    }

    /// The negotiated settings while the session is online.
    var session: StreamSession? { if case .online(let session) = state { session } else { nil } }

    /// The features that the server offers before a registration.
    var registrationFeatures: StreamFeatures? { if case .registering(let features) = state { features } else { nil } }

    /// The failure that ended the session; `nil` unless it has ended unintentionally.
    var failure: ClientError? { if case .ended(let error) = state { error } else { nil } }

    /// The end of the stream whose connection is not over yet.
    var end: StreamEnd? { if case .draining(let draining) = state { draining.end } else { nil } }

    /// Whether the stream of a connection that is not over yet has ended: whether there is an ``end``.
    var isDraining: Bool { if case .draining = state { true } else { false } }

    /// Whether the connection that is not over yet was online.
    var wasOnline: Bool { if case .draining(let draining) = state { draining.wasOnline } else { false } }

    var sending: Sending {
        switch state {
        case .online: .now
        case .registering: .registration
        case .offline(let offline): keeps(offline.keepsStanzas)
        case .connecting(let connecting): keeps(connecting.keepsStanzas)
        case .draining(let draining): keeps(draining.keepsStanzas)
        case .initial: .never
        case .ended(let error): .over(error)
        }
    }

    /// Stanzas do not wait if no connection will be made.
    private func keeps(_ keepsStanzas: Bool) -> Sending { keepsStanzas && verdict == nil ? .later : .never }

    /// When to call ``deadlinePassed(now:)``; it can change with any event.
    var nextDeadline: ContinuousClock.Instant? { schedule.nextDeadline }
}

extension ClientError {
    /// The error of an ended stream; `nil` if the end was requested.
    init?(_ end: StreamEnd) {
        switch end.reason {
        case .requested: return nil
        case .closedByServer: self.init(.connectionFailed, "The server closed the connection.")
        case .failed(let failure): self.init(failure)
        }
    }
}
