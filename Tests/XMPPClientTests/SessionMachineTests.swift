import Testing
import XMPPAddress
import XMPPStanzas

@testable import XMPPClient
@testable import XMPPStream

typealias Phase = SessionMachine.Phase

/// Short names for what a machine wants.
enum Want: String {
    case proceed, probe, abandon, adopt, lose, connected, start, failed, disconnected, show

    init(_ action: SessionMachine.Action) {
        switch action {
        case .proceed: self = .proceed
        case .probe: self = .probe
        case .abandon: self = .abandon
        case .adopt: self = .adopt
        case .lose: self = .lose
        case .connected: self = .connected
        case .start: self = .start
        case .failed: self = .failed
        case .disconnected: self = .disconnected
        case .show: self = .show
        }
    }
}

/// What can happen to a session.
enum SessionOccasion: CaseIterable {
    case begin, nextStep, connectNow, closeRequested, cannotGoOn, end, progressed, readyToRegister, established, resumed
    case streamBroke, streamFailed, streamClosed, connectionOver, connectionOverForGood, networkLost, networkFound,
        deadline

    /// The states in which it can happen; elsewhere it is a fault of the owner.
    var phases: [Phase] {
        switch self {
        case .begin: [.initial]
        case .nextStep, .connectNow, .closeRequested, .cannotGoOn, .end, .networkLost, .networkFound, .deadline:
            Phase.allCases
        case .progressed: [.connecting]
        case .readyToRegister, .established, .resumed: [.connecting]
        case .streamBroke, .streamFailed, .streamClosed: [.connecting, .registering, .online]
        case .connectionOver, .connectionOverForGood: [.draining]
        }
    }
}

/// A machine and what its owner knows.
struct DrivenSession: ~Copyable {
    static let beginning = ContinuousClock.now
    static let pause = Duration.seconds(1)
    let address: JID
    var resumption: ResumptionState { saved(location: nil) }

    static var policy: ReconnectionPolicy {
        var policy = ReconnectionPolicy(attempts: nil, backoff: Backoff(first: pause))
        policy.retriesFirstLogin = true
        policy.jitter = .full
        return policy
    }

    func saved(location: String?) -> ResumptionState {
        ResumptionState(
            id: "s1", address: address, handledCount: 0, acknowledgedCount: 0, unacknowledged: [], location: location)
    }

    private func session(isResumed: Bool) -> StreamSession {
        StreamSession(
            address: address, isResumed: isResumed, isManaged: true, isResumable: true, features: .none,
            tls: nil, mechanism: "SCRAM-SHA-256", shortcuts: LoginShortcuts(), unacknowledged: [])
    }

    var machine: SessionMachine
    var now = Self.beginning
    var step = SessionMachine.Step.wait
    /// Between 0 and 1.
    var jitter = 0.0

    init(_ policy: ReconnectionPolicy = Self.policy) throws {
        machine = SessionMachine(ReconnectionSchedule(policy))
        address = try JID("alice@xmpp.test/desk")
    }

    /// A session in this state, on its first connection, with the network there.
    init(in phase: Phase) throws {
        try self.init()
        let way: [SessionOccasion] =
            switch phase {
            case .initial: []
            case .offline: [.begin, .nextStep, .streamBroke, .connectionOver]
            case .connecting: [.begin, .nextStep]
            case .registering: [.begin, .nextStep, .readyToRegister]
            case .online: [.begin, .nextStep, .established]
            case .draining: [.begin, .nextStep, .streamBroke]
            case .ended: [.begin, .end]
            }
        for occasion in way { _ = happen(occasion) }
        precondition(machine.phase == phase)
    }

    mutating func happen(_ occasion: SessionOccasion) -> [SessionMachine.Action] {
        switch occasion {
        case .begin: return machine.begin(resuming: nil, now: now)
        case .nextStep:
            step = machine.nextStep()
            return []
        case .connectNow: return machine.connectNow(now: now)
        case .closeRequested: return machine.closeRequested(now: now)
        case .cannotGoOn: return machine.cannotGoOn(ClientError(.storeFailed, "The disk is full."))
        case .end: return machine.end(.notConnected)
        case .progressed: return machine.progressed(.willConnect)
        case .readyToRegister: return machine.readyToRegister(.none)
        case .established: return machine.established(session(isResumed: false), now: now)
        case .resumed: return machine.established(session(isResumed: true), now: now)
        case .streamBroke:
            let failure = StreamFailure(TransportClosure(.broken))
            let end = StreamEnd(reason: .failed(failure), resumption: resumption)
            return machine.streamEnded(end, now: now, jitter: jitter)
        case .streamFailed:
            let end = StreamEnd(reason: .failed(StreamFailure(StreamError(.conflict))))
            return machine.streamEnded(end, now: now, jitter: jitter)
        case .streamClosed: return machine.streamEnded(StreamEnd(reason: .requested), now: now, jitter: jitter)
        case .connectionOver: return machine.connectionOver(resuming: resumption, now: now)
        case .connectionOverForGood: return machine.connectionOver(resuming: nil, now: now)
        case .networkLost: return machine.networkChanged(isAvailable: false, now: now)
        case .networkFound: return machine.networkChanged(isAvailable: true, now: now)
        case .deadline:
            now = max(now, machine.nextDeadline ?? now)
            return machine.deadlinePassed(now: now)
        }
    }

    /// The names of what the machine wants.
    mutating func want(_ occasion: SessionOccasion) -> [Want] { happen(occasion).map(Want.init) }
}

@Suite("The life of a session as a machine")
struct SessionMachineTests {
    /// What is wanted, and the state after it, where it is not the same.
    struct Answer: Equatable {
        var wants: [Want]
        var phase: Phase
    }

    /// The answer to each occasion that can be in each state.
    static func answer(to occasion: SessionOccasion, in phase: Phase) -> Answer {
        func stays(_ wants: Want...) -> Answer { Answer(wants: wants, phase: phase) }
        switch (occasion, phase) {
        case (_, .ended): return stays()
        case (.begin, _): return Answer(wants: [.proceed], phase: .offline)
        case (.end, .online), (.end, .connecting), (.end, .registering), (.end, .draining), (.end, .initial),
            (.end, .offline):
            return Answer(wants: [.disconnected, .show], phase: .ended)
        case (.cannotGoOn, _): return stays(.proceed)
        case (.nextStep, _): return stays()
        case (.connectNow, .offline), (.connectNow, .draining): return stays(.proceed)
        case (.connectNow, .online): return stays(.probe)
        case (.connectNow, _): return stays()
        case (.closeRequested, .initial), (.closeRequested, .offline), (.closeRequested, .draining):
            return stays(.proceed)
        case (.closeRequested, _): return stays()
        case (.progressed, _): return stays(.show)
        case (.readyToRegister, _): return Answer(wants: [.show], phase: .registering)
        case (.established, _):
            return Answer(wants: [.adopt, .lose, .connected, .show, .start], phase: .online)
        case (.resumed, _): return Answer(wants: [.adopt, .connected, .show, .start], phase: .online)
        case (.streamBroke, _): return Answer(wants: [], phase: .draining)
        case (.streamFailed, _), (.streamClosed, _): return Answer(wants: [.proceed], phase: .draining)
        case (.connectionOver, _): return Answer(wants: [.failed, .disconnected, .show], phase: .offline)
        case (.connectionOverForGood, _): return Answer(wants: [.failed, .lose, .disconnected, .show], phase: .offline)
        case (.networkLost, .offline): return stays(.show)
        case (.networkLost, _): return stays()
        case (.networkFound, .offline), (.networkFound, .draining): return stays(.proceed)
        case (.networkFound, .online): return stays(.probe)
        case (.networkFound, _): return stays()
        case (.deadline, .offline), (.deadline, .draining): return stays(.proceed)
        case (.deadline, _): return stays()
        }
    }

    @Test("each event in each state that can have it", arguments: Phase.allCases, SessionOccasion.allCases)
    func table(phase: Phase, occasion: SessionOccasion) throws {
        guard occasion.phases.contains(phase) else { return }
        var session = try DrivenSession(in: phase)
        let wants = session.want(occasion)
        #expect(Answer(wants: wants, phase: session.machine.phase) == Self.answer(to: occasion, in: phase))
    }

    @Test("a connection is asked for once, and the next one when that is over")
    func oneAtATime() throws {
        var session = try DrivenSession()
        #expect(session.machine.nextStep() == .wait)
        _ = session.happen(.begin)
        #expect(session.machine.nextStep() == .connect(.usual))
        #expect(session.machine.nextStep() == .wait)
        _ = session.happen(.established)
        _ = session.happen(.streamBroke)
        // The next one is due while this one is still being finished.
        #expect(session.want(.networkFound) == [.proceed])
        #expect(session.machine.nextStep() == .wait)
        #expect(
            session.happen(.connectionOver).contains(
                .disconnected(ClientError(StreamFailure(TransportClosure(.broken))), retryAfter: .zero)))
        #expect(session.machine.nextStep() == .connect(.usual))
    }

    @Test("what can be done with a stanza, from the beginning to the end")
    func sending() throws {
        var session = try DrivenSession()
        #expect(session.machine.sending == .never)
        _ = session.happen(.begin)
        _ = session.happen(.nextStep)
        #expect(session.machine.sending == .never)
        _ = session.happen(.established)
        #expect(session.machine.sending == .now)
        _ = session.happen(.streamBroke)
        #expect(session.machine.sending == .later)
        _ = session.happen(.connectionOver)
        #expect(session.machine.sending == .later)
        _ = session.happen(.deadline)
        _ = session.happen(.nextStep)
        #expect(session.machine.phase == .connecting && session.machine.sending == .later)
        _ = session.happen(.streamBroke)
        _ = session.happen(.connectionOverForGood)
        #expect(session.machine.sending == .never)
        _ = session.happen(.end)
        #expect(session.machine.sending == .over(.notConnected))
        var registration = try DrivenSession(in: .registering)
        #expect(registration.machine.sending == .registration)
        _ = registration.happen(.streamBroke)
        #expect(registration.machine.sending == .never)
    }

    @Test("once stanzas flow, an earlier session cannot be resumed any more")
    func noOldResumption() throws {
        for occasion in [SessionOccasion.established, .resumed] {
            var session = try DrivenSession()
            let saved = session.resumption
            _ = session.machine.begin(resuming: saved, now: session.now)
            _ = session.happen(.nextStep)
            #expect(session.machine.resumption == saved)
            _ = session.happen(occasion)
            #expect(session.machine.resumption == nil)
        }
    }

    @Test("a session whose place is told begins there")
    func location() throws {
        var session = try DrivenSession()
        let saved = session.saved(location: "node2.xmpp.test:5222")
        _ = session.machine.begin(resuming: saved, now: session.now)
        #expect(session.machine.nextStep() == .connect(.keeper(.init(name: "node2.xmpp.test", port: 5222))))
    }

    @Test("a wanted end has no reason, wherever the session stands", arguments: Phase.allCases)
    func wantedEnd(phase: Phase) throws {
        guard phase != .ended else { return }
        var session = try DrivenSession(in: phase)
        _ = session.happen(.closeRequested)
        if phase == .initial { _ = session.happen(.begin) }
        switch phase {
        case .connecting, .registering, .online:
            #expect(session.machine.nextStep() == .wait)
            _ = session.happen(.streamClosed)
            _ = session.happen(.connectionOverForGood)
        case .draining: _ = session.happen(.connectionOverForGood)
        case .initial, .offline, .ended: break
        }
        #expect(session.machine.nextStep() == .end(nil))
    }

    @Test("an end that is wanted while the next connection is due makes none")
    func endBeforeConnecting() throws {
        var waiting = try DrivenSession()
        _ = waiting.happen(.begin)
        #expect(waiting.want(.closeRequested) == [.proceed])
        #expect(waiting.machine.nextStep() == .end(nil))
        var draining = try DrivenSession(in: .draining)
        _ = draining.happen(.networkFound)
        #expect(draining.want(.closeRequested) == [.proceed])
        _ = draining.happen(.connectionOver)
        #expect(draining.machine.nextStep() == .end(nil))
    }

    @Test("what makes the session impossible is the reason of its end, whatever else happens")
    func impossible() throws {
        var session = try DrivenSession(in: .online)
        _ = session.happen(.cannotGoOn)
        #expect(session.machine.nextStep() == .wait)
        _ = session.happen(.streamFailed)
        #expect(session.want(.connectionOverForGood) == [.failed, .lose])
        #expect(session.machine.nextStep() == .end(ClientError(.storeFailed, "The disk is full.")))
    }

    @Test("what is not tried again is the reason of the end")
    func givenUp() throws {
        var session = try DrivenSession(in: .online)
        _ = session.happen(.streamFailed)
        _ = session.happen(.connectionOverForGood)
        #expect(session.machine.nextStep() == .end(ClientError(StreamFailure(StreamError(.conflict)))))
    }

    @Test("the time of the next attempt is shown, zero where it is due")
    func shownTime() throws {
        var session = try DrivenSession(in: .draining)
        _ = session.happen(.connectionOver)
        let reason = ClientError(StreamFailure(TransportClosure(.broken)))
        #expect(session.machine.shown == .offline(reason: reason, nextAttempt: DrivenSession.pause))
        _ = session.happen(.networkLost)
        #expect(session.machine.shown == .offline(reason: reason, nextAttempt: nil))
    }
}
