public import XMLStreaming

/// How a user feels (XEP-0107 User Mood).
///
/// ```
/// <mood xmlns='http://jabber.org/protocol/mood'><annoyed/><text>curse my nurse!</text></mood>
/// ```
public struct UserMood: XMLPayload, Hashable {
    public static let name = XMLName("mood", "http://jabber.org/protocol/mood")

    /// A value of the registry, such as `happy` or `in_love`.
    public var value: String
    public var text: String?

    public init(_ value: String, text: String? = nil) {
        self.value = value
        self.text = text
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        guard
            let value = element.children.first(where: { $0.namespace == Self.name.namespace && $0.localName != "text" })
        else { throw XMLDecodingError(Self.name, .invalid("it has no value")) }
        self.value = UserStateText.identifier(value)
        text = UserStateText.of("text", in: element)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.element(XMLName(value, Self.name.namespace))
        UserStateText.write("text", text, Self.name.namespace, &writer)
        writer.end()
    }
}

/// What a user is doing (XEP-0108 User Activity).
///
/// ```
/// <activity xmlns='http://jabber.org/protocol/activity'><relaxing><partying/></relaxing><text>My nurse's birthday!</text></activity>
/// ```
public struct UserActivity: XMLPayload, Hashable {
    public static let name = XMLName("activity", "http://jabber.org/protocol/activity")

    /// A value of the registry, such as `relaxing` or `working`.
    public var general: String
    /// A value within the general one, such as `partying` or `coding`.
    public var specific: String?
    public var text: String?

    public init(_ general: String, _ specific: String? = nil, text: String? = nil) {
        self.general = general
        self.specific = specific
        self.text = text
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        guard
            let child = element.children.first(where: { $0.namespace == Self.name.namespace && $0.localName != "text" })
        else { throw XMLDecodingError(Self.name, .invalid("it has no value")) }
        general = UserStateText.identifier(child)
        specific = child.firstChild.map(UserStateText.identifier)
        text = UserStateText.of("text", in: element)
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.start(XMLName(general, Self.name.namespace))
        if let specific { writer.element(XMLName(specific, Self.name.namespace)) }
        writer.end()
        UserStateText.write("text", text, Self.name.namespace, &writer)
        writer.end()
    }
}

/// The music that a user is listening to (XEP-0118 User Tune).
///
/// ```
/// <tune xmlns='http://jabber.org/protocol/tune'><artist>Yes</artist><length>686</length><title>Heart of the Sunrise</title></tune>
/// ```
public struct UserTune: XMLPayload, Hashable {
    public static let name = XMLName("tune", "http://jabber.org/protocol/tune")

    public var artist: String?
    public var title: String?
    /// The album.
    public var source: String?
    public var track: String?
    /// In seconds.
    public var length: UInt16?
    /// Between 1 and 10.
    public var rating: Int?
    public var uri: String?

    public init(
        artist: String? = nil, title: String? = nil, source: String? = nil, track: String? = nil, length: UInt16? = nil,
        rating: Int? = nil, uri: String? = nil
    ) {
        self.artist = artist
        self.title = title
        self.source = source
        self.track = track
        self.length = length
        self.rating = rating
        self.uri = uri
    }

    /// Invalid values read as none.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        func text(_ local: String) -> String? { UserStateText.of(local, in: element) }
        self.init(
            artist: text("artist"), title: text("title"), source: text("source"), track: text("track"),
            length: text("length").flatMap { UInt16($0) },
            rating: text("rating").flatMap { Int($0) }.flatMap { (1...10).contains($0) ? $0 : nil }, uri: text("uri"))
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        for (local, value) in [
            ("artist", artist), ("length", length.map { String($0) }), ("rating", rating.map { String($0) }),
            ("source", source), ("title", title), ("track", track), ("uri", uri),
        ] {
            UserStateText.write(local, value, Self.name.namespace, &writer)
        }
        writer.end()
    }
}

/// Where a user is (XEP-0080 User Location).
///
/// ```
/// <geoloc xmlns='http://jabber.org/protocol/geoloc' xml:lang='en'><accuracy>20</accuracy><country>Italy</country>
///    <lat>45.44</lat><locality>Venice</locality><lon>12.33</lon></geoloc>
/// ```
///
/// It can also be a payload of one message. Publish it only when the user asks for it: everyone who may see the personal
/// events of the account can follow it.
public struct UserLocation: XMLPayload, Hashable {
    public static let name = XMLName("geoloc", "http://jabber.org/protocol/geoloc")

    /// In decimal degrees north, WGS 84.
    public var latitude: Double?
    /// In decimal degrees east, WGS 84.
    public var longitude: Double?
    /// The horizontal error, in metres.
    public var accuracy: Double?
    /// In metres.
    public var altitude: Double?
    /// In metres per second.
    public var speed: Double?
    /// The other values by the name of their element, such as `locality`, `street`, `text` or `timestamp`.
    public var texts: [String: String]

    public init(
        latitude: Double? = nil, longitude: Double? = nil, accuracy: Double? = nil, texts: [String: String] = [:]
    ) {
        self.latitude = latitude
        self.longitude = longitude
        self.accuracy = accuracy
        self.texts = texts
    }

    private static let textNames = [
        "area", "building", "country", "countrycode", "description", "floor", "locality", "postalcode", "region",
        "room",
        "street", "text", "timestamp", "tzo", "uri",
    ]

    /// Invalid and impossible values read as none.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        func number(_ local: String, _ range: ClosedRange<Double>) -> Double? {
            UserStateText.of(local, in: element).flatMap { Double($0) }.flatMap { range.contains($0) ? $0 : nil }
        }
        self.init(
            latitude: number("lat", -90...90), longitude: number("lon", -180...180),
            accuracy: number("accuracy", 0...1e8))
        altitude = number("alt", -1e6...1e9)
        speed = number("speed", 0...3e8)
        for local in Self.textNames { texts[local] = UserStateText.of(local, in: element) }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        let numbers = [
            ("accuracy", accuracy), ("alt", altitude), ("lat", latitude), ("lon", longitude), ("speed", speed),
        ]
        for (local, value) in numbers {
            UserStateText.write(local, value.map { "\($0)" }, Self.name.namespace, &writer)
        }
        for local in Self.textNames { UserStateText.write(local, texts[local], Self.name.namespace, &writer) }
        writer.end()
    }
}

/// The texts of what others say about themselves, of limited length.
private enum UserStateText {
    /// Characters: more than a row shows.
    static let limit = 1024
    /// Bytes: the values of the registries have at most 20.
    static let identifierLimit = 64

    static func of(_ local: String, in element: XMLElement) -> String? {
        guard let text = element.firstChild(XMLName(local, element.namespace))?.text, !text.isEmpty else { return nil }
        return String(text.prefix(limit))
    }

    static func identifier(_ element: XMLElement) -> String {
        element.localName.utf8.count <= identifierLimit ? element.localName : "undefined"
    }

    static func write(_ local: String, _ text: String?, _ namespace: String, _ writer: inout XMLWriter) {
        if let text { writer.element(XMLName(local, namespace), text: text) }
    }
}
