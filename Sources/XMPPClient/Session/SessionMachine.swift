import Waiting
import XMLStreaming
import XMPPAddress
import XMPPStanzas
import XMPPStream

/// The life cycle of a session: when it connects, whether stanzas can be sent, what the server knows of it, and how it ends.
///
/// The owner reports events and performs the returned actions in order. The code that makes connections calls
/// ``nextStep()`` whenever an action is ``Action/proceed``.
///
///     perform(machine.begin(resuming: saved, now: now))           // .proceed
///     machine.nextStep()                                          // .connect(.usual)
///     perform(machine.established(session, now: now))             // .adopt, .lose, .connected, .show(.online)
///     perform(machine.stanzasResent())                            // .start
///     perform(machine.closeRequested(now: now))                   // .withdrawPresence, .closeStream
///     perform(machine.streamEnded(end, now: now, jitter: jitter)) // .proceed
///     perform(machine.connectionOver(resumption, now: now))       // .failed, .disconnected, .show(.offline)
///     machine.nextStep()                                          // .end(nil)
///     perform(machine.ended())                                    // .disconnected, .show(.offline)
struct SessionMachine: ~Copyable {
    enum Action: Equatable, Sendable {
        /// The result of ``nextStep()`` has changed.
        case proceed
        /// Check the connection, and end the stream if there is no response in time.
        case probe(within: Duration)
        /// End the stream without closing it.
        case abandon(Abandonment)
        /// Broadcast unavailable presence, so that contacts see it at once and not only when the server gives up (RFC 6121
        /// §4.5).
        case withdrawPresence
        /// Close the stream.
        case closeStream
        /// Apply the negotiated settings.
        case adopt(StreamSession)
        /// Report that the address of the session is another one than before.
        case addressChanged(JID)
        /// Stanzas sent before can be neither answered nor acknowledged any more, except for those that wait for the
        /// next connection.
        case lose(ClientError)
        /// Report that the session is online.
        case connected(JID, isResumed: Bool)
        /// Send the stanzas that waited for the connection and start the extensions.
        case start
        /// Report the failure of a stream.
        case failed(StreamFailure)
        /// Report that a connection has ended.
        case disconnected(ClientError?, retryAfter: Duration?)
        /// Report the new state of the connection.
        case show(ConnectionState)
    }

    /// Why a stream is ended without closing it.
    enum Abandonment: Equatable, Sendable {
        /// It was started on a network that has changed since, and hangs.
        case networkChanged
        /// The next process resumes the session.
        case suspended
        /// Nothing that it brings or sends can be stored.
        case storeFailed
    }

    /// How a session ends on request.
    enum Farewell: Equatable, Sendable {
        /// The stream is closed, and the session is over for the server as well.
        case closing
        /// The connection breaks off, and the server keeps the session for the next process.
        case suspending
    }

    /// The next step of the code that makes connections.
    enum Step: Equatable, Sendable {
        /// Do nothing before the next ``Action/proceed``.
        case wait
        /// Connect to this place, and do nothing else until ``connectionOver(_:now:)``.
        case connect(ReconnectionSchedule.Place)
        /// End the work of the session and report ``ended()``. The reason is `nil` if the end was requested.
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
        /// The negotiated settings if the stream was online.
        let session: StreamSession?
        /// The place of the next connection, if it is due as soon as this one is over.
        var place: ReconnectionSchedule.Place?
    }

    /// Copyable, unlike the machine: Swift 6.3 cannot match several cases of a noncopyable value together.
    private enum State {
        /// The session has not begun. → offline, ending
        case initial
        /// There is no connection, and none is being made. → connecting, ending
        case offline(Offline)
        /// A connection is being made. → registering, starting, draining
        case connecting(Connecting)
        /// The server waits for registration requests. → draining
        case registering(StreamFeatures)
        /// The session is online, and the stream resends stanzas, which precede those that waited. → online, draining
        indirect case starting(StreamSession)
        /// The session is online. → draining
        indirect case online(StreamSession)
        /// The stream is over; its received data is still being handled, and the remaining data written. → offline
        indirect case draining(Draining)
        /// No connection will be made any more; the work of the session is being ended. → ended
        case ending(ClientError?)
        /// The session has ended, with the reason unless the end was requested.
        case ended(ClientError?)
    }

    /// What follows the present connection, or the present wait for one.
    private enum Outlook {
        /// Further connections, as the schedule decides.
        case reconnection
        /// The requested end. The stream of the present connection is being closed.
        case requestedEnd
        /// Nothing: the end was requested.
        case closed
        /// Nothing: the schedule gave up because of the error of the last connection.
        case givenUp
        /// Nothing: the session cannot continue.
        case failed(ClientError)

        /// Whether no further connection is made.
        var isConcluded: Bool {
            switch self {
            case .reconnection, .requestedEnd: false
            case .closed, .givenUp, .failed: true
            }
        }
    }

    /// The last broadcast presence.
    private enum Broadcast {
        case none
        /// It was sent in the present session on the server.
        case sent(Presence)
        /// It was sent in an earlier session on the server: the present one has to send it again.
        case owed(Presence)
    }

    private var state = State.initial { didSet { isManaged = Self.isManaged(state) } }
    /// Whether the server acknowledges stanzas on this connection.
    private(set) var isManaged = false
    private var schedule: ReconnectionSchedule
    private var outlook = Outlook.reconnection
    /// Why the last connection ended.
    private var lastError: ClientError?
    private var broadcast = Broadcast.none
    /// The session that the next connection resumes.
    @Rare private(set) var resumption: ResumptionState?
    /// The state of the connection that is shown.
    private(set) var shown = ConnectionState.offline(reason: nil, nextAttempt: nil)
    /// The number of times the session went online.
    private(set) var connections = 0
    /// The number of sessions on the server so far; a resumption continues the same one.
    private(set) var serverSessions = 0
    /// The full address the session is bound to; `nil` before the first login.
    private(set) var address: JID?
    private let account: JID

    /// - Parameter account: The address of the configuration.
    init(_ schedule: consuming ReconnectionSchedule, account: JID) {
        self.schedule = schedule
        self.account = account
    }
}

// MARK: - Commands

extension SessionMachine {
    /// Starts the session.
    ///
    /// - Parameter resumption: a session of an earlier process, which the first connection resumes.
    mutating func begin(resuming resumption: ResumptionState?, now: ContinuousInstant) -> [Action] {
        switch state {
        case .initial:
            self.resumption = resumption
            state = .offline(Offline())
            return take(schedule.start(location: resumption?.location, now: now), now: now)
        case .offline, .connecting, .registering, .starting, .online, .draining, .ending, .ended:
            preconditionFailure("a session begins once")
        }
    }

    /// Returns the next step. After ``Step/connect(_:)`` the state is connecting, after ``Step/end(_:)`` ending.
    mutating func nextStep() -> Step {
        switch state {
        case .initial: return outlook.isConcluded ? conclusion() : .wait
        case .offline(let offline):
            if outlook.isConcluded { return conclusion() }
            guard let place = offline.place else { return .wait }
            state = .connecting(Connecting(keepsStanzas: offline.keepsStanzas))
            return .connect(place)
        case .connecting, .registering, .starting, .online, .draining: return .wait
        case .ending(let error), .ended(let error): return .end(error)
        }
    }

    private mutating func conclusion() -> Step {
        let error: ClientError? =
            switch outlook {
            case .reconnection, .requestedEnd, .closed: nil
            case .givenUp: lastError
            case .failed(let error): error
            }
        state = .ending(error)
        return .end(error)
    }

    /// The user does not want to wait.
    mutating func connectNow(now: ContinuousInstant) -> [Action] {
        // Otherwise the schedule would begin.
        if phase == .initial { return [] }
        return take(schedule.connectNow(now: now), now: now)
    }

    /// The end was requested. The owner reports the end of the stream as usual.
    mutating func closeRequested(_ farewell: Farewell = .closing, now: ContinuousInstant) -> [Action] {
        guard case .reconnection = outlook else { return [] }
        outlook = .requestedEnd
        let actions = take(schedule.close(), now: now)
        switch state {
        case .starting, .online:
            if farewell == .suspending { return actions + [.abandon(.suspended)] }
            return actions + (isPresent ? [.withdrawPresence, .closeStream] : [.closeStream])
        case .connecting, .registering: return actions + [.closeStream]
        // The schedule waits for the end of a connection that will not be started any more.
        case .offline(var offline) where offline.place != nil:
            offline.place = nil
            state = .offline(offline)
        case .draining(var draining) where draining.place != nil:
            draining.place = nil
            state = .draining(draining)
        case .initial, .offline, .draining, .ending, .ended: return actions
        }
        return actions
            + take(schedule.disconnected(StreamEnd(reason: .requested), now: now, jitterFraction: 0), now: now)
    }

    /// The session cannot begin, or nothing can be stored any more: no further connection is made, regardless of the
    /// schedule.
    mutating func cannotGoOn(_ error: ClientError) -> [Action] {
        switch state {
        case .ending, .ended: return []
        case .initial, .offline, .draining:
            outlook = .failed(error)
            return [.proceed]
        case .connecting, .registering, .starting, .online:
            outlook = .failed(error)
            return [.proceed, .abandon(.storeFailed)]
        }
    }

    /// The work of the session has ended.
    mutating func ended() -> [Action] {
        switch state {
        case .ending(let error):
            state = .ended(error)
            return [.disconnected(error, retryAfter: nil)] + show(.offline(reason: error, nextAttempt: nil))
        case .initial, .offline, .connecting, .registering, .starting, .online, .draining, .ended:
            preconditionFailure("a session ends once, when the next step says so")
        }
    }
}

// MARK: - Presence

extension SessionMachine {
    /// A presence was broadcast.
    mutating func presenceSent(_ presence: Presence) { broadcast = .sent(presence) }

    /// Returns the presence that this session on the server has to broadcast because an earlier one did. It is returned once.
    mutating func takeOwedPresence() -> Presence? {
        guard case .owed(let presence) = broadcast else { return nil }
        broadcast = .sent(presence)
        return presence
    }

    /// The last broadcast presence.
    var presence: Presence? {
        switch broadcast {
        case .none: nil
        case .sent(let presence), .owed(let presence): presence
        }
    }

    /// Whether the last broadcast presence is available.
    private var isPresent: Bool { presence?.type == .available }
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
        case .initial, .offline, .registering, .starting, .online, .draining, .ending, .ended:
            preconditionFailure("only a connection that is being made becomes ready to register")
        }
    }

    /// The session is online. The stream resends stanzas before the owner reports ``stanzasResent()``.
    mutating func established(_ session: StreamSession, now: ContinuousInstant) -> [Action] {
        switch state {
        case .connecting:
            state = .starting(session)
            connections += 1
            // From now on only the stream knows what can be resumed; a stream without stream management leaves nothing
            // to resume.
            resumption = nil
            schedule.established(now: now)
            let previous = address ?? account
            address = session.address
            var actions: [Action] = [.adopt(session)]
            if previous != session.address { actions.append(.addressChanged(session.address)) }
            if !session.isResumed {
                serverSessions += 1
                if let presence { broadcast = .owed(presence) }
                actions.append(
                    .lose(
                        ClientError(
                            .connectionFailed, "The connection was lost and the session could not be resumed.")))
            }
            return actions + [.connected(session.address, isResumed: session.isResumed)]
                + show(.online(isResumed: session.isResumed))
        case .initial, .offline, .registering, .starting, .online, .draining, .ending, .ended:
            preconditionFailure("only a connection that is being made becomes one on which stanzas flow")
        }
    }

    /// The stream has resent the stanzas of the session that it resumed, or there were none. A stream can end in the same
    /// moment in which it begins; then nothing starts.
    mutating func stanzasResent() -> [Action] {
        guard case .starting(let session) = state else { return [] }
        state = .online(session)
        return [.start]
    }

    /// The stream is over; its received data may still have to be handled.
    ///
    /// - Parameter jitter: between 0 and 1, drawn again each time.
    mutating func streamEnded(_ end: StreamEnd, now: ContinuousInstant, jitter: Double) -> [Action] {
        let session: StreamSession?
        let keepsStanzas: Bool
        switch state {
        case .connecting(let connecting): (session, keepsStanzas) = (nil, connecting.keepsStanzas)
        case .registering: (session, keepsStanzas) = (nil, false)
        case .starting(let online), .online(let online): (session, keepsStanzas) = (online, end.resumption != nil)
        case .initial, .offline, .draining, .ending, .ended:
            preconditionFailure("a stream ends once, while there is one")
        }
        state = .draining(Draining(end: end, keepsStanzas: keepsStanzas, session: session))
        return take(schedule.disconnected(end, now: now, jitterFraction: jitter), now: now)
    }

    /// All received data was handled, and the transport is closed.
    ///
    /// - Parameter resumption: the session that the next connection resumes.
    mutating func connectionOver(
        resuming resumption: ResumptionState?, now: ContinuousInstant
    ) -> [Action] {
        switch state {
        case .draining(let draining):
            self.resumption = resumption
            state = .offline(Offline(keepsStanzas: resumption != nil, place: draining.place))
            let end = draining.end
            lastError = ClientError(end)
            var actions: [Action] = end.failure.map { [.failed($0)] } ?? []
            if resumption == nil, end.reason != .requested { actions.append(.lose(lastError ?? .notConnected)) }
            if outlook.isConcluded { return actions }
            let untilNext = draining.place == nil ? schedule.nextDeadline.map { now.duration(to: $0) } : .zero
            actions.append(.disconnected(lastError, retryAfter: max(untilNext ?? .zero, .zero)))
            return actions + showOffline(now)
        case .initial, .offline, .connecting, .registering, .starting, .online, .ending, .ended:
            preconditionFailure("a connection is over after its stream has ended")
        }
    }
}

// MARK: - Network and time

extension SessionMachine {
    /// The network changed or became unavailable.
    mutating func networkChanged(isAvailable: Bool, now: ContinuousInstant) -> [Action] {
        take(schedule.networkChanged(isAvailable: isAvailable, now: now), now: now)
    }

    /// Compares two clocks, of which one stops while the computer sleeps.
    mutating func clocksRead(now: ContinuousInstant, awake: Duration) -> [Action] {
        take(schedule.clocksRead(now: now, awake: awake), now: now)
    }

    /// Time has passed. A call before ``nextDeadline`` does nothing.
    mutating func deadlinePassed(now: ContinuousInstant) -> [Action] {
        take(schedule.deadlinePassed(now: now), now: now)
    }

    private mutating func take(_ action: ReconnectionSchedule.Action, now: ContinuousInstant) -> [Action] {
        // The schedule does not know that the session has ended.
        if phase == .ending || phase == .ended { return [] }
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
            return phase == .connecting || phase == .registering ? [.abandon(.networkChanged)] : []
        case .giveUp: return conclude(.givenUp)
        case .finish: return conclude(.closed)
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
        case .initial, .connecting, .registering, .starting, .online, .ending, .ended:
            preconditionFailure("the schedule asks for one connection at a time")
        }
    }

    private mutating func conclude(_ outlook: Outlook) -> [Action] {
        // A failure of the session itself is the reason of its end, whatever happens to the connection.
        if case .failed = self.outlook { return [.proceed] }
        self.outlook = outlook
        return [.proceed]
    }

    private mutating func showOffline(_ now: ContinuousInstant) -> [Action] {
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
        case initial, offline, connecting, registering, starting, online, draining, ending, ended
    }

    var phase: Phase {
        switch state {
        case .initial: .initial
        case .offline: .offline
        case .connecting: .connecting
        case .registering: .registering
        case .starting: .starting
        case .online: .online
        case .draining: .draining
        case .ending: .ending
        case .ended: .ended
        }
    }

    /// Whether the session is online.
    var isOnline: Bool {
        switch state {
        case .starting, .online: true
        case .initial, .offline, .connecting, .registering, .draining, .ending, .ended: false
        }
    }

    /// Whether the session works: between ``begin(resuming:now:)`` and the last step.
    var isWorking: Bool {
        switch state {
        case .offline, .connecting, .registering, .starting, .online, .draining: true
        case .initial, .ending, .ended: false
        }
    }

    /// The negotiated settings while the session is online.
    var session: StreamSession? {
        switch state {
        case .starting(let session), .online(let session): session
        case .initial, .offline, .connecting, .registering, .draining, .ending, .ended: nil
        }
    }

    private static func isManaged(_ state: State) -> Bool {
        switch state {
        case .starting(let session), .online(let session): session.isManaged
        case .draining(let draining): draining.session?.isManaged ?? false
        case .initial, .offline, .connecting, .registering, .ending, .ended: false
        }
    }

    /// The features that the server offers before a registration.
    var registrationFeatures: StreamFeatures? { if case .registering(let features) = state { features } else { nil } }

    /// The failure that ended the session; `nil` unless it has ended unintentionally.
    var failure: ClientError? { if case .ended(let error) = state { error } else { nil } }

    /// The end of the stream whose connection is not over yet.
    var end: StreamEnd? { if case .draining(let draining) = state { draining.end } else { nil } }

    /// Whether the stream of a connection that is not over yet has ended: whether there is an ``end``.
    var isDraining: Bool { if case .draining = state { true } else { false } }

    /// Whether the connection that is not over yet was online.
    var wasOnline: Bool { if case .draining(let draining) = state { draining.session != nil } else { false } }

    var sending: Sending {
        switch state {
        case .starting, .online: .now
        case .registering: .registration
        case .offline(let offline): keeps(offline.keepsStanzas)
        case .connecting(let connecting): keeps(connecting.keepsStanzas)
        case .draining(let draining): keeps(draining.keepsStanzas)
        case .initial, .ending: .never
        case .ended(let error): .over(error)
        }
    }

    /// Stanzas do not wait if no connection will be made.
    private func keeps(_ keepsStanzas: Bool) -> Sending { keepsStanzas && !outlook.isConcluded ? .later : .never }

    /// When to call ``deadlinePassed(now:)``; it can change with any event.
    var nextDeadline: ContinuousInstant? { schedule.nextDeadline }
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
