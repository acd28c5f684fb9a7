public import XMPPAddress

/// An entry of the event log: what happened to a message, a contact or a room, in the order in which it was stored.
///
/// The log exists for programs that must handle each event exactly once, however often they or this program are
/// killed. An entry is stored in the transaction of its change and names what has changed; the content is read when the
/// entry is delivered. Several changes of a message in one transaction are one entry.
///
/// Nothing is recorded before the first reader is added (``StoreWriter/addEventReader(_:at:)``).
public struct StoredEvent: Hashable, Sendable {
    public enum Kind: Int64, Sendable, CaseIterable {
        /// A message was stored, whether it is new or comes from an archive.
        case messageAdded = 0
        /// Its text, state, reactions, files or time have changed.
        case messageChanged = 1
        case messageRemoved = 2
        /// A conversation was removed with all of its messages.
        case conversationRemoved = 3
        /// A contact was added or changed.
        case contact = 4
        case contactRemoved = 5
        /// A user requests to see the presence of the account.
        case request = 6
        /// A room was added or changed.
        case room = 7
        case roomRemoved = 8
        /// An account was removed with everything that belongs to it.
        case accountRemoved = 9
    }

    /// Increases along the log, not always by one; never reused within a log.
    public let position: Int64
    public let kind: Kind
    public let account: AccountID
    /// The address of the conversation, contact, room or account.
    public let address: JID
    /// The kind of the conversation of a message, or of the removed conversation.
    public let conversationKind: ConversationKey.Kind?
    public let message: MessageID?

    package init(
        position: Int64, kind: Kind, account: AccountID, address: JID, conversationKind: ConversationKey.Kind?,
        message: MessageID?
    ) {
        self.position = position
        self.kind = kind
        self.account = account
        self.address = address
        self.conversationKind = conversationKind
        self.message = message
    }

    /// The conversation of a message, or the removed one.
    public var conversation: ConversationKey? {
        conversationKind.map { ConversationKey(account: account, address: address, kind: $0) }
    }
}

/// The extent of the event log.
public struct EventLog: Hashable, Sendable {
    /// A random text. Another one means another log, whose positions have nothing to do with those of the first: recording
    /// has ended and begun again, or the file was damaged.
    public let identity: String
    /// The entries up to this position were removed.
    public let removed: Int64
    /// The position of the newest entry, or of the last removed one.
    public let newest: Int64

    package init(identity: String, removed: Int64, newest: Int64) {
        self.identity = identity
        self.removed = removed
        self.newest = newest
    }

    /// The maximum number of entries; older ones are removed, and with them the readers that have not read them. A month
    /// with an event every three seconds; some 25 MB.
    public static let limit: Int64 = 1_000_000
    /// The maximum number of readers: more than the programs of one person.
    public static let readerLimit = 64
    /// The limit is enforced after every so many entries.
    package static let trimmingInterval: Int64 = 1024
}

/// A program that reads the event log. Entries are stored until all readers have acknowledged them.
public struct EventReader: Hashable, Sendable {
    public let name: String
    /// When it was added. Older messages that are stored later come from an archive.
    public let created: MessageTime
    /// The position up to which it has handled the events.
    public package(set) var acknowledged: Int64

    package init(name: String, created: MessageTime, acknowledged: Int64) {
        self.name = name
        self.created = created
        self.acknowledged = acknowledged
    }

    /// Whether a message of this time was sent before the reader was added.
    ///
    /// Servers cut the times of offline and archived messages to whole seconds (as in the examples of XEP-0203), so all
    /// of the second in which the reader was added counts as later: a message too many is better than one that nobody
    /// handles.
    public func isYounger(than time: MessageTime) -> Bool {
        let created = created.millisecondsSince1970
        return time.millisecondsSince1970 < created - created % 1000
    }
}
