public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// The identifier assigned by the sender of a message, which must not be changed on the way (XEP-0359 §3.2
/// `origin-id`).
public struct OriginIdentifier: MessagePayload, Hashable {
    public static let name = XMLName("origin-id", "urn:xmpp:sid:0")

    public var id: String

    public init(_ id: String) {
        self.id = id
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        id = try element.identifier("id")
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("id", id)
        writer.end()
    }
}

/// The identifier assigned by an archive to a message (XEP-0359 §3.1 `stanza-id`).
///
/// Trust it only if `by` is our own account or a joined room, and only if that entity announces `urn:xmpp:sid:0`: any
/// sender can forge such an element (§6).
public struct StanzaIdentifier: MessagePayload, Hashable {
    public static let name = XMLName("stanza-id", OriginIdentifier.name.namespace)

    public var id: String
    /// The archive that assigned it.
    public var by: JID

    public init(_ id: String, by: JID) {
        self.id = id
        self.by = by
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        id = try element.identifier("id")
        let text = try element.required("by")
        guard let by = try? JID(text) else {
            throw XMLDecodingError(Self.name, .invalidAttribute("by", value: text))
        }
        self.by = by
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("id", id)
        writer.attribute("by", by.description)
        writer.end()
    }
}

/// Identifies an occupant of a room independent of the nickname (XEP-0421 Occupant identifiers for semi-anonymous
/// MUCs).
///
/// ```
/// S: <occupant-id xmlns='urn:xmpp:occupant-id:0' id='dd72603deec90a38ba552f7c68cbcc61bca202cd'/>
/// ```
///
/// Trust it only in a room that announces the feature; in other rooms any sender can forge it (§5).
public struct OccupantIdentifier: MessagePayload, PresencePayload, Hashable {
    public static let name = XMLName("occupant-id", "urn:xmpp:occupant-id:0")

    public var id: String

    public init(_ id: String) {
        self.id = id
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        id = try element.identifier("id")
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("id", id)
        writer.end()
    }
}

extension XMLElement {
    /// A required attribute that identifies a message or a person. An empty one identifies nothing, or everything that has none.
    func identifier(_ attribute: String) throws(XMLDecodingError) -> String {
        let text = try required(attribute)
        guard !text.isEmpty else { throw XMLDecodingError(name, .invalidAttribute(attribute, value: text)) }
        return text
    }
}
