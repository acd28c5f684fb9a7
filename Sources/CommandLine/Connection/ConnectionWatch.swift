internal import Automation
internal import ChatModel
internal import Glibc
internal import JSONRPC
internal import MessageFeatures
internal import TerminalApp
internal import XMPPAddress
internal import XMPPClient

/// Shows the state of a session's connection, from its first step to its end, and its costs: a line for each change, or
/// on a terminal one line that is updated.
actor ConnectionWatch {
    private let isJSON: Bool
    private let status: StatusLine?
    private var state = ConnectionState.offline(reason: nil, nextAttempt: nil)
    private var since = ContinuousClock.now
    private var address: JID?
    /// The counts when the session came online.
    private var baseline: Traffic?

    /// How often the line on a terminal is updated between two changes, because it shows seconds.
    private static let tick = Duration.seconds(1)

    init(isJSON: Bool) {
        self.isJSON = isJSON
        status = !isJSON && isatty(STDOUT_FILENO) == 1 ? StatusLine() : nil
    }

    /// Watches until the session ends or the task is cancelled.
    func run(_ session: Session) async {
        let events = session.events(.connection)
        session.connect()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                for await batch in events {
                    for case .stateChanged(let state) in batch { await self.changed(to: state, in: session) }
                }
            }
            if status != nil {
                group.addTask {
                    while (try? await Task.sleep(for: Self.tick)) != nil { await self.refresh(session) }
                }
            }
            // The events end with the session; the timer does not.
            await group.next()
            group.cancelAll()
        }
        status?.finish()
        await showBudget(session)
    }

    private func changed(to state: ConnectionState, in session: Session) async {
        guard state != self.state else { return }
        if status == nil { await showBudget(session) }
        self.state = state
        since = .now
        baseline = nil
        address = await session.address
        baseline = state.isOnline ? await session.traffic : nil
        guard status == nil else { return await refresh(session) }
        let now = Timestamp.now
        if isJSON {
            let members: [(String, JSONValue)] = [("event", "connection"), ("time", .text(now))]
            StandardOutput.writeLine(JSONValue(members + state.facts(as: address)).description)
        } else {
            StandardOutput.writeLine("\(now.exactClockText) " + state.phrase(as: address).text)
        }
    }

    /// The costs of the current or last connection.
    private func budget(_ session: Session) async -> TrafficBudget? {
        guard let baseline else { return nil }
        return TrafficBudget(from: baseline, to: await session.traffic, elapsed: .now - since)
    }

    private func showBudget(_ session: Session) async {
        guard let budget = await budget(session) else { return }
        if isJSON {
            StandardOutput.writeLine(budget.json.description)
        } else {
            StandardOutput.writeLine("\(Timestamp.now.exactClockText) " + Phrase("traffic: %@", budget.phrase).text)
        }
    }

    private func refresh(_ session: Session) async {
        var remaining: Duration?
        if case .offline(_, let next?) = state { remaining = next - (.now - since) }
        var phrases = [state.phrase(as: nil, remaining: remaining)]
        if let budget = await budget(session) { phrases.append(budget.phrase) }
        status?.show(phrases.map(\.text).joined(separator: " · "))
    }
}

extension ConnectionState {
    /// The state as text for the user.
    ///
    /// - Parameters:
    ///   - address: the address of the session, for the state online.
    ///   - remaining: the time until the next attempt; by default the whole delay.
    func phrase(as address: JID?, remaining: Duration? = nil) -> Phrase {
        switch self {
        case .offline(nil, _): return Phrase("offline")
        case .offline(let reason?, let next):
            let words = Phrase.wording { Wording.failure(reason, domain: address?.domain) }
            guard let next = remaining ?? next else { return Phrase("offline: %@", words) }
            let wait = Phrase.wording { Wording.seconds(max(0, next.roundedSeconds)) }
            return Phrase("offline: %@ Next try in %@.", words, wait)
        case .connecting(let step):
            return Phrase("connecting: %@", Phrase.wording { Wording.step(step, to: address?.domain) })
        case .online(let isResumed):
            let kind = isResumed ? Phrase("the session was resumed") : Phrase("a new session")
            return address.map { Phrase("online: %@, %@", kind, $0) } ?? Phrase("online: %@", kind)
        }
    }
}
