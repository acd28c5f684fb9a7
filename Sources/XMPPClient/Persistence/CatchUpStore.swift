public import XMLStreaming
public import XMPPAddress

/// Stores how far the archive of an account is known (XEP-0313), with the messages that come from it.
///
/// A message can come live and from the archive. The store remembers the ids that the archive assigned (XEP-0359) to the last
/// messages and stores each message once.
public protocol CatchUpStore: Sendable {
    /// A session has begun.
    ///
    /// - Returns: What is known of the archive.
    func beginCatchUp(of account: JID) async throws -> CatchUpState

    /// Stores messages of the archive, oldest first, together with the position after them, completely or not at all.
    ///
    /// - Parameters:
    ///   - mark: the last position that is known; `nil` for an empty archive.
    ///   - isComplete: whether nothing follows it that does not arrive live.
    func commit(archived: [CatchUpMessage], through mark: ArchiveMark?, isComplete: Bool) async throws
}

/// What is known of an archive at the beginning of a session.
public struct CatchUpState: Sendable, Hashable {
    /// The last message that is known; `nil` for a new account.
    public var mark: ArchiveMark?
    /// Whether nothing was missed since then, because the session was resumed.
    public var isComplete: Bool

    public init(mark: ArchiveMark?, isComplete: Bool) {
        self.mark = mark
        self.isComplete = isComplete
    }
}

/// A position in an archive: a message of it.
public struct ArchiveMark: Sendable, Hashable, Codable {
    /// The id that the archive assigned.
    public var id: String
    /// When the archive received it, by XEP-0082; `nil` if that is not known.
    public var stamp: String?

    public init(id: String, stamp: String?) {
        self.id = id
        self.stamp = stamp
    }

    private static let name = XMLName("stanza-id", "urn:xmpp:sid:0")

    /// The id that the archive of an account assigned to a received stanza (XEP-0359 §3.1). A server with an archive removes
    /// forged ones (§5).
    static func id(of stanza: XMLElement, in account: JID) -> String? {
        stanza.children(name).first { ($0["by"].flatMap { try? JID($0) }) == account }?["id"]
    }
}

/// A message from an archive, as if it had arrived live: with its id and the time of its arrival in the archive.
public struct CatchUpMessage: Sendable, Hashable {
    public var id: String
    public var stanza: XMLElement

    public init(id: String, stanza: XMLElement) {
        self.id = id
        self.stanza = stanza
    }
}
