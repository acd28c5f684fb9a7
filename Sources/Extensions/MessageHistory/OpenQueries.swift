import XMLStreaming
import XMPPAddress
import XMPPStanzas

/// The queries that wait for results, and what they have received. Holds results to XEP-0313 §8.2: only from the archive
/// that was asked, only with the identifier of an open query, only before its end.
struct OpenQueries {
    private struct Query {
        var archive: JID
        /// The archive is that of the own account, whose server may leave out the sender.
        var isOwn: Bool
        var limit: Int
        var messages: [ArchivedMessage] = []
        /// Results that were beyond what is read.
        var unreadable = 0
        var hasEnded = false
        var isOverfull = false

        func isAllowed(_ sender: JID?) -> Bool {
            // The server stamps the sender of what others send, so only the server itself can leave it out.
            sender == archive || sender == nil && isOwn
        }
    }

    enum Verdict: Equatable {
        /// It belongs to an open query.
        case collected
        /// Nobody asked the sender for it.
        case unsolicited
    }

    private var queries: [String: Query] = [:]

    var isEmpty: Bool { queries.isEmpty }

    mutating func open(id: String, archive: JID, isOwn: Bool, limit: Int) {
        queries[id] = Query(archive: archive, isOwn: isOwn, limit: limit)
    }

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

    /// A result was skipped because it cannot be read: its place in the archive is known, and nothing of its content.
    mutating func skipped(_ result: XMLElement, from sender: JID?) {
        guard result.isNamed(ArchiveResult.name), let id = result["queryid"], let query = queries[id], !query.hasEnded,
            query.isAllowed(sender), let place = result["id"]
        else { return }
        queries[id]?.unreadable += 1
        collect(ArchivedMessage(archive: query.archive, id: place, stamp: nil, message: nil), for: id)
    }

    private mutating func collect(_ message: ArchivedMessage, for id: String) {
        guard let query = queries[id] else { return }
        // What is more than was asked for is not kept: the sender does not decide how much memory it takes.
        if query.messages.count >= query.limit {
            queries[id]?.isOverfull = true
        } else {
            queries[id]?.messages.append(message)
        }
    }

    /// The answer to the request with that id has come: results behind it do not count.
    mutating func answered(id: String, from sender: JID?) {
        guard let query = queries[id], query.isAllowed(sender) else { return }
        queries[id]?.hasEnded = true
    }

    /// Takes the query away and gives what it has received; `nil` if that was too much.
    mutating func close(id: String) -> (messages: [ArchivedMessage], unreadable: Int)? {
        guard let query = queries.removeValue(forKey: id), !query.isOverfull else { return nil }
        return (query.messages, query.unreadable)
    }
}
