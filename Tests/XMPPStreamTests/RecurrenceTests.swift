import Testing
import Waiting
import XMLStreaming
import XMPPStanzas

@testable import XMPPStream

/// Recurring failures: the account stays online, the cause is removed.
@Suite("Recurring failures")
struct RecurrenceTests {
    private func after(_ seconds: Double) -> ContinuousInstant { start.advanced(by: .seconds(seconds)) }

    /// The backoffs if each second connection ends in the same way, until the schedule gives up.
    private func pauses(_ ends: [StreamEnd], on schedule: OwnedSchedule) -> [Double] {
        var now = start
        var pauses: [Double] = []
        for end in ends {
            now += .seconds(1)
            guard case .pause(let until) = schedule.disconnected(end, now: now, jitterFraction: 0) else { break }
            pauses.append(now.duration(to: until) / .seconds(1))
            now = until
            _ = schedule.deadlinePassed(now: now)
            schedule.established(now: now)
        }
        return pauses
    }

    private func illFormed(at offset: Int) -> StreamEnd {
        StreamEnd(reason: .failed(StreamFailure(XMLError(.invalidUTF8, at: offset))))
    }

    @Test("ill-formed bytes end the connection and not the account, until they recur at the same position")
    func illFormed() {
        let same = Array(repeating: illFormed(at: 4_711), count: 10)
        #expect(pauses(same, on: ReconnectionScheduleTests.schedule(.online)) == [1, 2, 4, 8])

        let others = (0..<10).map { illFormed(at: $0) }
        #expect(pauses(others, on: ReconnectionScheduleTests.schedule(.online)).count == 10)

        let broken = (0..<10).map { $0 % 4 == 3 ? Ending.time.end : illFormed(at: 4_711) }
        #expect(pauses(broken, on: ReconnectionScheduleTests.schedule(.online)).count == 10)
    }

    @Test("a protocol violation before the first session is reported immediately")
    func firstLogin() {
        var policy = ReconnectionPolicy.standard
        policy.retriesFirstLogin = true
        for end in [illFormed(at: 1), policyViolation] {
            let schedule = ReconnectionScheduleTests.schedule(.first, policy)
            #expect(schedule.disconnected(end, now: start, jitterFraction: 0) == .giveUp)
        }
    }

    private var policyViolation: StreamEnd {
        StreamEnd(reason: .failed(StreamFailure(StreamError(.policyViolation))))
    }

    @Test("policy-violation on a running stream is always retried, with growing backoff")
    func policy() {
        let ends = Array(repeating: policyViolation, count: 9)
        #expect(pauses(ends, on: ReconnectionScheduleTests.schedule(.online)) == [1, 2, 4, 8, 16, 32, 60, 60, 60])
    }

    @Test("I5: an endless redirect is followed once immediately, then with growing backoff")
    func redirects() {
        let schedule = ReconnectionScheduleTests.schedule(.online)
        var now = start
        var seen: [ReconnectionSchedule.Action] = []
        for _ in 0..<5 {
            var action = schedule.disconnected(Ending.elsewhere.end, now: now, jitterFraction: 0)
            if case .pause(let until) = action {
                seen.append(action)
                now = until
                action = schedule.deadlinePassed(now: now)
            }
            seen.append(action)
            schedule.established(now: now)
        }
        let place = ReconnectionSchedule.Place.redirected(StreamError.Host(name: "b.xmpp.test"))
        #expect(
            seen == [
                .attempt(place), .pause(until: after(1)), .attempt(place), .pause(until: after(3)), .attempt(place),
                .pause(until: after(7)), .attempt(.usual), .pause(until: after(15)), .attempt(.usual),
            ])
    }

    @Test("I5: a redirect to the same server is not followed immediately", arguments: [nil, 5222] as [UInt16?])
    func redirectToItself(port: UInt16?) {
        var schedule = ReconnectionSchedule(.standard, usualHost: StreamError.Host(name: "B.xmpp.test", port: port))
        _ = schedule.start(now: start)
        schedule.established(now: start)
        let action = schedule.disconnected(Ending.elsewhere.end, now: start, jitterFraction: 0)
        #expect(action.label == "pause")
    }

    @Test("a message after which the stream ended twice is the suspect")
    func suspicion() {
        typealias Candidate = StanzaSuspicion.Candidate
        var suspicion = StanzaSuspicion()
        #expect(suspicion.streamRefused([]) == nil)
        #expect(
            suspicion.streamRefused([Candidate(id: "a", byteCount: 300), Candidate(id: "b", byteCount: 200)]) == nil)
        #expect(suspicion.streamRefused([Candidate(id: "c", byteCount: 200)]) == nil)
        #expect(suspicion.streamRefused([Candidate(id: "b", byteCount: 200)]) == nil)
        #expect(suspicion.streamRefused([Candidate(id: "b", byteCount: 200)]) == "b")
        #expect(suspicion.streamRefused([Candidate(id: "b", byteCount: 200)]) == nil)

        let long = Candidate(id: "long", byteCount: StreamLimits.safeBytes + 1)
        #expect(suspicion.streamRefused([long, Candidate(id: "d", byteCount: 200)]) == nil)
        #expect(suspicion.streamRefused([long, Candidate(id: "e", byteCount: 200)]) == "long")
    }
}
