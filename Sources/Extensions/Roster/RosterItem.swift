public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// A contact in the account's contact list, as stored by the server (RFC 6121 §2.1.2).
///
/// ```
/// S: <item jid='romeo@example.net' name='Romeo' subscription='both'><group>Friends</group></item>
/// ```
public struct RosterItem: XMLPayload, Hashable {
    /// The subscriptions between the account and the contact (RFC 6121 §2.1.2.5).
    public enum Subscription: String, Sendable, CaseIterable, Codable {
        /// No subscription in either direction.
        case none
        /// We receive the contact's presence.
        case to
        /// The contact receives ours.
        case from
        /// Both receive each other's presence.
        case both
        /// Only in a push or a set: remove the item.
        case remove

        /// Whether we receive the contact's presence.
        public var seesContact: Bool { self == .to || self == .both }
        /// Whether the contact receives our presence.
        public var isSeenByContact: Bool { self == .from || self == .both }
    }

    public static let name = XMLName("item", "jabber:iq:roster")

    /// The contact's bare address.
    public var address: JID
    /// The name that our user gave to the contact; not the nickname that the contact chose.
    public var name: String?
    public var subscription: Subscription
    /// `true` while our subscription request is pending (`ask='subscribe'`).
    public var isPending: Bool
    /// Whether the contact may subscribe without another approval (RFC 6121 §3.4).
    public var isPreapproved: Bool
    public var groups: Set<String>

    public init(
        address: JID, name: String? = nil, subscription: Subscription = .none, isPending: Bool = false,
        isPreapproved: Bool = false, groups: Set<String> = []
    ) {
        self.address = address.bare
        self.name = name
        self.subscription = subscription
        self.isPending = isPending
        self.isPreapproved = isPreapproved
        self.groups = groups
    }

    /// The name for display: the given name, otherwise the local part, otherwise the domain.
    public var displayName: String {
        if let name, !name.isEmpty { return name }
        return address.local ?? address.domain
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        let text = try element.required("jid")
        guard let address = try? JID(text) else {
            throw XMLDecodingError(Self.name, .invalidAttribute("jid", value: text))
        }
        self.init(address: address, name: element["name"])
        // RFC 6121 §2.1.2.5: a client must not trust values it does not know; `none` reveals nothing.
        subscription = element["subscription"].flatMap(Subscription.init(rawValue:)) ?? .none
        isPending = element["ask"] == "subscribe"
        isPreapproved = element["approved"] == "true" || element["approved"] == "1"
        for group in element.children where group.isNamed(Self.groupName) {
            let text = group.text
            if !text.isEmpty { groups.insert(text) }
        }
    }

    /// Writes what a client may send: the server's attributes (`ask`, `approved`) are omitted (RFC 6121 §2.1.2).
    public func encode(to writer: inout XMLWriter) { encode(to: &writer, asStored: false) }

    /// - Parameter isStored: with everything that the server says, for a file.
    func encode(to writer: inout XMLWriter, asStored isStored: Bool) {
        writer.start(Self.name)
        if isStored {
            writer.attribute("approved", isPreapproved ? "true" : nil)
            writer.attribute("ask", isPending ? "subscribe" : nil)
        }
        writer.attribute("jid", address.description)
        writer.attribute("name", name)
        if subscription == .remove || isStored { writer.attribute("subscription", subscription.rawValue) }
        if subscription != .remove {
            for group in groups.sorted() { writer.element(Self.groupName, text: group) }
        }
        writer.end()
    }

    private static let groupName = XMLName("group", name.namespace)
}

/// The contact list, or the changed part of it, on the wire (RFC 6121 §2.1.1).
public struct RosterQuery: XMLPayload, Equatable {
    public static let name = XMLName("query", RosterItem.name.namespace)

    /// The version of the list; an empty string asks for versioning without having a list yet (RFC 6121 §2.6).
    public var version: String?
    public var items: [RosterItem]

    public init(version: String? = nil, items: [RosterItem] = []) {
        self.version = version
        self.items = items
    }

    /// Invalid items are skipped, so that one of them does not hide the others.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        version = element["ver"]
        items = element.children.filter { $0.isNamed(RosterItem.name) }.compactMap { try? RosterItem(from: $0) }
    }

    public func encode(to writer: inout XMLWriter) { encode(to: &writer, asStored: false) }

    /// - Parameter isStored: with everything that the server says, for a file.
    func encode(to writer: inout XMLWriter, asStored isStored: Bool) {
        writer.element(Self.name) { writeContent(to: &$0, asStored: isStored) }
    }

    func writeContent(to writer: inout XMLWriter, asStored isStored: Bool) {
        writer.attribute("ver", version)
        for item in items { item.encode(to: &writer, asStored: isStored) }
    }
}

extension RosterQuery: IQPayload {}
