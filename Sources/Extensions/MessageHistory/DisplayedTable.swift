import MessageFeatures
import PublishSubscribe
import XMPPAddress

/// The displayed positions of an account, and whose word about them counts; without I/O.
struct DisplayedTable: Sendable {
    /// How many conversations are kept. An item is about 200 bytes, and more conversations than this has nobody.
    static let limit = 16_384

    private(set) var positions: [JID: StanzaIdentifier] = [:]

    /// The whole list came.
    mutating func populate(_ items: [PublishedItem], own: JID) -> [DisplayedPositionEvent] {
        positions = [:]
        for item in items.suffix(Self.limit) {
            if let (conversation, message) = Self.read(item, own: own) { positions[conversation] = message }
        }
        return [.populated]
    }

    /// This device displayed a conversation, or another one did.
    mutating func move(_ conversation: JID, to message: StanzaIdentifier) -> [DisplayedPositionEvent] {
        let known = positions[conversation]
        guard known != message, known != nil || positions.count < Self.limit else { return [] }
        positions[conversation] = message
        return [.moved(conversation: conversation, to: message)]
    }

    /// An event came. Believed from the own account only: everybody can have a node of that name.
    mutating func apply(_ notice: PublishSubscribeNotice, own: JID) -> [DisplayedPositionEvent] {
        guard notice.service == own, notice.event.node == DisplayedPosition.node else { return [] }
        switch notice.event {
        case .items(_, let published, let retracted):
            var events: [DisplayedPositionEvent] = []
            for item in published {
                if let (conversation, message) = Self.read(item, own: own) { events += move(conversation, to: message) }
            }
            for id in retracted {
                if let conversation = try? JID(id) { events += remove(conversation) }
            }
            return events
        case .purged, .removed: return positions.keys.sorted().flatMap { remove($0) }
        case .configured, .subscription: return []
        }
    }

    private mutating func remove(_ conversation: JID) -> [DisplayedPositionEvent] {
        positions.removeValue(forKey: conversation) == nil ? [] : [.removed(conversation: conversation)]
    }

    /// An item is called by the address of the other side, and its identifier comes from there, if it is a room, or from the
    /// own server (§4.2); what is not so is left out.
    private static func read(_ item: PublishedItem, own: JID) -> (JID, StanzaIdentifier)? {
        guard let id = item.id, let conversation = try? JID(id),
            let position = (try? item.decode(DisplayedPosition.self)) ?? nil
        else { return nil }
        let message = position.message
        guard message.by == own || message.by == conversation else { return nil }
        return (conversation, message)
    }
}
