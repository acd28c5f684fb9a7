internal import ChatEngine
internal import ChatStore
internal import JSONRPC
internal import UserProfile
internal import XMPPAddress

/// The next events of the log with their content.
struct EventPage: Sendable {
    struct Entry: Sendable {
        let position: Int64
        let json: JSONValue
    }

    /// Entries whose message does not exist any more are missing: their removal is an entry of its own.
    var entries: [Entry] = []
    /// The position of the last entry that was read.
    var end: Int64
    /// Whether there were no more.
    var isLast: Bool

    /// - Parameters:
    ///   - bytes: the size from which on no further entry is read.
    init(
        after position: Int64, limit: Int, bytes: Int, for reader: EventReader, in profile: Profile,
        _ store: any StoreReader
    ) throws(StoreError) {
        let events = try store.events(after: position, limit: limit)
        let accounts = Dictionary(
            try store.accounts().map { ($0.id, $0.address) }, uniquingKeysWith: { first, _ in first })
        end = position
        isLast = events.count < limit
        var size = 0
        for event in events {
            if size >= bytes {
                isLast = false
                break
            }
            end = event.position
            let account = event.kind == .accountRemoved ? event.address : accounts[event.account]
            guard let account, let members = try Self.members(of: event, account, reader, profile, store) else {
                continue
            }
            let json = JSONValue([("type", .string(event.kind.word)), ("account", .text(account))] + members)
            size += json.description.utf8.count
            entries.append(Entry(position: event.position, json: json))
        }
    }

    /// What the event has beside its type; `nil` if it means nothing any more.
    private static func members(
        of event: StoredEvent, _ account: JID, _ reader: EventReader, _ profile: Profile, _ store: any StoreReader
    ) throws(StoreError) -> [(String, JSONValue)]? {
        switch event.kind {
        case .messageAdded, .messageChanged:
            guard let id = event.message, let key = event.conversation, let message = try store.message(id) else {
                return nil
            }
            let folder = profile.mediaFolder(of: account)
            return [
                ("old", reader.isYounger(than: message.time) ? true : .null),
                ("message", message.json(in: key) { $0.path(in: folder) }),
            ]
        case .messageRemoved, .conversationRemoved:
            return [
                ("with", .text(event.address)), ("kind", .text(event.conversationKind?.word)),
                ("id", .count(event.message?.rawValue)),
            ]
        case .contact:
            guard let contact = try store.contact(event.address, of: event.account) else { return nil }
            return [("contact", contact.json())]
        case .request:
            let isPending = try store.presences(of: event.account).contains {
                $0.kind == .request && $0.address.bare == event.address
            }
            return isPending ? [("address", .text(event.address))] : nil
        case .room:
            guard let room = try store.rooms(of: event.account).first(where: { $0.address == event.address }) else {
                return nil
            }
            return [("room", room.json(isInside: nil))]
        case .contactRemoved, .roomRemoved: return [("address", .text(event.address))]
        case .accountRemoved: return []
        }
    }
}

extension StoredEvent.Kind {
    /// The value in JSON.
    var word: String {
        switch self {
        case .messageAdded: "message"
        case .messageChanged: "message-changed"
        case .messageRemoved: "message-removed"
        case .conversationRemoved: "conversation-removed"
        case .contact: "contact"
        case .contactRemoved: "contact-removed"
        case .request: "request"
        case .room: "room"
        case .roomRemoved: "room-removed"
        case .accountRemoved: "account-removed"
        }
    }
}
