public import XMLStreaming
public import XMPPAddress

/// A bookmarked room (XEP-0402 PEP Native Bookmarks).
///
/// ```
/// <item id='theplay@conference.shakespeare.lit'><conference xmlns='urn:xmpp:bookmarks:1' name='The Play&apos;s the Thing'
///    autojoin='true'><nick>JC</nick></conference></item>
/// ```
public struct Bookmark: XMLPayload, Sendable, Equatable {
    public static let name = XMLName("conference", "urn:xmpp:bookmarks:1")
    /// The account's own node with one item per room, whose id is the room's address (§3).
    public static let node = name.namespace

    /// The name given by the user.
    public var title: String?
    /// Whether devices join the room automatically.
    public var joinsAutomatically: Bool
    public var nickname: String?
    public var password: String?
    /// Extensions of other clients, which must be preserved by every change (§4.4).
    public var extensions: [XMLElement]

    public init(
        title: String? = nil, joinsAutomatically: Bool = false, nickname: String? = nil, password: String? = nil,
        extensions: [XMLElement] = []
    ) {
        self.title = title
        self.joinsAutomatically = joinsAutomatically
        self.nickname = nickname
        self.password = password
        self.extensions = extensions
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        self.init(
            title: element["name"], joinsAutomatically: try element.boolean("autojoin") ?? false,
            nickname: element.firstChild(Self.nicknameName)?.text, password: element.firstChild(Self.passwordName)?.text
        )
        if let child = element.firstChild(Self.extensionsName) { extensions = Array(child.children) }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("name", title)
        writer.attribute("autojoin", joinsAutomatically ? "true" : nil)
        if let nickname { writer.element(Self.nicknameName, text: nickname) }
        if let password { writer.element(Self.passwordName, text: password) }
        if !extensions.isEmpty {
            writer.start(Self.extensionsName)
            for element in extensions { writer.write(element) }
            writer.end()
        }
        writer.end()
    }

    private static let nicknameName = XMLName("nick", name.namespace)
    private static let passwordName = XMLName("password", name.namespace)
    private static let extensionsName = XMLName("extensions", name.namespace)
}

/// A change of the bookmarks, on this device or another one.
public enum BookmarkEvent: Sendable, Equatable {
    /// The whole list was received.
    case populated
    /// A bookmark was added or changed.
    case changed(room: JID, Bookmark)
    case removed(room: JID)
}
