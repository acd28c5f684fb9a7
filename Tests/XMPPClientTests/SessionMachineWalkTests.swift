import Testing
import Waiting
import XMPPStanzas

@testable import XMPPClient
@testable import XMPPStream

/// Any event in any order: the machine keeps its promises.
@Suite("The life of a session as a machine, random walk")
struct SessionMachineWalkTests {
    /// What the owner of a machine has seen, and what must be true of each answer.
    struct Model {
        var shown = ConnectionState.offline(reason: nil, nextAttempt: nil)
        var isConnectionThere = false
        var isConnected = false
        var isOver = false
        /// Whether the session was online and has not started yet.
        var mustStart = false
        var hasPresence = false
        var isPresenceOwed = false
        var violations: [String] = []

        mutating func check(_ action: SessionMachine.Action, by occasion: SessionOccasion) {
            if isOver { violations.append("\(action) after the end, by \(occasion)") }
            switch action {
            case .show(let state):
                if state == shown { violations.append("\(state) twice in a row, by \(occasion)") }
                switch (shown, state) {
                case (.offline, .online): violations.append("online without connecting, by \(occasion)")
                case (.online, .connecting), (.online, .online):
                    violations.append("\(state) from online, by \(occasion)")
                case (.connecting(let one), .connecting(let other)) where one > other:
                    violations.append("a step back, by \(occasion)")
                default: break
                }
                shown = state
            case .connected:
                if !isConnectionThere || isConnected { violations.append("connected twice, by \(occasion)") }
                (isConnected, mustStart) = (true, true)
            case .disconnected: (isConnected, mustStart) = (false, false)
            case .probe: if !isConnected { violations.append("nothing to probe, by \(occasion)") }
            case .abandon, .closeStream:
                if !isConnectionThere { violations.append("no stream to end, by \(occasion)") }
            case .start:
                if !mustStart { violations.append("a start without a connection, or a second one, by \(occasion)") }
                mustStart = false
            case .withdrawPresence:
                if !isConnected || !hasPresence { violations.append("no presence to withdraw, by \(occasion)") }
            case .proceed, .adopt, .addressChanged, .lose, .failed: break
            }
        }

        /// Notes what concerns the presence, and compares what is owed.
        mutating func note(_ occasion: SessionOccasion, owed: Bool) {
            switch occasion {
            case .presenceSent: (hasPresence, isPresenceOwed) = (true, false)
            case .established: isPresenceOwed = hasPresence
            case .takeOwedPresence:
                if owed != isPresenceOwed { violations.append("a presence is owed: \(isPresenceOwed), not \(owed)") }
                isPresenceOwed = false
            default: break
            }
        }

        mutating func check(_ step: SessionMachine.Step, in phase: Phase, deadline: ContinuousInstant?) {
            switch step {
            case .wait:
                if phase == .offline, deadline == nil { violations.append("nothing will ever happen any more") }
            case .connect:
                if isConnectionThere { violations.append("two connections at once") }
                isConnectionThere = true
            case .end: if isConnectionThere { violations.append("the end with a connection") }
            }
        }
    }

    @Test("300,000 random events keep the promises")
    func walk() throws {
        var random = SeededGenerator(seed: 0x9E37_79B9)
        var (events, connections) = (0, 0)
        while events < 300_000 {
            var policy = DrivenSession.policy
            policy.attempts = [nil, 3, 0].randomElement(using: &random) ?? nil
            policy.retriesFirstLogin = .random(using: &random)
            var session = try DrivenSession(policy)
            var model = Model()
            for action in session.happen(.begin) { model.check(action, by: .begin) }
            while session.machine.phase != .ended {
                let phase = session.machine.phase
                // The end comes seldom, and when there is no connection.
                let rare: Set<SessionOccasion> = [.closeRequested, .suspensionRequested, .cannotGoOn]
                let possible = SessionOccasion.allCases.filter {
                    $0.phases.contains(phase)
                        && (!rare.contains($0) || Int.random(in: 0..<50, using: &random) == 0)
                }
                guard let occasion = possible.randomElement(using: &random) else { break }
                events += 1
                session.now += .milliseconds(.random(in: 0..<40_000, using: &random))
                session.jitter = .random(in: 0...1, using: &random)
                // Who closes ends the stream.
                for action in session.happen(occasion) { model.check(action, by: occasion) }
                let next = session.machine.phase
                if phase == .draining, next == .offline { model.isConnectionThere = false }
                if occasion == .nextStep {
                    model.check(session.step, in: phase, deadline: session.machine.nextDeadline)
                    if case .connect = session.step {
                        connections += 1
                        for action in session.happen(.progressed) { model.check(action, by: .progressed) }
                    }
                }
                model.note(occasion, owed: session.owed != nil)
                if occasion == .ended { model.isOver = true }
                if (session.machine.sending == .now) != (next == .starting || next == .online) {
                    model.violations.append("\(session.machine.sending) in \(next)")
                }
                if session.machine.shown != model.shown { model.violations.append("something is shown and not told") }
            }
            for occasion in SessionOccasion.allCases where occasion.phases.contains(.ended) {
                for action in session.happen(occasion) { model.check(action, by: occasion) }
            }
            try #require(model.violations.isEmpty)
        }
        #expect(connections > 5_000)
    }
}

/// Random numbers that follow from a seed (SplitMix64).
private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
