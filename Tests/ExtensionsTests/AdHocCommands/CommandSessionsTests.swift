import Testing
import XMPPAddress

@testable import AdHocCommands

@Suite("Open executions of commands")
struct CommandSessionsTests {
    private let start = ContinuousClock.now
    private let romeo: JID
    private let juliet: JID

    init() throws {
        romeo = try JID("romeo@example.org/a")
        juliet = try JID("juliet@example.org/b")
    }

    private func execution(of requester: JID, at seconds: Int = 0) -> CommandSessions.Execution {
        CommandSessions.Execution(
            node: "n", requester: requester, steps: [.completed("")], lastUse: start.advanced(by: .seconds(seconds)))
    }

    @Test("an execution belongs to the full address and the node that began it")
    func owner() throws {
        var sessions = CommandSessions()
        sessions.begin(execution(of: romeo), id: "1", now: start)
        for (requester, node) in [(juliet, "n"), (try JID("romeo@example.org/other"), "n"), (romeo, "m")] {
            guard case .unknown = sessions.take("1", by: requester, node: node, now: start) else {
                Issue.record("\(requester) \(node)")
                continue
            }
        }
        guard case .open = sessions.take("1", by: romeo, node: "n", now: start) else {
            Issue.record("not open")
            return
        }
        guard case .busy = sessions.take("1", by: romeo, node: "n", now: start) else {
            Issue.record("not busy")
            return
        }
    }

    @Test("what one address opens replaces only its own oldest")
    func perRequester() {
        var sessions = CommandSessions()
        sessions.begin(execution(of: juliet), id: "juliet", now: start)
        for number in 0..<100 {
            sessions.begin(
                execution(of: romeo, at: number), id: "\(number)", now: start.advanced(by: .seconds(number)))
        }
        #expect(sessions.count == CommandSessions.limitPerRequester + 1)
        let end = start.advanced(by: .seconds(100))
        guard case .open = sessions.take("juliet", by: juliet, node: "n", now: end) else {
            Issue.record("juliet's is gone")
            return
        }
        guard case .ended = sessions.take("90", by: romeo, node: "n", now: end) else {
            Issue.record("90 is open")
            return
        }
    }

    @Test("many addresses together fill no more than the limit")
    func all() throws {
        var sessions = CommandSessions()
        for number in 0..<(2 * CommandSessions.limit) {
            sessions.begin(
                execution(of: try JID("u\(number)@example.org/x"), at: number % 60), id: "\(number)", now: start)
        }
        #expect(sessions.count == CommandSessions.limit)
    }

    @Test("one that is not continued has expired")
    func expiry() {
        var sessions = CommandSessions()
        sessions.begin(execution(of: romeo), id: "1", now: start)
        let late = start.advanced(by: CommandSessions.lifetime + .seconds(1))
        guard case .ended = sessions.take("1", by: romeo, node: "n", now: late) else {
            Issue.record("still open")
            return
        }
        #expect(sessions.count == 0)
    }
}
