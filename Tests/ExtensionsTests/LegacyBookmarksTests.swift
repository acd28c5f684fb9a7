import GroupChat
import ServiceDiscovery
import Testing
import XMLStreaming
import XMPPAddress

@Suite("Bookmarks of older programs, and when rooms notify (XEP-0048, XEP-0049, XEP-0492)")
struct LegacyBookmarksTests {
    private static let identity = DiscoveryInformation.Identity(category: "client", type: "pc")
    private static let phone = DiscoveryInformation.Identity(category: "client", type: "phone")

    @Test("rooms are read, web pages and invalid entries are not")
    func storage() throws {
        let element = try XMLElement(
            parsing: "<storage xmlns='storage:bookmarks'><conference name='Council of Oberon' autojoin='true' "
                + "jid='council@conference.underhill.org'><nick>Puck</nick></conference>"
                + "<url name='Complete Works' url='http://the-tech.mit.edu/Shakespeare/'/>"
                + "<conference jid='@'/><conference jid='conference.underhill.org'/>"
                + "<conference autojoin='maybe' jid='other@conference.underhill.org'/></storage>")
        let rooms = try LegacyBookmarks(from: element).rooms
        #expect(
            rooms == [
                .init(
                    room: try JID("council@conference.underhill.org"),
                    Bookmark(title: "Council of Oberon", joinsAutomatically: true, nickname: "Puck")),
                .init(room: try JID("other@conference.underhill.org"), Bookmark()),
            ])
        try checkRoundTrip(
            LegacyBookmarks.self,
            "<storage xmlns='storage:bookmarks'><conference name='Council of Oberon' autojoin='true' "
                + "jid='council@conference.underhill.org'><nick>Puck</nick><password>x</password></conference></storage>"
        )
    }

    @Test("private storage")
    func privateStorage() throws {
        try checkRoundTrip(
            PrivateXMLRequest.self, "<query xmlns='jabber:iq:private'><storage xmlns='storage:bookmarks'/></query>")
        let empty = try XMLElement(parsing: "<query xmlns='jabber:iq:private'/>")
        #expect(throws: XMLDecodingError.self) { try PrivateXMLRequest(from: empty) }
        #expect(try PrivateXMLRequest.Response(payload: empty).element == nil)
    }

    private static func notify(_ content: String) -> String {
        "<notify xmlns='urn:xmpp:notification-settings:1'>\(content)</notify>"
    }

    @Test(
        "notification settings",
        arguments: [
            notify("<never/>"),
            notify(
                "<never identity-category='client' identity-type='pc'/>"
                    + "<on-mention identity-category='client' identity-type='phone'/>"
                    + "<on-mention identity-category='gateway'/><always/>"),
            notify(
                "<never identity-category='client' identity-type='pc'><advanced>"
                    + "<my-custom-extension xmlns='custom:ns-1'><when day-of-week='monday'/></my-custom-extension>"
                    + "<cool-custom-extension-2 xmlns='custom:ns-2'/></advanced></never><always/>"),
        ])
    func settings(document: String) throws { try checkRoundTrip(NotificationSettings.self, document) }

    @Test("the most specific setting counts, and unknown levels are skipped")
    func precision() throws {
        let element = try XMLElement(
            parsing: Self.notify(
                "<sometimes/><always/><on-mention identity-category='client'/>"
                    + "<never identity-category='client' identity-type='pc'/><never identity-type='phone'/>"))
        let settings = try NotificationSettings(from: element)
        #expect(settings.level(for: Self.identity) == .never)
        #expect(settings.level(for: Self.phone) == .onMention)
        #expect(settings.level(for: .init(category: "gateway", type: "irc")) == .always)
        #expect(NotificationSettings().level(for: Self.identity) == nil)
    }

    @Test("a change preserves what other programs have stored beside it")
    func preserving() throws {
        let element = try XMLElement(
            parsing: Self.notify(
                "<never identity-category='client' identity-type='pc'><advanced><a xmlns='urn:x'/></advanced></never>"))
        let other = try XMLElement(parsing: "<other xmlns='urn:y'/>")
        var bookmark = Bookmark(extensions: [other, element])
        var settings = try #require(bookmark.notifications)
        settings.set(.onMention, for: Self.identity)
        bookmark.notifications = settings
        #expect(bookmark.extensions.first == other)
        let read = try #require(bookmark.notifications)
        #expect(read.level(for: Self.identity) == .onMention)
        // Programs of which nothing was known get the same.
        #expect(read.level(for: .init(category: "gateway", type: "irc")) == .onMention)
        #expect(read.settings.first?.advanced.count == 1)
        settings.set(.never)
        #expect(settings.level(for: .init(category: "gateway", type: "irc")) == .never)
        bookmark.notifications = nil
        #expect(bookmark.extensions == [other])
    }
}
