public import XMLStreaming
public import XMPPStanzas

/// The profile of a user (XEP-0292 vCard4 Over XMPP).
///
/// ```
/// <vcard xmlns='urn:ietf:params:xml:ns:vcard-4.0'><fn><text>Peter Saint-Andre</text></fn>
///    <email><text>psaintan@cisco.com</text></email></vcard>
/// ```
///
/// Elements without a property here are preserved, so that a change does not lose them.
public struct VCard: IQPayload, IQResponse, Equatable {
    public static let name = XMLName("vcard", "urn:ietf:params:xml:ns:vcard-4.0")
    /// The personal event node for this data.
    public static let node = "urn:xmpp:vcard4"

    public var fullName: String?
    public var nicknames: [String] = []
    public var emails: [String] = []
    public var telephones: [String] = []
    public var urls: [String] = []
    public var birthday: String?
    public var organization: String?
    public var note: String?
    public var others: [XMLElement] = []

    public init(fullName: String? = nil) {
        self.fullName = fullName
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        for child in element.children {
            guard child.namespace == Self.name.namespace, let value = Self.plainValue(of: child) else {
                others.append(child)
                continue
            }
            switch child.localName {
            case "fn" where fullName == nil: fullName = value
            case "nickname": nicknames.append(value)
            case "email": emails.append(value)
            case "tel": telephones.append(value)
            case "url": urls.append(value)
            case "bday" where birthday == nil: birthday = value
            case "org" where organization == nil: organization = value
            case "note" where note == nil: note = value
            default: others.append(child)
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        func property(_ name: String, _ kind: String, _ value: String?) {
            guard let value else { return }
            writer.start(XMLName(name, Self.name.namespace))
            writer.element(XMLName(kind, Self.name.namespace), text: value)
            writer.end()
        }
        writer.start(Self.name)
        property("fn", "text", fullName)
        for value in nicknames { property("nickname", "text", value) }
        for value in emails { property("email", "text", value) }
        for value in telephones { property("tel", value.contains(":") ? "uri" : "text", value) }
        for value in urls { property("url", "uri", value) }
        property("bday", "date", birthday)
        property("org", "text", organization)
        property("note", "text", note)
        for element in others { writer.write(element) }
        writer.end()
    }

    /// The value of a property that has exactly one and no parameters; others are preserved whole.
    private static func plainValue(of property: XMLElement) -> String? {
        var value: String?
        for child in property.children {
            guard value == nil, child.namespace == name.namespace, ["text", "uri", "date"].contains(child.localName)
            else {
                return nil
            }
            value = child.text
        }
        return value
    }
}

/// Requests the vCard of an account (XEP-0292 vCard4 Over XMPP §5).
public struct VCardRequest: IQRequest, EmptyPayload, Equatable {
    public typealias Response = VCard
    public static let name = VCard.name

    public init() {}
}
