import Testing
import Waiting
import XMPPStanzas

@testable import XMPPStream

/// Any event in any order: the invariants of the schedule hold.
@Suite("Reconnection schedule, random walk")
struct ReconnectionWalkTests {
    /// The knowledge of a schedule's owner, and the invariants of each reaction.
    struct Model {
        let policy: ReconnectionPolicy
        var isAttempting = false
        var isOnline = false
        var isOver = false
        var pausedUntil: ContinuousInstant?
        var hurried: [ContinuousInstant] = []
        var detours = 0
        var onlineSince = start
        var violations: [String] = []

        init(_ policy: ReconnectionPolicy) { self.policy = policy }

        mutating func check(
            _ action: ReconnectionSchedule.Action, by event: String, isReason: Bool, now: ContinuousInstant
        ) {
            if isOver, action != .none { violations.append("\(action) after the end, by \(event)") }
            switch action {
            case .none: break
            case .attempt:
                if isAttempting || isOnline { violations.append("two attempts at once, by \(event)") }
                if let pausedUntil, now < pausedUntil, !isReason {
                    violations.append("an attempt before its time, by \(event)")
                }
                if event == "network" || event == "sleep" { hurry(now) }
                isAttempting = true
                pausedUntil = nil
            case .pause(let until):
                let length = now.duration(to: until)
                let shortest = policy.jitter == .equal ? policy.backoff.first / 2 : .zero
                if length < shortest || length > policy.backoff.longest {
                    violations.append("a pause of \(length)")
                }
                pausedUntil = until
            case .awaitNetwork: pausedUntil = nil
            case .probe: if !isOnline { violations.append("a probe while offline, by \(event)") }
            case .abandon: if !isAttempting { violations.append("nothing to abandon") }
            case .giveUp, .finish: isOver = true
            }
        }

        /// No more than the bucket allows: ten in a row take more than 100 seconds.
        private mutating func hurry(_ now: ContinuousInstant) {
            hurried.append(now)
            guard hurried.count >= 10 else { return }
            if hurried[hurried.count - 10].duration(to: now) < .seconds(100) { violations.append("a storm") }
            if hurried.count > 100 { hurried.removeFirst(90) }
        }
    }

    static let ends: [StreamEnd] =
        Array(repeating: Ending.time.end, count: 30) + [Ending.elsewhere.end, Ending.fresh.end, Ending.person.end]

    @Test("1,000,000 random events preserve the invariants")
    func walk() {
        var random = Xorshift(state: 0x9E37_79B9_7F4A_7C15)
        var events = 0
        var attempts = 0
        var violations: [String] = []
        while events < 1_000_000, violations.isEmpty {
            var policy = ReconnectionPolicy(
                attempts: [nil, nil, 8, 3][random.below(4)], backoff: Backoff(first: .seconds(1), longest: .seconds(60))
            )
            policy.jitter = random.below(2) == 0 ? .equal : .full
            policy.retriesFirstLogin = random.below(2) == 0
            var schedule = ReconnectionSchedule(policy)
            var model = Model(policy)
            var now = start
            var awake = Duration.zero
            var after = 0
            model.check(schedule.start(now: now), by: "start", isReason: true, now: now)
            while after < 10, events < 1_000_000 {
                events += 1
                if model.isOver { after += 1 }
                let step = Duration.milliseconds(random.below(3) == 0 ? random.below(20_000) : random.below(900))
                now += step
                awake += step
                switch random.below(12) {
                case 0: model.check(schedule.connectNow(now: now), by: "owner", isReason: true, now: now)
                case 1, 2:
                    let change = schedule.networkChanged(isAvailable: random.below(3) > 0, now: now)
                    model.check(change, by: "network", isReason: true, now: now)
                case 3:
                    if random.below(4) == 0 { now += .seconds(random.below(10_000)) }
                    let slept = schedule.clocksRead(now: now, awake: awake)
                    model.check(slept, by: "sleep", isReason: true, now: now)
                case 4, 5, 6:
                    if let deadline = schedule.nextDeadline, deadline < now.advanced(by: .seconds(30)) {
                        now = max(now, deadline)
                    }
                    model.check(schedule.deadlinePassed(now: now), by: "time", isReason: false, now: now)
                case 7, 8:
                    guard model.isAttempting else { continue }
                    (model.isAttempting, model.isOnline) = (false, true)
                    attempts += 1
                    schedule.established(now: now)
                case 9, 10:
                    guard model.isAttempting || model.isOnline else { continue }
                    (model.isAttempting, model.isOnline) = (false, false)
                    let end = Self.ends[random.below(Self.ends.count)]
                    let action = schedule.disconnected(end, now: now, jitterFraction: Double(random.below(1001)) / 1000)
                    model.check(action, by: "end", isReason: true, now: now)
                default:
                    guard random.below(500) == 0 else { continue }
                    let wasStanding = model.isAttempting || model.isOnline
                    let action = schedule.close()
                    model.check(action, by: "close", isReason: false, now: now)
                    guard wasStanding, !model.isOver else { continue }
                    (model.isAttempting, model.isOnline) = (false, false)
                    let last = schedule.disconnected(Ending.time.end, now: now, jitterFraction: 0)
                    if last != .finish { model.violations.append("\(last) after the wanted end") }
                    model.isOver = true
                }
            }
            violations += model.violations
        }
        #expect(violations.isEmpty)
        #expect(attempts > 10_000)
    }
}

/// Marsaglia's generator: fast, and the same walk in every run.
private struct Xorshift {
    var state: UInt64

    mutating func below(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(truncatingIfNeeded: (state >> 16) % UInt64(bound))
    }
}
