import XMPPClient
import XMPPStanzas
import XMPPStream

/// The session's store, which also records what the server has acknowledged.
///
/// Recorded before the session's step is stored: if the process ends between the two, the next one records the number
/// twice, but never not at all.
struct LedgerStore: SessionStore {
    let file: FileSessionStore
    let confirmed: LineFile

    func loadSession() async throws -> SavedSession? { try await file.loadSession() }

    func commit(_ change: SessionChange) async throws {
        for id in change.acknowledged where Int(id) != nil { try confirmed.append(id) }
        try await file.commit(change)
    }

    func sessionEnded() async { await file.sessionEnded() }
}

extension UnacknowledgedStanza {
    /// The number of a message of this program.
    var number: Int? {
        guard let element = try? element(), element.name.local == "message" else { return nil }
        return element["id"].flatMap { Int($0) }
    }
}
