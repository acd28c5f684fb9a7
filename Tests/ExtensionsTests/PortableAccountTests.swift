import GroupChat
import Roster
import Testing
import XMLStreaming
import XMPPAddress

@Suite("Accounts in a file, and rooms of many servers (XEP-0227, XEP-0433)")
struct PortableAccountTests {
    private static let file =
        "<server-data xmlns='urn:xmpp:pie:0'><host jid='capulet.com'><user name='juliet' password='s3crEt'>"
        + "<query xmlns='jabber:iq:roster'><item jid='romeo@montague.net' name='Romeo' subscription='both'>"
        + "<group>Friends</group></item></query><vCard xmlns='vcard-temp'><FN>Juliet Capulet</FN></vCard>"
        + "<offline-messages><message xmlns='jabber:client' from='romeo@montague.net/orchard' type='chat'>"
        + "<body>Neither, fair saint, if either thee dislike.</body></message></offline-messages></user></host>"
        + "<host jid='montague.net'><user name='romeo'/></host></server-data>"

    @Test("accounts are read and written with everything in them")
    func accounts() throws {
        try checkRoundTrip(PortableAccounts.self, Self.file)
        var file = try PortableAccounts(from: XMLElement(parsing: Self.file))
        #expect(file.accounts.map(\.address.description) == ["juliet@capulet.com", "romeo@montague.net"])
        #expect(file.accounts[0].password == "s3crEt")
        #expect(file.accounts[0].contents.count == 3)
        let roster = try #require(try file.accounts[0].roster)
        #expect(roster.items.map(\.name) == ["Romeo"])
        file.accounts[1].setRoster(roster)
        file.accounts[0].setRoster(nil)
        let read = try PortableAccounts(from: XMLElement(file))
        #expect(try read.accounts[1].roster == roster)
        #expect(try read.accounts[0].roster == nil)
        #expect(read.accounts[0].contents.count == 2)
    }

    @Test("an account without a valid name hides no other")
    func badAccounts() throws {
        let text =
            "<server-data xmlns='urn:xmpp:pie:0'><host jid='capulet.com'><user/><user name='a@b'/><user name='juliet'/></host>"
            + "</server-data>"
        let file = try PortableAccounts(from: XMLElement(parsing: text))
        #expect(file.accounts.map(\.address.description) == ["juliet@capulet.com"])
        #expect(throws: XMLDecodingError.self) {
            try PortableAccounts(
                from: XMLElement(
                    parsing: "<server-data xmlns='urn:xmpp:pie:0'><host><user name='a'/></host></server-data>"))
        }
    }

    @Test(
        "a contact that cannot be read is an error, and not a list without it",
        arguments: ["<item/>", "<item jid='@'/>", "<item jid='nurse@capulet.com'/><item jid='' name='Romeo'/>"])
    func unreadableContacts(items: String) throws {
        let query = try XMLElement(parsing: "<query xmlns='jabber:iq:roster'>\(items)</query>")
        let account = PortableAccounts.Account(try JID("juliet@capulet.com"), contents: [query])
        #expect(throws: XMLDecodingError.self) { try account.roster }
        #expect(account.contents == [query])
    }

    @Test("a contact list in several elements is one, and a large one is written whole")
    func contactLists() throws {
        let lists = try ["nurse", "romeo"].map {
            try XMLElement(parsing: "<query xmlns='jabber:iq:roster'><item jid='\($0)@capulet.com'/></query>")
        }
        var account = PortableAccounts.Account(try JID("juliet@capulet.com"), contents: lists)
        #expect(try account.roster?.items.map(\.address.local) == ["nurse", "romeo"])
        // More bytes than an element from the network may have.
        let name = String(repeating: "x", count: 1000)
        let many = try (0..<12_000).map { RosterItem(address: try JID("c\($0)@capulet.com"), name: name) }
        account.setRoster(RosterQuery(items: many))
        #expect(try account.roster?.items.count == many.count)
        #expect(account.contents.count == 1)
    }

    @Test("a search for rooms")
    func channelSearch() throws {
        let form =
            "<x xmlns='jabber:x:data' type='submit'><field type='hidden' var='FORM_TYPE'>"
            + "<value>urn:xmpp:channel-search:0:search-params</value></field><field var='q'><value>xmpp.org</value></field>"
            + "<field type='list-single' var='key'><value>{urn:xmpp:channel-search:0:order}address</value></field></x>"
        try checkRoundTrip(
            ChannelSearch.self,
            "<search xmlns='urn:xmpp:channel-search:0:search'><set xmlns='http://jabber.org/protocol/rsm'><max>5</max></set>"
                + "\(form)</search>")
        var search = ChannelSearch(nil, minimumOccupants: 3, maximum: 10)
        search.after = "opaque-string-2"
        #expect(try ChannelSearch(from: XMLElement(search)) == search)
    }

    @Test("the rooms that were found")
    func channels() throws {
        let result =
            "<result xmlns='urn:xmpp:channel-search:0:search'><item address='commteam@muc.xmpp.org'><name>commteam</name>"
            + "<nusers>10</nusers><is-open/></item><item address='@'/><item address='operators@muc.xmpp.org'>"
            + "<name>XMPP Service Operators</name><description>Discussion venue</description><nusers>-43</nusers></item>"
            + "<set xmlns='http://jabber.org/protocol/rsm'><first>opaque-string-1</first><last>opaque-string-2</last></set>"
            + "</result>"
        let page = try ChannelSearch.Response(payload: XMLElement(parsing: result))
        #expect(page.channels.map(\.address.description) == ["commteam@muc.xmpp.org", "operators@muc.xmpp.org"])
        #expect(page.channels.map(\.occupantCount) == [10, nil])
        #expect(page.channels.map(\.isOpen) == [true, false])
        #expect(page.last == "opaque-string-2")
        let empty = try XMLElement(
            parsing:
                "<result xmlns='urn:xmpp:channel-search:0:search'><set xmlns='http://jabber.org/protocol/rsm'><last>a</last></set></result>"
        )
        #expect(try ChannelSearch.Response(payload: empty).last == nil)
        #expect(throws: XMLDecodingError.self) { try ChannelSearch.Response(payload: nil) }
    }
}
