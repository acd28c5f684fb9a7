public import XMLStreaming
public import XMPPStanzas

/// The hats of an occupant: functions besides role and affiliation, such as teacher or presenter (XEP-0317 Hats).
///
/// ```
/// S: <hats xmlns='urn:xmpp:hats:0'><hat title='Host' uri='http://schemas.example.com/hats#host' hue='327.255249'/></hats>
/// ```
///
/// Trust it only in a room that announces the feature; in other rooms any occupant can forge it.
public struct RoomHats: PresencePayload, Hashable {
    public static let name = XMLName("hats", "urn:xmpp:hats:0")

    /// The maximum number of hats that are read.
    public static let limit = 16

    /// The maximum length of the URI of a hat, in bytes.
    private static let uriLimit = 1024

    public var hats: [RoomHat]

    public init(_ hats: [RoomHat]) {
        self.hats = hats
    }

    /// Invalid hats are omitted.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        hats = element.children(Self.hatName).prefix(Self.limit).compactMap { child in
            guard let uri = child["uri"], !uri.isEmpty, uri.utf8.count <= Self.uriLimit, let title = child["title"],
                !title.isEmpty
            else { return nil }
            return RoomHat(uri: uri, title: title, hue: child["hue"].flatMap(Double.init))
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        for hat in hats {
            writer.start(Self.hatName)
            writer.attribute("title", hat.title)
            writer.attribute("uri", hat.uri)
            writer.attribute("hue", hat.hue.map { "\($0)" })
            writer.end()
        }
        writer.end()
    }

    private static let hatName = XMLName("hat", name.namespace)
}

/// One hat of an occupant, see ``RoomHats``.
public struct RoomHat: Sendable, Hashable {
    /// Identifies the hat, independent of its title.
    public var uri: String
    /// The text that is shown.
    public var title: String
    /// The angle of its colour, 0 to 360.
    public var hue: Double?

    /// The maximum number of characters of a title that are shown.
    public static let titleLimit = 40

    public init(uri: String, title: String, hue: Double? = nil) {
        self.uri = uri
        self.title = String(title.prefix(Self.titleLimit))
        self.hue = hue.flatMap { (0...360).contains($0) ? $0 : nil }
    }
}
