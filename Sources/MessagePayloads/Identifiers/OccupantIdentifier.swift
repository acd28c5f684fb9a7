public import XMLStreaming
public import XMPPStanzas

/// What stays the same of somebody in a room whatever the nickname (XEP-0421 Occupant identifiers for semi-anonymous MUCs).
///
/// ```
/// S: <occupant-id xmlns='urn:xmpp:occupant-id:0' id='dd72603deec90a38ba552f7c68cbcc61bca202cd'/>
/// ```
///
/// Believe it only in a room that announces the feature; elsewhere anybody can write it (§5).
public struct OccupantIdentifier: MessagePayload, PresencePayload, Hashable {
    public static let name = XMLName("occupant-id", "urn:xmpp:occupant-id:0")

    public var id: String

    public init(_ id: String) {
        self.id = id
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        id = try element.required("id")
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("id", id)
        writer.end()
    }
}
