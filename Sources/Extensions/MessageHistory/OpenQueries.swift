import XMLStreaming
import XMPPAddress
import XMPPStanzas

/// The pending queries with their results. Enforces XEP-0313 §8.2: results are accepted only from the queried archive,
/// with the id of a pending query, before its end.
struct OpenQueries {
    private struct Query {
        var archive: JID
        /// Whether it is the archive of the account, whose server may omit the sender.
        var isOwn: Bool
        var limit: Int
        var messages: [ArchivedMessage] = []
        /// The number of unreadable results.
        var unreadable = 0
        var hasEnded = false
        var isOverfull = false

        func isAllowed(_ sender: JID?) -> Bool {
            // The server sets the sender of others' stanzas, so only the server itself can omit it.
            sender == archive || sender == nil && isOwn
        }
    }

    enum Verdict: Equatable {
        /// The message is a result of a pending query.
        case collected
        /// The message was not requested from the sender.
        case unsolicited
    }

    private var queries: [String: Query] = [:]

    var isEmpty: Bool { queries.isEmpty }

    mutating func open(id: String, archive: JID, isOwn: Bool, limit: Int) {
        queries[id] = Query(archive: archive, isOwn: isOwn, limit: limit)
    }

    /// Whether a result with this id of a query may be one of a pending query; others need not be decoded.
    func mayExpect(queryID: String?) -> Bool { queryID.map { queries[$0] != nil } ?? false }

    mutating func received(_ result: ArchiveResult, from sender: JID?) -> Verdict {
        guard let id = result.queryID, let query = queries[id], !query.hasEnded, query.isAllowed(sender) else {
            return .unsolicited
        }
        collect(
            ArchivedMessage(
                archive: query.archive, id: result.id, stamp: result.forwarded.delay?.stamp,
                message: result.forwarded.message), for: id)
        return .collected
    }

    /// A result was skipped because it cannot be parsed: only its id is known.
    mutating func skipped(_ result: XMLElement, from sender: JID?) {
        guard result.isNamed(ArchiveResult.name), let id = result["queryid"], let query = queries[id], !query.hasEnded,
            query.isAllowed(sender), let place = result["id"]
        else { return }
        queries[id]?.unreadable += 1
        collect(ArchivedMessage(archive: query.archive, id: place, stamp: nil, message: nil), for: id)
    }

    private mutating func collect(_ message: ArchivedMessage, for id: String) {
        guard let query = queries[id] else { return }
        // More results than requested are dropped: the sender must not decide how much memory they take.
        if query.messages.count >= query.limit {
            queries[id]?.isOverfull = true
        } else {
            queries[id]?.messages.append(message)
        }
    }

    /// The response to the request with that id was received: later results are ignored.
    mutating func answered(id: String, from sender: JID?) {
        guard let query = queries[id], query.isAllowed(sender) else { return }
        queries[id]?.hasEnded = true
    }

    /// Removes the query and returns its results; `nil` if there were too many.
    mutating func close(id: String) -> (messages: [ArchivedMessage], unreadable: Int)? {
        guard let query = queries.removeValue(forKey: id), !query.isOverfull else { return nil }
        return (query.messages, query.unreadable)
    }
}
