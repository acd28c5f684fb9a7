public import ChatStore
public import XMPPAddress

/// A page of an archive that is to be asked for (XEP-0313 §4).
public struct HistoryRequest: Hashable, Sendable {
    /// What the page is for.
    public enum Purpose: Hashable, Sendable {
        /// To see whether something has come since.
        case newest
        /// A person has scrolled to the end of what is here.
        case older
        /// To close a hole.
        case gap
    }

    /// The archive: the account's bare address, or a room's.
    public let archive: JID
    /// Only what was exchanged with this address.
    public let with: JID?
    public let query: StoredArchiveQuery
    public let purpose: Purpose
    /// How many items at most.
    public let limit: Int

    public init(archive: JID, with: JID? = nil, query: StoredArchiveQuery, purpose: Purpose, limit: Int) {
        self.archive = archive
        self.with = with
        self.query = query
        self.purpose = purpose
        self.limit = limit
    }
}

/// What came of asking an archive for what is before the oldest message that is here.
public enum OlderHistory: Hashable, Sendable {
    /// A page came and is in the store; it may have held nothing for this conversation.
    case arrived
    /// Nothing is before what is here.
    case nothingMore
    /// The archive cannot be asked now; there is no connection, or it does not answer.
    case notNow
}
