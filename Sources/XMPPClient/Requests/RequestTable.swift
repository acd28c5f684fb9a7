import XMPPAddress
import XMPPStanzas

/// The requests that wait for their answer. An answer belongs to a request by its id and its sender, once (RFC 6120
/// §8.2.3).
///
/// The table has no clock and resumes no task; it returns the tasks to resume.
struct RequestTable<Waiter>: ~Copyable {
    private struct Entry {
        var receiver: JID?
        var deadline: ContinuousClock.Instant
        var waiter: Waiter
    }

    private var entries: [String: Entry] = [:]

    /// Our full address: some responses are sent on behalf of our account or server.
    var ownAddress: JID?

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// When the first request is due, or earlier: an answer does not move it, for finding the next one costs a look at
    /// all.
    private(set) var nextDeadline: ContinuousClock.Instant?

    mutating func enter(id: String, to receiver: JID?, deadline: ContinuousClock.Instant, waiter: Waiter) {
        precondition(entries[id] == nil, "Two requests with the same id wait for an answer.")
        entries[id] = Entry(receiver: receiver, deadline: deadline, waiter: waiter)
        nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
    }

    func contains(id: String) -> Bool { entries[id] != nil }

    /// What waits for this answer, or `nil` if nothing does: the id is unknown, was answered before, or belongs
    /// to a request that was sent to another address.
    mutating func answered(by iq: IQ) -> Waiter? {
        guard !iq.requiresResponse, let id = iq.id, let entry = entries[id], isAllowed(iq.from, for: entry.receiver)
        else {
            return nil
        }
        entries[id] = nil
        return entry.waiter
    }

    /// Takes a request back, so that a late answer is ignored.
    mutating func withdraw(id: String) -> Waiter? { entries.removeValue(forKey: id)?.waiter }

    /// The ones whose time is over.
    mutating func deadlinePassed(now: ContinuousClock.Instant) -> [Waiter] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        let due = entries.filter { $0.value.deadline <= now }
        for id in due.keys { entries[id] = nil }
        self.nextDeadline = entries.values.map(\.deadline).min()
        return due.values.map(\.waiter)
    }

    /// All, because no answer can come any more.
    mutating func withdrawAll() -> [Waiter] {
        defer { entries = [:] }
        return entries.values.map(\.waiter)
    }

    /// Those whose id the condition picks, because no answer to them can come any more.
    mutating func withdrawAll(where isLost: (String) -> Bool) -> [Waiter] {
        let lost = entries.filter { isLost($0.key) }
        for id in lost.keys { entries[id] = nil }
        return lost.values.map(\.waiter)
    }

    /// RFC 6120 §8.1.2.1 and §10.3.3: the server handles stanzas without a receiver on behalf of our account. Depending
    /// on the server, the response has no sender, our bare or full address, or the domain of the server.
    private func isAllowed(_ sender: JID?, for receiver: JID?) -> Bool {
        if let receiver, sender == receiver { return true }
        let isForAccount = receiver == nil || receiver == ownAddress?.bare
        // The server stamps what others send, so only the server itself can leave the sender out.
        guard let sender else { return isForAccount || receiver == ownAddress?.domainJID }
        guard isForAccount, let ownAddress else { return false }
        return sender == ownAddress.bare || receiver == nil && (sender == ownAddress || sender == ownAddress.domainJID)
    }
}
