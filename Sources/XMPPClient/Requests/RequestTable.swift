import Waiting
import XMPPAddress
import XMPPStanzas

/// The pending requests. A response is matched to a request by its id and its sender, once (RFC 6120 §8.2.3).
///
/// The table has no clock and resumes no task; it returns the tasks to resume.
struct RequestTable<Waiter>: ~Copyable {
    private struct Entry {
        /// The address that asked, if the session has several: the response must be for it.
        var sender: JID?
        var receiver: JID?
        var deadline: ContinuousInstant
        var waiter: Waiter
    }

    private var entries: [String: Entry] = [:]

    /// Our full address: some responses are sent on behalf of our account or server.
    var ownAddress: JID?

    var isEmpty: Bool { entries.isEmpty }
    var count: Int { entries.count }

    /// The earliest deadline, or a time before it: a response does not move it, because finding the next deadline
    /// requires a search.
    private(set) var nextDeadline: ContinuousInstant?

    mutating func enter(
        id: String, from sender: JID? = nil, to receiver: JID?, deadline: ContinuousInstant,
        waiter: Waiter
    ) {
        precondition(entries[id] == nil, "Two requests with the same id wait for an answer.")
        entries[id] = Entry(sender: sender, receiver: receiver, deadline: deadline, waiter: waiter)
        nextDeadline = nextDeadline.map { min($0, deadline) } ?? deadline
    }

    func contains(id: String) -> Bool { entries[id] != nil }

    /// The waiting task of this response, or `nil` if there is none: the id is unknown, was answered before, or belongs
    /// to a request that was sent to another address.
    mutating func answered(by iq: IQ) -> Waiter? {
        guard !iq.requiresResponse, let id = iq.id, let entry = entries[id], isAllowed(iq.from, for: entry.receiver),
            entry.sender == nil || entry.sender == iq.to
        else {
            return nil
        }
        entries[id] = nil
        return entry.waiter
    }

    /// Withdraws a request, so that a late response is ignored.
    mutating func withdraw(id: String) -> Waiter? { entries.removeValue(forKey: id)?.waiter }

    /// Removes and returns the requests that timed out.
    mutating func deadlinePassed(now: ContinuousInstant) -> [Waiter] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        let due = entries.filter { $0.value.deadline <= now }
        for id in due.keys { entries[id] = nil }
        self.nextDeadline = entries.values.map(\.deadline).min()
        return due.values.map(\.waiter)
    }

    /// Withdraws all requests, because no response can arrive any more.
    mutating func withdrawAll() -> [Waiter] {
        defer { entries = [:] }
        return entries.values.map(\.waiter)
    }

    /// Withdraws the requests whose id satisfies the condition, because no response to them can arrive any more.
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
        // The server sets the sender of stanzas of others, so only the server itself can omit it.
        guard let sender else { return isForAccount || receiver == ownAddress?.domainJID }
        guard isForAccount, let ownAddress else { return false }
        return sender == ownAddress.bare || receiver == nil && (sender == ownAddress || sender == ownAddress.domainJID)
    }
}
