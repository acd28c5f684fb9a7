import Testing
import Waiting
import XMPPStanzas

@testable import XMPPStream

/// Ends of streams, one for each reaction.
enum Ending: String, CaseIterable {
    case wanted, person, elsewhere, fresh, time

    var end: StreamEnd {
        switch self {
        case .wanted: StreamEnd(reason: .requested)
        case .person: StreamEnd(reason: .failed(StreamFailure(.credentialsRejected)))
        case .elsewhere:
            StreamEnd(
                reason: .failed(
                    StreamFailure(StreamError(.seeOtherHost, otherHost: StreamError.Host(name: "b.xmpp.test")))))
        case .fresh: StreamEnd(reason: .failed(StreamFailure(.resumptionTimedOut)))
        case .time: StreamEnd(reason: .failed(StreamFailure(.connectionLost)))
        }
    }
}

extension ReconnectionSchedule.Action {
    /// The name of the case without its values.
    var label: String { String(String(describing: self).prefix { $0.isLetter }) }
}

/// A schedule with an owner, so that expectations can drive it.
final class OwnedSchedule {
    private var schedule: ReconnectionSchedule

    init(_ policy: ReconnectionPolicy) { schedule = ReconnectionSchedule(policy) }

    var nextDeadline: ContinuousInstant? { schedule.nextDeadline }
    var nextAttempt: ContinuousInstant? { schedule.nextAttempt }

    func start(location: String? = nil, now: ContinuousInstant) -> ReconnectionSchedule.Action {
        schedule.start(location: location, now: now)
    }
    func connectNow(now: ContinuousInstant) -> ReconnectionSchedule.Action { schedule.connectNow(now: now) }
    func close() -> ReconnectionSchedule.Action { schedule.close() }
    func established(now: ContinuousInstant) { schedule.established(now: now) }
    func disconnected(
        _ end: StreamEnd, now: ContinuousInstant, jitterFraction: Double
    ) -> ReconnectionSchedule.Action {
        schedule.disconnected(end, now: now, jitterFraction: jitterFraction)
    }
    func deadlinePassed(now: ContinuousInstant) -> ReconnectionSchedule.Action {
        schedule.deadlinePassed(now: now)
    }
    func networkChanged(isAvailable: Bool, now: ContinuousInstant) -> ReconnectionSchedule.Action {
        schedule.networkChanged(isAvailable: isAvailable, now: now)
    }
    func clocksRead(now: ContinuousInstant, awake: Duration) -> ReconnectionSchedule.Action {
        schedule.clocksRead(now: now, awake: awake)
    }
}

@Suite("Reconnection schedule")
struct ReconnectionScheduleTests {
    static let bothAwake = Duration.zero

    func after(_ seconds: Double) -> ContinuousInstant { start.advanced(by: .seconds(seconds)) }

    /// The states by name, with the events that lead to them at the time `start`.
    enum Stand: String, CaseIterable {
        case idle, first, again, overtaken, abandoned, online, probing, paused, awaiting, closing, finished
    }

    static func schedule(_ stand: Stand, _ policy: ReconnectionPolicy = .standard) -> OwnedSchedule {
        let schedule = OwnedSchedule(policy)
        if stand == .idle { return schedule }
        _ = schedule.start(now: start)
        if stand == .first { return schedule }
        schedule.established(now: start)
        switch stand {
        case .online: break
        case .probing: _ = schedule.connectNow(now: start)
        case .closing: _ = schedule.close()
        case .finished:
            _ = schedule.close()
            _ = schedule.disconnected(Ending.wanted.end, now: start, jitterFraction: 0)
        default:
            _ = schedule.disconnected(Ending.time.end, now: start, jitterFraction: 0)
            switch stand {
            case .awaiting: _ = schedule.networkChanged(isAvailable: false, now: start)
            case .again, .overtaken, .abandoned:
                _ = schedule.connectNow(now: start)
                if stand != .again { _ = schedule.networkChanged(isAvailable: true, now: start) }
                if stand == .abandoned { _ = schedule.deadlinePassed(now: start.advanced(by: .seconds(5))) }
            default: break
            }
        }
        return schedule
    }

    enum Event: String, CaseIterable {
        case start, connectNow, close, established, endWanted, endPerson, endElsewhere, endFresh, endTime, deadline, up,
            down, slept
    }

    static func send(_ event: Event, to schedule: OwnedSchedule) -> String {
        let now = start.advanced(by: .seconds(6))
        func end(_ ending: Ending) -> ReconnectionSchedule.Action {
            schedule.disconnected(ending.end, now: now, jitterFraction: 0)
        }
        switch event {
        case .start: return schedule.start(now: now).label
        case .connectNow: return schedule.connectNow(now: start.advanced(by: .seconds(1))).label
        case .close: return schedule.close().label
        case .established:
            schedule.established(now: now)
            return "none"
        case .endWanted: return end(.wanted).label
        case .endPerson: return end(.person).label
        case .endElsewhere: return end(.elsewhere).label
        case .endFresh: return end(.fresh).label
        case .endTime: return end(.time).label
        case .deadline: return schedule.deadlinePassed(now: start.advanced(by: .seconds(3600))).label
        case .up: return schedule.networkChanged(isAvailable: true, now: start.advanced(by: .seconds(1))).label
        case .down: return schedule.networkChanged(isAvailable: false, now: now).label
        case .slept:
            _ = schedule.clocksRead(now: start, awake: bothAwake)
            return schedule.clocksRead(now: start.advanced(by: .seconds(4)), awake: bothAwake).label
        }
    }

    /// One row for each state, one entry for each event, in the order of `Event`.
    static let table: [(Stand, String)] = [
        (.idle, "attempt attempt finish none none none none none none none none none none"),
        (.first, "none none none none finish giveUp attempt attempt giveUp none none none none"),
        (.again, "none none none none finish giveUp attempt attempt pause none none none none"),
        (.overtaken, "none none none none finish giveUp attempt attempt attempt abandon none none none"),
        (.abandoned, "none none none none finish attempt attempt attempt attempt none none none none"),
        (.online, "none probe none none finish giveUp attempt attempt pause none probe none probe"),
        (.probing, "none none none none finish giveUp attempt attempt attempt none none none none"),
        (.paused, "none attempt finish none none none none none none attempt attempt awaitNetwork attempt"),
        (.awaiting, "none attempt finish none none none none none none attempt attempt none none"),
        (.closing, "none none none none finish finish finish finish finish none none none none"),
        (.finished, "none none none none none none none none none none none none none"),
    ]

    @Test("each event in each state", arguments: table)
    func everyEventInEveryState(stand: Stand, row: String) {
        let expected = row.split(separator: " ").map(String.init)
        #expect(expected.count == Event.allCases.count)
        for (event, action) in zip(Event.allCases, expected) {
            let schedule = Self.schedule(stand)
            let seen = Self.send(event, to: schedule)
            #expect(seen == action, "\(event) while \(stand)")
        }
    }

    @Test("W-27: the backoff doubles up to a maximum, has jitter, and continues for temporary failures")
    func backOff() {
        var policy = ReconnectionPolicy(attempts: nil)
        for (jitter, shortest) in [(ReconnectionPolicy.Jitter.equal, 0.5), (.full, 0)] {
            policy.jitter = jitter
            let schedule = Self.schedule(.online, policy)
            var now = start
            var pauses: [Double] = []
            for round in 0..<40 {
                let jitterFraction = round == 39 ? 1.0 : 0.0
                guard
                    case .pause(let until) = schedule.disconnected(
                        Ending.time.end, now: now, jitterFraction: jitterFraction)
                else {
                    Issue.record("no backoff in round \(round)")
                    return
                }
                pauses.append(now.duration(to: until) / .seconds(1))
                now = until
                #expect(schedule.deadlinePassed(now: now) == .attempt(.usual))
            }
            #expect(pauses.prefix(8) == [1, 2, 4, 8, 16, 32, 60, 60])
            #expect(pauses.last == 60 * shortest)
        }
    }

    @Test("a server that accepts and drops connections is not flooded: only time online resets the backoff")
    func acceptAndDrop() {
        let schedule = Self.schedule(.online)
        var now = start
        var pauses: [Duration] = []
        for onlineFor in [1, 1, 1, 31, 1] {
            now += .seconds(onlineFor)
            guard case .pause(let until) = schedule.disconnected(Ending.time.end, now: now, jitterFraction: 0) else {
                Issue.record("no pause")
                return
            }
            pauses.append(now.duration(to: until))
            now = until
            _ = schedule.deadlinePassed(now: now)
            schedule.established(now: now)
        }
        #expect(pauses == [.seconds(1), .seconds(2), .seconds(4), .seconds(1), .seconds(2)])
    }

    @Test("a limited number of attempts is respected, and failures of the network are not counted")
    func boundedAttempts() {
        var schedule = Self.schedule(.online, ReconnectionPolicy(attempts: 2))
        let ends = (1...3).map { _ -> [String] in
            let action = schedule.disconnected(Ending.time.end, now: start, jitterFraction: 0).label
            return [action, schedule.deadlinePassed(now: after(100)).label]
        }
        #expect(ends == [["pause", "attempt"], ["pause", "attempt"], ["giveUp", "none"]])

        schedule = Self.schedule(.paused, ReconnectionPolicy(attempts: 1))
        for _ in 0..<5 {
            #expect(schedule.connectNow(now: start) == .attempt(.usual))
            #expect(schedule.disconnected(Ending.time.end, now: start, jitterFraction: 0).label == "pause")
        }
    }

    @Test("a failure of the first login is reported immediately unless the policy disables that")
    func firstLogin() {
        var policy = ReconnectionPolicy.standard
        policy.retriesFirstLogin = true
        var schedule = Self.schedule(.first, policy)
        #expect(schedule.disconnected(Ending.time.end, now: start, jitterFraction: 0).label == "pause")
        schedule = Self.schedule(.first, policy)
        #expect(schedule.disconnected(Ending.person.end, now: start, jitterFraction: 0) == .giveUp)
    }

    @Test("a session replaced by a new one reconnects immediately, but not in circles")
    func detours() {
        let schedule = Self.schedule(.online)
        for _ in 0..<ReconnectionSchedule.detourLimit {
            #expect(schedule.disconnected(Ending.fresh.end, now: start, jitterFraction: 0).label == "attempt")
            schedule.established(now: start)
        }
        #expect(schedule.disconnected(Ending.fresh.end, now: start, jitterFraction: 0).label == "pause")
    }

    @Test("the server that holds a session is tried first, and if it is not available the usual one immediately")
    func deadLocation() {
        let keeper = ReconnectionSchedule.Place.keeper(StreamError.Host(name: "2001:db8::1", port: 5222))
        let state = ResumptionState(
            id: "1", address: .juliet, handledCount: 0, acknowledgedCount: 0, unacknowledged: [],
            location: "[2001:db8::1]:5222")
        let lost = StreamEnd(reason: .failed(StreamFailure(.connectionLost)), resumption: state)
        let unreachable = StreamEnd(reason: .failed(StreamFailure(.serverUnreachable)), resumption: state)
        var schedule = Self.schedule(.online)
        #expect(schedule.disconnected(lost, now: start, jitterFraction: 0).label == "pause")
        #expect(schedule.deadlinePassed(now: after(1)) == .attempt(keeper))
        #expect(schedule.disconnected(unreachable, now: after(1), jitterFraction: 0) == .attempt(.usual))
        #expect(schedule.disconnected(unreachable, now: after(1), jitterFraction: 0).label == "pause")
        #expect(schedule.deadlinePassed(now: after(9)) == .attempt(.usual))
        schedule.established(now: after(9))
        _ = schedule.disconnected(lost, now: after(9), jitterFraction: 0)
        #expect(schedule.deadlinePassed(now: after(99)) == .attempt(keeper))

        schedule = OwnedSchedule(.standard)
        #expect(schedule.start(location: "[2001:db8::1]:5222", now: start) == .attempt(keeper))
        #expect(schedule.disconnected(unreachable, now: start, jitterFraction: 0) == .attempt(.usual))
        #expect(schedule.disconnected(unreachable, now: start, jitterFraction: 0) == .giveUp)
    }

    @Test("an unstable interface causes no flood of attempts")
    func flapping() {
        let schedule = Self.schedule(.paused, ReconnectionPolicy(attempts: nil))
        var attempts = 0
        for second in 0..<600 {
            for isAvailable in [false, true] {
                guard case .attempt = schedule.networkChanged(isAvailable: isAvailable, now: after(Double(second)))
                else { continue }
                attempts += 1
                _ = schedule.disconnected(Ending.time.end, now: after(Double(second)), jitterFraction: 0)
            }
        }
        #expect(attempts <= 3 + 600 / 20)
        #expect(attempts >= 20)
    }

    @Test("without a network no attempt is made, and a wrong network monitor is not trusted forever")
    func noNetwork() {
        let schedule = Self.schedule(.paused, ReconnectionPolicy(attempts: 1))
        #expect(schedule.networkChanged(isAvailable: false, now: start) == .awaitNetwork)
        let (next, deadline) = (schedule.nextAttempt, schedule.nextDeadline)
        #expect(next == nil)
        #expect(deadline == start.advanced(by: ReconnectionSchedule.mistrust))
        for round in 1...5 {
            let now = start.advanced(by: ReconnectionSchedule.mistrust * round)
            #expect(schedule.deadlinePassed(now: now) == .attempt(.usual))
            #expect(schedule.disconnected(Ending.time.end, now: now, jitterFraction: 0) == .awaitNetwork)
        }
        #expect(schedule.networkChanged(isAvailable: true, now: after(9999)) == .attempt(.usual))
    }

    @Test("a connection that a probe found dead is replaced immediately")
    func deadAfterProbe() {
        let schedule = Self.schedule(.online)
        #expect(schedule.networkChanged(isAvailable: true, now: after(100)) == .probe(within: .seconds(5)))
        #expect(schedule.networkChanged(isAvailable: true, now: after(104)) == .none)
        let dead = StreamEnd(reason: .failed(StreamFailure(.serverUnresponsive)))
        #expect(schedule.disconnected(dead, now: after(105), jitterFraction: 0) == .attempt(.usual))
    }

    @Test("our own restored session is not a conflict; a session created after it is")
    func ghost() {
        let schedule = Self.schedule(.online)
        let conflict = StreamEnd(reason: .failed(StreamFailure(StreamError(.conflict))))
        #expect(schedule.disconnected(Ending.time.end, now: after(60), jitterFraction: 0) == .pause(until: after(61)))
        #expect(schedule.deadlinePassed(now: after(61)) == .attempt(.usual))
        #expect(schedule.disconnected(Ending.fresh.end, now: after(66), jitterFraction: 0) == .attempt(.usual))
        schedule.established(now: after(67))
        #expect(schedule.disconnected(conflict, now: after(100), jitterFraction: 0).label == "pause")
        #expect(schedule.deadlinePassed(now: after(200)) == .attempt(.usual))
        schedule.established(now: after(200))
        #expect(schedule.disconnected(conflict, now: after(300), jitterFraction: 0) == .giveUp)
    }

    @Test("sleep is detected by the difference of the two clocks")
    func sleep() {
        let schedule = Self.schedule(.online)
        func read(_ passed: Double, awake: Double) -> ReconnectionSchedule.Action {
            schedule.clocksRead(now: after(passed), awake: Self.bothAwake + .seconds(awake))
        }
        #expect(read(0, awake: 0) == .none)
        #expect(read(3600, awake: 3599) == .none)
        #expect(read(7200, awake: 3605) == .probe(within: .seconds(5)))
        #expect(read(7201, awake: 3606) == .none)
    }

    @Test(
        "only temporary failures are retried",
        arguments: [
            (StreamFailure(.credentialsRejected), false), (StreamFailure(.accountDisabled), false),
            (StreamFailure(.certificateRejected), false), (StreamFailure(.encryptionRefused), false),
            (StreamFailure(.injectedBeforeEncryption), false), (StreamFailure(.serverNotAuthentic), false),
            (StreamFailure(.noAcceptableMechanism), false), (StreamFailure(.resourceConflict), false),
            (StreamFailure(StreamError(.conflict)), false), (StreamFailure(StreamError(.hostUnknown)), false),
            (StreamFailure(.accountMismatch), false), (StreamFailure(StreamError(.policyViolation)), true),
            (StreamFailure(.malformedXML), true), (StreamFailure(StreamError(.invalidXML)), true),
            (StreamFailure(.serverNotFound), true), (StreamFailure(.serverUnreachable), true),
            (StreamFailure(.serverUnresponsive), true), (StreamFailure(.loginTimedOut), true),
            (StreamFailure(.authenticationUnavailable), true), (StreamFailure(.encryptionFailed), true),
            (StreamFailure(.handledCountTooHigh), true), (StreamFailure(StreamError(.systemShutdown)), true),
            (StreamFailure(StreamError(.resourceConstraint)), true),
        ])
    func remedies(failure: StreamFailure, isRetried: Bool) {
        let schedule = Self.schedule(.online)
        let action = schedule.disconnected(StreamEnd(reason: .failed(failure)), now: start, jitterFraction: 0)
        #expect(action.label == (isRetried ? "pause" : "giveUp"))
    }
}
