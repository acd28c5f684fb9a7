public import MessageFeatures
import PublishSubscribe
public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// The newest message of a conversation that was displayed on one of our devices (XEP-0490 Message Displayed
/// Synchronization §4.1).
///
/// ```
/// <displayed xmlns='urn:xmpp:mds:displayed:0'>
///   <stanza-id xmlns='urn:xmpp:sid:0' by='juliet@capulet.lit' id='0f710f2b-52ed-4d52-b928-784dad74a52b'/></displayed>
/// ```
public struct DisplayedPosition: MessagePayload, Hashable {
    public static let name = XMLName("displayed", "urn:xmpp:mds:displayed:0")
    /// The node of the account with one item per conversation; the id of an item is the address of the other side.
    public static let node = name.namespace
    /// The feature of a server that stores positions sent with a message (§4.4.1).
    static let assistance = "urn:xmpp:mds:server-assist:0"

    /// The newest displayed message, by the id assigned by the room or by the account's server.
    public var message: StanzaIdentifier

    public init(_ message: StanzaIdentifier) {
        self.message = message
    }

    /// - Throws: unless there is exactly one identifier.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        message = try StanzaIdentifier(from: try element.required(StanzaIdentifier.name))
        guard Array(element.children(StanzaIdentifier.name)).count == 1 else {
            throw XMLDecodingError(StanzaIdentifier.name, .unexpectedElement)
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.element(Self.name) { message.encode(to: &$0) }
    }
}

/// A change of the displayed positions, on this device or another one.
public enum DisplayedPositionEvent: Sendable, Hashable {
    /// The whole list was received.
    case populated
    /// A conversation was displayed up to that message.
    ///
    /// A position only moves forward (XEP-0490 §5.1): an older one, or one whose message is not in the conversation, is
    /// ignored.
    case moved(conversation: JID, to: StanzaIdentifier)
    /// Another client removed the position, which has no meaning for the messages.
    case removed(conversation: JID)
}

/// The displayed positions of an account, and the check of which events are trusted; without I/O.
struct DisplayedTable: Sendable {
    /// The maximum number of conversations. An item has about 200 bytes.
    static let limit = 16_384

    private(set) var positions: [JID: StanzaIdentifier] = [:]

    /// The whole list was received.
    mutating func populate(_ items: [PublishedItem], own: JID) -> [DisplayedPositionEvent] {
        positions = [:]
        for item in items.suffix(Self.limit) {
            if let (conversation, message) = Self.read(item, own: own) { positions[conversation] = message }
        }
        return [.populated]
    }

    /// A conversation was displayed on any device.
    mutating func move(_ conversation: JID, to message: StanzaIdentifier) -> [DisplayedPositionEvent] {
        let known = positions[conversation]
        guard known != message, known != nil || positions.count < Self.limit else { return [] }
        positions[conversation] = message
        return [.moved(conversation: conversation, to: message)]
    }

    /// An event was received. Only the node of our own account is trusted, because every account can have a node of
    /// that name.
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

    /// The item id is the address of the other side, and the archive id is assigned by the room, or by the server of
    /// the account (§4.2); other items are ignored.
    private static func read(_ item: PublishedItem, own: JID) -> (JID, StanzaIdentifier)? {
        guard let id = item.id, let conversation = try? JID(id),
            let position = (try? item.decode(DisplayedPosition.self)) ?? nil
        else { return nil }
        let message = position.message
        guard message.by == own || message.by == conversation else { return nil }
        return (conversation, message)
    }
}
