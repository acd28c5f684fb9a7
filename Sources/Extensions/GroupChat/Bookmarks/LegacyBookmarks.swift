public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// The bookmarks that older programs store in one element (XEP-0048 Bookmarks). They are read, never written.
///
/// ```
/// <storage xmlns='storage:bookmarks'><conference name='Council of Oberon' autojoin='true'
///    jid='council@conference.underhill.org'><nick>Puck</nick></conference></storage>
/// ```
public struct LegacyBookmarks: XMLPayload, Equatable {
    public static let name = XMLName("storage", "storage:bookmarks")
    /// The account's own node in which some programs store the element (§3).
    public static let node = name.namespace

    public struct Entry: Sendable, Equatable {
        public var room: JID
        public var bookmark: Bookmark

        public init(room: JID, _ bookmark: Bookmark) {
            self.room = room
            self.bookmark = bookmark
        }
    }

    /// The bookmarked rooms in order. Web pages are left out.
    public var rooms: [Entry]

    public init(_ rooms: [Entry] = []) {
        self.rooms = rooms
    }

    /// Invalid entries are skipped, so that one of them does not hide the others.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        rooms = element.children(Self.conferenceName).prefix(Bookmarks.limit).compactMap { child in
            guard let room = (try? child.requiredAddress("jid"))?.bare, room.local != nil else { return nil }
            return Entry(
                room: room,
                Bookmark(
                    title: child["name"], joinsAutomatically: ((try? child.boolean("autojoin")) ?? nil) ?? false,
                    nickname: child.firstChild(Self.nicknameName)?.text,
                    password: child.firstChild(Self.passwordName)?.text))
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        for entry in rooms {
            writer.start(Self.conferenceName)
            writer.attribute("name", entry.bookmark.title)
            writer.attribute("autojoin", entry.bookmark.joinsAutomatically ? "true" : nil)
            writer.attribute("jid", entry.room.description)
            if let nickname = entry.bookmark.nickname { writer.element(Self.nicknameName, text: nickname) }
            if let password = entry.bookmark.password { writer.element(Self.passwordName, text: password) }
            writer.end()
        }
        writer.end()
    }

    private static let conferenceName = XMLName("conference", name.namespace)
    private static let nicknameName = XMLName("nick", name.namespace)
    private static let passwordName = XMLName("password", name.namespace)
}

/// Requests an element that the account has stored on its server (XEP-0049 Private XML Storage §2.2).
///
/// ```
/// C: <iq type='get'><query xmlns='jabber:iq:private'><storage xmlns='storage:bookmarks'/></query></iq>
/// ```
public struct PrivateXMLRequest: IQRequest, Equatable {
    public static let name = XMLName("query", "jabber:iq:private")

    /// The stored element; an empty one if there is none.
    public struct Response: IQResponse, Equatable {
        public var element: XMLElement?

        public init(payload: XMLElement?) throws(XMLDecodingError) {
            try payload?.requireName(PrivateXMLRequest.name)
            element = payload?.firstChild
        }
    }

    /// The name of the stored element.
    public var element: XMLName

    public init(_ element: XMLName) {
        self.element = element
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        guard let child = element.firstChild else {
            throw XMLDecodingError(Self.name, .invalid("it names nothing"))
        }
        self.element = child.name
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.element(element)
        writer.end()
    }
}
