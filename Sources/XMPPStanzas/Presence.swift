public import XMLStreaming
public import XMPPAddress

/// A presence: an entity's availability, or a step of a subscription to it (RFC 6121 §3 and §4).
///
///     <presence from='juliet@example.com/balcony' xml:lang='en'>
///       <show>away</show><status>be right back</status><priority>1</priority>
///     </presence>
public struct Presence: Stanza {
    /// The type of a presence (RFC 6121 §4.7.1).
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The entity is available; the type is absent on the wire.
        case available
        /// The entity is no longer available.
        case unavailable
        /// The sender asks to receive the receiver's presence.
        case subscribe
        /// The sender allows the receiver to receive its presence.
        case subscribed
        /// The sender no longer wants to receive the receiver's presence.
        case unsubscribe
        /// The sender denies or revokes the receiver's permission to receive its presence.
        case unsubscribed
        /// A server asks for the current presence of an entity.
        case probe
        /// A report that an earlier presence failed.
        case error
    }

    /// How available an entity is (RFC 6121 §4.7.2.1). Plain "available" is the absence of a value.
    public enum Show: String, Sendable, Hashable, CaseIterable {
        /// Wants to chat.
        case chat
        /// Away for a while.
        case away
        /// Away for longer ("extended away").
        case extendedAway = "xa"
        /// Busy ("do not disturb").
        case doNotDisturb = "dnd"
    }

    public static let name = XMLName("presence", XMPPNamespace.client)

    private var parts: [StanzaParts]

    public var id: String? {
        get { parts[0].id }
        set { parts[0].id = newValue }
    }
    public var to: JID? {
        get { parts[0].to }
        set { parts[0].to = newValue }
    }
    public var from: JID? {
        get { parts[0].from }
        set { parts[0].from = newValue }
    }
    public var language: String? {
        get { parts[0].language }
        set { parts[0].language = newValue }
    }
    public var type: Kind
    public var payloads: Payloads {
        get { parts[0].payloads }
        // In place, because a copy of the payloads would have to be copied for each change.
        _modify { yield &parts[0].payloads }
    }

    public init(
        type: Kind = .available, to: JID? = nil, id: String? = nil, show: Show? = nil, status: String? = nil,
        priority: Int8 = 0, payloads: Payloads = []
    ) {
        self.init(id: id, to: to, from: nil, language: nil, type: type, payloads: payloads)
        if let show { self.show = show }
        if let status { self.status = status }
        if priority != 0 { self.priority = priority }
    }

    /// Reads a presence. An unknown type or an invalid address is an error: treating it as "available" would show an
    /// absent contact as present.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        var addresses = AddressCache()
        guard Self.isName(of: element) else {
            throw XMLDecodingError(element.name, .unexpectedElement)
        }
        self = try Self.read(element, addresses: &addresses)
    }

    /// Whether the element is called `presence`; faster than a comparison with ``name``.
    static func isName(of element: XMLElement) -> Bool { element.isNamed("presence", "jabber:client") }

    /// Reads an element that has this name.
    ///
    /// All parts exist before the value is created from them, so they are moved into it and nothing is copied.
    static func read(_ element: XMLElement, addresses: inout AddressCache) throws(XMLDecodingError) -> Presence {
        let attributes = element.stanzaAttributes
        var kind = Kind.available
        if let type = element.string(attributes.type) {
            guard let known = Kind(rawValue: type), known != .available else {
                throw XMLDecodingError(Self.name, .invalidAttribute("type", value: type))
            }
            kind = known
        }
        let from = try addresses.address(attributes.from, named: "from", of: element)
        let to = try addresses.address(attributes.to, named: "to", of: element)
        return Presence(
            id: element.string(attributes.id), to: to, from: from, language: element.string(attributes.language),
            type: kind, payloads: Payloads(of: element))
    }

    private init(id: String?, to: JID?, from: JID?, language: String?, type: Kind, payloads: Payloads) {
        parts = [StanzaParts(id: id, to: to, from: from, language: language, payloads: payloads)]
        self.type = type
    }

    public func encode(to writer: inout XMLWriter) {
        write(type: type == .available ? nil : type.rawValue, to: &writer)
    }

    public var isError: Bool { type == .error }
}

extension Presence {
    /// Whether this announces the sender to all subscribers: no receiver, and available or unavailable (RFC 6121 §4.2).
    public var isBroadcast: Bool { to == nil && (type == .available || type == .unavailable) }

    /// Whether this is a step of a subscription (RFC 6121 §3).
    public var isSubscription: Bool {
        switch type {
        case .subscribe, .subscribed, .unsubscribe, .unsubscribed: true
        case .available, .unavailable, .probe, .error: false
        }
    }

    /// Whether this reports that an earlier presence failed.
    public var isErrorPresence: Bool { isError }

    /// Appends a payload that a presence may contain.
    public mutating func append(_ payload: some PresencePayload) {
        payloads.append(payload)
    }

    /// The presence with one more payload.
    public func appending(_ payload: some PresencePayload) -> Presence {
        var presence = self
        presence.append(payload)
        return presence
    }

    /// The error response to this presence: addresses swapped, same id, without the content (RFC 6120 §8.3.1).
    ///
    /// `nil` for an error: an error never gets an error response.
    public func errorReply(_ error: StanzaError) -> Presence? {
        guard !isError else { return nil }
        var reply = Presence(type: .error, to: from, id: id)
        reply.from = to
        reply.payloads.append(error)
        return reply
    }
}
