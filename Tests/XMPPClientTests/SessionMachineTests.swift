import Testing
import Waiting
import XMPPAddress
import XMPPStanzas

@testable import XMPPClient
@testable import XMPPStream

typealias Phase = SessionMachine.Phase

/// Short names for what a machine wants.
enum Want: String {
    case proceed, probe, abandon, withdrawPresence, closeStream, adopt, addressChanged, lose, connected, start, failed,
        disconnected, show

    init(_ action: SessionMachine.Action) {
        switch action {
        case .proceed: self = .proceed
        case .probe: self = .probe
        case .abandon: self = .abandon
        case .withdrawPresence: self = .withdrawPresence
        case .closeStream: self = .closeStream
        case .adopt: self = .adopt
        case .addressChanged: self = .addressChanged
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
    case begin, nextStep, connectNow, closeRequested, suspensionRequested, cannotGoOn, ended, progressed,
        readyToRegister
    case established, resumed, stanzasResent, presenceSent, takeOwedPresence
    case streamBroke, streamFailed, streamClosed, connectionOver, connectionOverForGood, networkLost, networkFound
    case deadline

    /// The states in which it can happen; elsewhere it is a fault of the owner.
    var phases: [Phase] {
        switch self {
        case .begin: [.initial]
        case .nextStep, .connectNow, .closeRequested, .suspensionRequested, .cannotGoOn, .stanzasResent, .presenceSent,
            .takeOwedPresence, .networkLost, .networkFound, .deadline:
            Phase.allCases
        case .ended: [.ending]
        case .progressed: [.connecting]
        case .readyToRegister, .established, .resumed: [.connecting]
        case .streamBroke, .streamFailed, .streamClosed: [.connecting, .registering, .starting, .online]
        case .connectionOver, .connectionOverForGood: [.draining]
        }
    }
}

/// A machine and what its owner knows.
struct DrivenSession: ~Copyable {
    static let beginning = ContinuousInstant(sinceStart: .zero)
    static let pause = Duration.seconds(1)
    let address: JID
    private let account: JID
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
    /// The presence that was last said to be owed.
    var owed: Presence?
    /// Between 0 and 1.
    var jitter = 0.0

    init(_ policy: ReconnectionPolicy = Self.policy) throws {
        address = try JID("alice@xmpp.test/desk")
        account = address.bare
        machine = SessionMachine(ReconnectionSchedule(policy), account: account)
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
            case .starting: [.begin, .nextStep, .established]
            case .online: [.begin, .nextStep, .established, .stanzasResent]
            case .draining: [.begin, .nextStep, .streamBroke]
            case .ending: [.begin, .closeRequested, .nextStep]
            case .ended: [.begin, .closeRequested, .nextStep, .ended]
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
        case .suspensionRequested: return machine.closeRequested(.suspending, now: now)
        case .cannotGoOn: return machine.cannotGoOn(ClientError(.storeFailed, "The disk is full."))
        case .ended: return machine.ended()
        case .progressed: return machine.progressed(.willConnect)
        case .readyToRegister: return machine.readyToRegister(.none)
        case .established: return machine.established(session(isResumed: false), now: now)
        case .resumed: return machine.established(session(isResumed: true), now: now)
        case .stanzasResent: return machine.stanzasResent()
        case .presenceSent:
            machine.presenceSent(Presence())
            return []
        case .takeOwedPresence:
            owed = machine.takeOwedPresence()
            return []
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
        // It is shown as offline without a reason already.
        case (.ended, _): return Answer(wants: [.disconnected], phase: .ended)
        case (_, .ending), (_, .ended): return stays()
        case (.begin, _): return Answer(wants: [.proceed], phase: .offline)
        case (.cannotGoOn, .connecting), (.cannotGoOn, .registering), (.cannotGoOn, .starting), (.cannotGoOn, .online):
            return stays(.proceed, .abandon)
        case (.cannotGoOn, _): return stays(.proceed)
        case (.nextStep, _): return stays()
        case (.connectNow, .offline), (.connectNow, .draining): return stays(.proceed)
        case (.connectNow, .starting), (.connectNow, .online): return stays(.probe)
        case (.connectNow, _): return stays()
        case (.suspensionRequested, .starting), (.suspensionRequested, .online): return stays(.abandon)
        case (.closeRequested, .initial), (.closeRequested, .offline), (.closeRequested, .draining),
            (.suspensionRequested, .initial), (.suspensionRequested, .offline), (.suspensionRequested, .draining):
            return stays(.proceed)
        case (.closeRequested, _), (.suspensionRequested, _): return stays(.closeStream)
        case (.progressed, _): return stays(.show)
        case (.readyToRegister, _): return Answer(wants: [.show], phase: .registering)
        case (.established, _):
            return Answer(wants: [.adopt, .addressChanged, .lose, .connected, .show], phase: .starting)
        case (.resumed, _): return Answer(wants: [.adopt, .addressChanged, .connected, .show], phase: .starting)
        case (.stanzasResent, .starting): return Answer(wants: [.start], phase: .online)
        case (.stanzasResent, _): return stays()
        case (.presenceSent, _), (.takeOwedPresence, _): return stays()
        case (.streamBroke, _): return Answer(wants: [], phase: .draining)
        case (.streamFailed, _), (.streamClosed, _): return Answer(wants: [.proceed], phase: .draining)
        case (.connectionOver, _): return Answer(wants: [.failed, .disconnected, .show], phase: .offline)
        case (.connectionOverForGood, _): return Answer(wants: [.failed, .lose, .disconnected, .show], phase: .offline)
        case (.networkLost, .offline): return stays(.show)
        case (.networkLost, _): return stays()
        case (.networkFound, .offline), (.networkFound, .draining): return stays(.proceed)
        case (.networkFound, .starting), (.networkFound, .online): return stays(.probe)
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
        _ = session.happen(.stanzasResent)
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
        _ = session.machine.cannotGoOn(.notConnected)
        _ = session.happen(.nextStep)
        #expect(session.machine.phase == .ending && session.machine.sending == .never)
        _ = session.happen(.ended)
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

    @Test(
        "a requested end has no reason, whatever the session does", arguments: Phase.allCases,
        [SessionOccasion.closeRequested, .suspensionRequested])
    func requestedEnd(phase: Phase, request: SessionOccasion) throws {
        var session = try DrivenSession(in: phase)
        _ = session.happen(request)
        #expect(session.happen(request).isEmpty, "a second request does nothing")
        if phase == .initial { _ = session.happen(.begin) }
        switch phase {
        case .connecting, .registering, .starting, .online:
            #expect(session.machine.nextStep() == .wait)
            _ = session.happen(.streamClosed)
            _ = session.happen(.connectionOverForGood)
        case .draining: _ = session.happen(.connectionOverForGood)
        case .initial, .offline, .ending, .ended: break
        }
        #expect(session.machine.nextStep() == .end(nil))
    }

    @Test("an available presence is withdrawn before the stream closes, and no other")
    func withdrawal() throws {
        var available = try DrivenSession(in: .online)
        _ = available.happen(.presenceSent)
        #expect(available.want(.closeRequested) == [.withdrawPresence, .closeStream])
        var unavailable = try DrivenSession(in: .online)
        _ = unavailable.happen(.presenceSent)
        unavailable.machine.presenceSent(Presence(type: .unavailable))
        #expect(unavailable.want(.closeRequested) == [.closeStream])
        var suspended = try DrivenSession(in: .online)
        _ = suspended.happen(.presenceSent)
        #expect(suspended.happen(.suspensionRequested) == [.abandon(.suspended)])
    }

    @Test("the presence is owed to each other session on the server, once")
    func owedPresence() throws {
        var session = try DrivenSession(in: .online)
        _ = session.happen(.presenceSent)
        _ = session.happen(.takeOwedPresence)
        #expect(session.owed == nil, "it was sent in this session")
        for (next, isOwed) in [(SessionOccasion.resumed, false), (.established, true)] {
            for occasion in [.streamBroke, .connectionOver, .deadline, .nextStep, next] as [SessionOccasion] {
                _ = session.happen(occasion)
            }
            _ = session.happen(.takeOwedPresence)
            #expect((session.owed != nil) == isOwed)
            _ = session.happen(.takeOwedPresence)
            #expect(session.owed == nil)
            #expect(session.machine.presence != nil)
        }
    }

    @Test("sessions on the server are counted, and a changed address is reported")
    func serverSessions() throws {
        var session = try DrivenSession(in: .connecting)
        #expect(session.machine.address == nil)
        #expect(session.happen(.established).contains(.addressChanged(session.address)))
        #expect(session.machine.serverSessions == 1 && session.machine.address == session.address)
        for (next, count) in [(SessionOccasion.resumed, 1), (.established, 2)] {
            for occasion in [.streamBroke, .connectionOver, .deadline, .nextStep] as [SessionOccasion] {
                _ = session.happen(occasion)
            }
            #expect(!session.want(next).contains(.addressChanged))
            #expect(session.machine.serverSessions == count)
        }
    }

    @Test("a stream that ends in the moment in which it begins starts nothing")
    func noStart() throws {
        var session = try DrivenSession(in: .starting)
        _ = session.happen(.streamBroke)
        #expect(session.machine.wasOnline && session.machine.isManaged)
        #expect(session.want(.stanzasResent).isEmpty)
    }

    @Test("the states in which the session works, is online, and has settings", arguments: Phase.allCases)
    func properties(phase: Phase) throws {
        let session = try DrivenSession(in: phase)
        let isOnline = phase == .starting || phase == .online
        #expect(session.machine.isOnline == isOnline)
        #expect((session.machine.session != nil) == isOnline)
        #expect(session.machine.isManaged == isOnline)
        #expect(session.machine.isWorking == ![.initial, .ending, .ended].contains(phase))
        #expect((session.machine.registrationFeatures != nil) == (phase == .registering))
        #expect(
            (session.machine.end != nil) == (phase == .draining) && session.machine.isDraining == (phase == .draining))
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

    @Test("the reason of the end is reported and shown once")
    func shownEnd() throws {
        var session = try DrivenSession()
        let error = ClientError(.storeFailed, "The disk is full.")
        #expect(session.happen(.cannotGoOn) == [.proceed])
        _ = session.happen(.nextStep)
        #expect(session.step == .end(error))
        #expect(
            session.happen(.ended)
                == [.disconnected(error, retryAfter: nil), .show(.offline(reason: error, nextAttempt: nil))])
        #expect(session.machine.failure == error)
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
