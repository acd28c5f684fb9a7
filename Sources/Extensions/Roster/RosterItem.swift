public import XMLStreaming
public import XMPPAddress

/// One contact of the account's contact list as the server keeps it (RFC 6121 §2.1.2).
///
/// ```
/// S: <item jid='romeo@example.net' name='Romeo' subscription='both'><group>Friends</group></item>
/// ```
public struct RosterItem: XMLPayload, Hashable {
    /// Who sees whose presence (RFC 6121 §2.1.2.5).
    public enum Subscription: String, Sendable, CaseIterable, Codable {
        /// Neither sees the other.
        case none
        /// I see the contact's presence.
        case to
        /// The contact sees mine.
        case from
        /// Both see each other's.
        case both
        /// Only in a push or a set: the item is to be removed.
        case remove

        /// Whether the contact's presence is sent to me.
        public var seesContact: Bool { self == .to || self == .both }
        /// Whether my presence is sent to the contact.
        public var isSeenByContact: Bool { self == .from || self == .both }
    }

    public static let name = XMLName("item", "jabber:iq:roster")

    /// The contact's bare address.
    public var address: JID
    /// The name that the account's owner gave to the contact; not the contact's own nickname.
    public var name: String?
    public var subscription: Subscription
    /// `true` while my request to see the contact's presence is unanswered (`ask='subscribe'`).
    public var isPending: Bool
    /// The contact may subscribe without asking again (RFC 6121 §3.4).
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

    /// What a list shows: the given name, or else the local part, or else the domain.
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
        // RFC 6121 §2.1.2.5: a client must not trust values it does not know; `none` gives nothing away.
        subscription = element["subscription"].flatMap(Subscription.init(rawValue:)) ?? .none
        isPending = element["ask"] == "subscribe"
        isPreapproved = element["approved"] == "true" || element["approved"] == "1"
        for group in element.children where group.isNamed(Self.groupName) {
            let text = group.text
            if !text.isEmpty { groups.insert(text) }
        }
    }

    /// Writes what a client may say: server-owned attributes (`ask`, `approved`) are left out (RFC 6121 §2.1.2).
    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("jid", address.description)
        writer.attribute("name", name)
        if subscription == .remove { writer.attribute("subscription", subscription.rawValue) }
        if subscription != .remove {
            for group in groups.sorted() { writer.element(Self.groupName, text: group) }
        }
        writer.end()
    }

    private static let groupName = XMLName("group", name.namespace)
}
