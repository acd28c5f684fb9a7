public import XMLStreaming
public import XMPPStanzas

/// The older vCard format, which every server stores (XEP-0054 vcard-temp).
///
/// ```
/// S: <vCard xmlns='vcard-temp'><FN>Peter Saint-Andre</FN><NICKNAME>stpeter</NICKNAME>
///      <PHOTO><TYPE>image/jpeg</TYPE><BINVAL>…</BINVAL></PHOTO></vCard>
/// ```
///
/// Elements without a property here are preserved, so that a change does not lose them.
public struct LegacyVCard: IQPayload, Equatable {
    public static let name = XMLName("vCard", "vcard-temp")

    public struct Photo: Sendable, Equatable {
        public var mediaType: String?
        public var bytes: [UInt8]

        public init(mediaType: String?, bytes: [UInt8]) {
            self.mediaType = mediaType
            self.bytes = bytes
        }
    }

    public var fullName: String?
    public var nickname: String?
    public var url: String?
    public var description: String?
    public var birthday: String?
    /// `nil` also if it is invalid.
    public var photo: Photo?
    public var others: [XMLElement] = []

    public init(fullName: String? = nil, nickname: String? = nil, photo: Photo? = nil) {
        self.fullName = fullName
        self.nickname = nickname
        self.photo = photo
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        for child in element.children {
            switch child.namespace == Self.name.namespace ? child.localName : "" {
            case "FN" where fullName == nil: fullName = child.text
            case "NICKNAME" where nickname == nil: nickname = child.text
            case "URL" where url == nil: url = child.text
            case "DESC" where description == nil: description = child.text
            case "BDAY" where birthday == nil: birthday = child.text
            case "PHOTO" where photo == nil: photo = Self.photo(in: child)
            default: others.append(child)
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        func property(_ local: String, _ value: String?) {
            if let value { writer.element(Self.named(local), text: value) }
        }
        writer.start(Self.name)
        property("FN", fullName)
        property("NICKNAME", nickname)
        property("URL", url)
        property("BDAY", birthday)
        property("DESC", description)
        if let photo {
            writer.start(Self.named("PHOTO"))
            property("TYPE", photo.mediaType)
            property("BINVAL", Base64.encode(photo.bytes))
            writer.end()
        }
        for element in others { writer.write(element) }
        writer.end()
    }

    private static func photo(in element: XMLElement) -> Photo? {
        guard let text = element.firstChild(named("BINVAL"))?.text, let bytes = Base64.decode(ignoringWhitespace: text),
            !bytes.isEmpty
        else { return nil }
        return Photo(mediaType: element.firstChild(named("TYPE"))?.text, bytes: bytes)
    }

    static let photoName = named("PHOTO")

    private static func named(_ local: String) -> XMLName { XMLName(local, name.namespace) }
}

/// Requests the older vCard of an account or of an occupant of a room (XEP-0054 vcard-temp §3.3).
public struct LegacyVCardRequest: IQRequest, EmptyPayload, Equatable {
    public static let name = LegacyVCard.name

    /// The vCard; without a payload the account has none.
    public struct Response: IQResponse, Equatable {
        public var card: LegacyVCard?

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            if let payload { card = try LegacyVCard(from: payload) }
        }
    }

    public init() {}
}

/// Replaces our vCard in the older format (XEP-0054 vcard-temp §3.2).
public struct LegacyVCardChange: IQRequest, Equatable {
    public typealias Response = EmptyResponse
    public static let name = LegacyVCard.name
    public static let iqType = IQ.Kind.set

    public var card: LegacyVCard

    public init(_ card: LegacyVCard) {
        self.card = card
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        card = try LegacyVCard(from: element)
    }

    public func encode(to writer: inout XMLWriter) {
        card.encode(to: &writer)
    }
}
