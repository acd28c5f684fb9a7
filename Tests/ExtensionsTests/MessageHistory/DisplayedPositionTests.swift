import DataForms
import MessageFeatures
import PublishSubscribe
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import MessageHistory

@Suite("Displayed positions (XEP-0490)")
struct DisplayedPositionTests {
    private let own: JID
    private let contact: JID
    private let room: JID

    init() throws {
        own = try JID("juliet@capulet.lit")
        contact = try JID("romeo@montegue.lit")
        room = try JID("example@conference.shakespeare.lit")
    }

    private static let fromContact = """
        <item id='romeo@montegue.lit'><displayed xmlns='urn:xmpp:mds:displayed:0'><stanza-id xmlns='urn:xmpp:sid:0' \
        id='0f710f2b-52ed-4d52-b928-784dad74a52b' by='juliet@capulet.lit'/></displayed></item>
        """
    private static let fromRoom = """
        <item id='example@conference.shakespeare.lit'><displayed xmlns='urn:xmpp:mds:displayed:0'><stanza-id \
        xmlns='urn:xmpp:sid:0' id='ca21deaf-812c-48f1-8f16-339a674f2864' by='example@conference.shakespeare.lit'/>\
        </displayed></item>
        """

    private func list(_ items: String) throws -> [PublishedItem] {
        try ItemsPage(
            from: XMLElement(
                parsing: "<pubsub xmlns='http://jabber.org/protocol/pubsub'>"
                    + "<items node='urn:xmpp:mds:displayed:0'>\(items)</items></pubsub>")
        ).items
    }

    private func notice(_ content: String, from service: JID) throws -> PublishSubscribeNotice {
        PublishSubscribeNotice(
            service: service,
            event: try PublishSubscribeEvent(
                from: XMLElement(
                    parsing: "<event xmlns='http://jabber.org/protocol/pubsub#event'>\(content)</event>")))
    }

    private func items(_ items: String, from service: JID) throws -> PublishSubscribeNotice {
        try notice("<items node='urn:xmpp:mds:displayed:0'>\(items)</items>", from: service)
    }

    private func item(_ conversation: String, _ id: String, by: String) -> String {
        "<item id='\(conversation)'><displayed xmlns='urn:xmpp:mds:displayed:0'>"
            + "<stanza-id xmlns='urn:xmpp:sid:0' id='\(id)' by='\(by)'/></displayed></item>"
    }

    @Test("the element is read and written; it must contain exactly one id")
    func payload() throws {
        let identifier = "<stanza-id xmlns='urn:xmpp:sid:0' by='juliet@capulet.lit' id='0f710f2b'/>"
        try checkRoundTrip(
            DisplayedPosition.self, "<displayed xmlns='urn:xmpp:mds:displayed:0'>\(identifier)</displayed>")
        for content in ["", identifier + identifier, "<stanza-id xmlns='urn:xmpp:sid:0' by='@' id='1'/>"] {
            #expect(throws: XMLDecodingError.self) {
                try DisplayedPosition(
                    from: XMLElement(parsing: "<displayed xmlns='urn:xmpp:mds:displayed:0'>\(content)</displayed>"))
            }
        }
    }

    @Test("the publish options of a position make it private, and store all of them (example 1)")
    func options() throws {
        let form = try DataForm(
            from: XMLElement(
                parsing: """
                    <x xmlns='jabber:x:data' type='submit'><field var='FORM_TYPE' type='hidden'>\
                    <value>http://jabber.org/protocol/pubsub#publish-options</value></field>\
                    <field var='pubsub#persist_items'><value>true</value></field>\
                    <field var='pubsub#max_items'><value>max</value></field>\
                    <field var='pubsub#send_last_published_item'><value>never</value></field>\
                    <field var='pubsub#access_model'><value>whitelist</value></field></x>
                    """))
        #expect(NodeConfiguration(form) == .privateList)
    }

    @Test("the list of the server (example 4)")
    func populate() throws {
        var table = DisplayedTable()
        #expect(try table.populate(list(Self.fromContact + Self.fromRoom), own: own) == [.populated])
        #expect(
            table.positions == [
                contact: StanzaIdentifier("0f710f2b-52ed-4d52-b928-784dad74a52b", by: own),
                room: StanzaIdentifier("ca21deaf-812c-48f1-8f16-339a674f2864", by: room),
            ])
        #expect(table.populate([], own: own) == [.populated])
        #expect(table.positions.isEmpty)
    }

    @Test("another device displayed a message (example 9), once")
    func moved() throws {
        var table = DisplayedTable()
        let notice = try items(Self.fromContact, from: own)
        let message = StanzaIdentifier("0f710f2b-52ed-4d52-b928-784dad74a52b", by: own)
        #expect(table.apply(notice, own: own) == [.moved(conversation: contact, to: message)])
        #expect(table.apply(notice, own: own) == [])
        #expect(table.move(contact, to: message) == [])
        #expect(table.positions == [contact: message])
    }

    @Test("an occupant of a room is a conversation as well")
    func occupant() throws {
        var table = DisplayedTable()
        let notice = try items(item("\(room)/witch", "1", by: own.description), from: own)
        let witch = try room.with(resource: "witch")
        #expect(table.apply(notice, own: own) == [.moved(conversation: witch, to: StanzaIdentifier("1", by: own))])
    }

    @Test(
        "only positions of our own account are accepted",
        arguments: [
            "romeo@montegue.lit", "capulet.lit", "juliet@capulet.lit/balcony", "example@conference.shakespeare.lit",
        ])
    func forged(service: String) throws {
        var table = DisplayedTable()
        #expect(table.apply(try items(Self.fromContact, from: JID(service)), own: own) == [])
        #expect(table.positions.isEmpty)
    }

    @Test("invalid items do not hide others")
    func badItems() throws {
        var table = DisplayedTable()
        let bad = [
            "<item id='romeo@montegue.lit'/>", "<item><x xmlns='urn:x'/></item>", item("@", "1", by: own.description),
            item(contact.description, "1", by: "mallory@evil.lit"), item("\(room)/witch", "1", by: room.description),
        ]
        #expect(try table.populate(list(bad.joined() + Self.fromRoom), own: own) == [.populated])
        #expect(Array(table.positions.keys) == [room])
    }

    @Test("positions can be removed, and other nodes are ignored")
    func removed() throws {
        var table = DisplayedTable()
        _ = try table.populate(list(Self.fromContact + Self.fromRoom), own: own)
        #expect(table.apply(try notice("<purge node='urn:x'/>", from: own), own: own) == [])
        #expect(
            table.apply(try items("<retract id='\(room)'/><retract id='x@y'/>", from: own), own: own)
                == [.removed(conversation: room)])
        #expect(
            table.apply(try notice("<purge node='urn:xmpp:mds:displayed:0'/>", from: own), own: own)
                == [.removed(conversation: contact)])
    }

    @Test("the number of conversations is limited, and known ones are still updated")
    func limit() throws {
        var table = DisplayedTable()
        for number in 0..<DisplayedTable.limit {
            _ = table.move(try JID("c\(number)@a.example"), to: StanzaIdentifier("1", by: own))
        }
        #expect(table.move(contact, to: StanzaIdentifier("1", by: own)) == [])
        let known = try JID("c5@a.example")
        #expect(table.move(known, to: StanzaIdentifier("2", by: own)).count == 1)
        #expect(table.positions.count == DisplayedTable.limit)
    }
}
