public import XMLStreaming
public import XMPPStanzas

/// What somebody is in a room beside role and affiliation, such as a teacher or a presenter (XEP-0317 Hats).
///
/// ```
/// S: <hats xmlns='urn:xmpp:hats:0'><hat title='Host' uri='http://schemas.example.com/hats#host' hue='327.255249'/></hats>
/// ```
///
/// Believe it only in a room that announces the feature; elsewhere anybody can write it.
public struct RoomHats: PresencePayload, Hashable {
    public static let name = XMLName("hats", "urn:xmpp:hats:0")

    /// So many are looked at: nobody can wear more and be taken seriously.
    public static let limit = 16

    /// How long the URI of a hat may be, in bytes.
    private static let uriLimit = 1024

    public var hats: [RoomHat]

    public init(_ hats: [RoomHat]) {
        self.hats = hats
    }

    /// What is no hat is left out.
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

/// One hat that somebody wears in a room, see ``RoomHats``.
public struct RoomHat: Sendable, Hashable {
    /// Says which hat it is, whatever it is called.
    public var uri: String
    /// What people read.
    public var title: String
    /// The angle of its colour, 0 to 360.
    public var hue: Double?

    /// So much of a title is shown, in characters.
    public static let titleLimit = 40

    public init(uri: String, title: String, hue: Double? = nil) {
        self.uri = uri
        self.title = String(title.prefix(Self.titleLimit))
        self.hue = hue.flatMap { (0...360).contains($0) ? $0 : nil }
    }
}
