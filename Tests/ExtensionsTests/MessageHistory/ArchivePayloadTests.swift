import DataForms
import MessageFeatures
import MessageHistory
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

/// The examples of XEP-0313, XEP-0441 and XEP-0297.
@Suite("Payloads of archives")
struct ArchivePayloadTests {
    private func query(_ content: String) -> String { "<query xmlns='urn:xmpp:mam:2'>\(content)</query>" }

    private func form(_ fields: String) -> String {
        "<x xmlns='jabber:x:data' type='submit'><field var='FORM_TYPE' type='hidden'><value>urn:xmpp:mam:2</value></field>"
            + fields + "</x>"
    }

    private func check<P: XMLPayload & Equatable>(_ document: String, _ expected: P) throws {
        let element = try XMLElement(parsing: document)
        #expect(try P(from: element) == expected)
        #expect(XMLElement(expected) == element)
        #expect(throws: XMLDecodingError.self) { try P(from: XMLElement(parsing: "<other xmlns='urn:x'/>")) }
    }

    @Test("queries (§4)")
    func queries() throws {
        let rsm = "http://jabber.org/protocol/rsm"
        try check("<query xmlns='urn:xmpp:mam:2' queryid='f27'/>", ArchiveQuery(queryID: "f27"))
        try check(
            query(form("<field var='with'><value>juliet@capulet.lit</value></field>")),
            ArchiveQuery(filter: ArchiveFilter(with: try JID("juliet@capulet.lit"))))
        try check(
            query(
                form(
                    "<field var='start'><value>2010-06-07T00:00:00Z</value></field>"
                        + "<field var='end'><value>2010-07-07T13:23:54Z</value></field>")),
            ArchiveQuery(
                filter: ArchiveFilter(
                    start: Timestamp("2010-06-07T00:00:00Z"), end: Timestamp("2010-07-07T13:23:54Z"))))
        try check(
            query(
                form(
                    "<field var='before-id'><value>09af3-cc343-b409f</value></field>"
                        + "<field var='after-id'><value>28482-98726-73623</value></field>")),
            ArchiveQuery(filter: ArchiveFilter(beforeID: "09af3-cc343-b409f", afterID: "28482-98726-73623")))
        try check(
            query(form("<field var='ids'><value>28482-98726-73623</value></field>")),
            ArchiveQuery(filter: ArchiveFilter(ids: ["28482-98726-73623"])))
        try check(
            query(form("<field var='include-groupchat'><value>false</value></field>")),
            ArchiveQuery(filter: ArchiveFilter(includesGroupChat: false)))
        try check(
            query(form("<field var='{http://example.com/}free-text-search'><value>Where?</value></field>")),
            ArchiveQuery(filter: ArchiveFilter(otherFields: ["{http://example.com/}free-text-search": ["Where?"]])))
        try check(
            query(
                form("<field var='start'><value>2010-08-07T00:00:00Z</value></field>")
                    + "<set xmlns='\(rsm)'><max>10</max><after>09af3-cc343-b409f</after></set><flip-page/>"),
            ArchiveQuery(
                filter: ArchiveFilter(start: Timestamp("2010-08-07T00:00:00Z")),
                page: ResultSetRequest(.after("09af3-cc343-b409f"), maximum: 10), isFlipped: true))
    }

    @Test("the end of a query (§4.3)")
    func answers() throws {
        let set =
            "<set xmlns='http://jabber.org/protocol/rsm'><first index='0'>23452-4534-1</first>"
            + "<last>390-2342-22</last><count>16</count></set>"
        let part = ResultSet(first: "23452-4534-1", firstIndex: 0, last: "390-2342-22", count: 16)
        try check(
            "<fin xmlns='urn:xmpp:mam:2' complete='true'>\(set)</fin>", ArchiveAnswer(isComplete: true, part: part))
        try check(
            "<fin xmlns='urn:xmpp:mam:2' stable='false'>\(set)</fin>",
            ArchiveAnswer(isComplete: false, isStable: false, part: part))
        let bare = try ArchiveAnswer(from: XMLElement(parsing: "<fin xmlns='urn:xmpp:mam:2' complete='1'/>"))
        #expect(bare == ArchiveAnswer(isComplete: true))
        #expect(throws: XMLDecodingError.self) { try ArchiveAnswer(payload: nil) }
    }

    @Test("results (§4.2): a message, one that was removed, and one that cannot be read")
    func results() throws {
        func result(_ inner: String) -> String {
            "<result xmlns='urn:xmpp:mam:2' queryid='f27' id='28482'><forwarded xmlns='urn:xmpp:forward:0'>"
                + "<delay xmlns='urn:xmpp:delay' stamp='2010-07-10T23:08:25Z'/>\(inner)</forwarded></result>"
        }
        let text =
            "<message xmlns='jabber:client' from='witch@shakespeare.lit' to='macbeth@shakespeare.lit'><body>Hail</body></message>"
        let message = try Message(from: XMLElement(parsing: text))
        let delay = DelayedDelivery(stamp: try #require(Timestamp("2010-07-10T23:08:25Z")))
        try check(
            result(text),
            ArchiveResult(queryID: "f27", id: "28482", forwarded: ForwardedMessage(message, delay: delay)))
        let empty = ArchiveResult(queryID: "f27", id: "28482", forwarded: ForwardedMessage(nil, delay: delay))
        try check(result(""), empty)
        let unreadable = try XMLElement(parsing: result("<message xmlns='jabber:client' from='@'/>"))
        #expect(try ArchiveResult(from: unreadable) == empty)
        // A forwarded stanza in the wrong namespace is not a message.
        #expect(try ArchiveResult(from: XMLElement(parsing: result("<message><body>x</body></message>"))) == empty)
        for broken in [
            "<result xmlns='urn:xmpp:mam:2' id='1'/>",
            "<result xmlns='urn:xmpp:mam:2'><forwarded xmlns='urn:xmpp:forward:0'/></result>",
        ] {
            #expect(throws: XMLDecodingError.self) { try ArchiveResult(from: XMLElement(parsing: broken)) }
        }
    }

    @Test("metadata (§5)")
    func metadata() throws {
        try check(
            "<metadata xmlns='urn:xmpp:mam:2'><start id='YWxwaGEg' timestamp='2008-08-22T21:09:04Z'/>"
                + "<end id='b21lZ2Eg' timestamp='2020-04-20T14:34:21Z'/></metadata>",
            ArchiveMetadata(
                start: .init(id: "YWxwaGEg", timestamp: try #require(Timestamp("2008-08-22T21:09:04Z"))),
                end: .init(id: "b21lZ2Eg", timestamp: try #require(Timestamp("2020-04-20T14:34:21Z")))))
        try check("<metadata xmlns='urn:xmpp:mam:2'/>", ArchiveMetadata())
        for end in ["<start id='1'/>", "<start timestamp='2020-04-20T14:34:21Z'/>", "<end id='1' timestamp='now'/>"] {
            let element = try XMLElement(parsing: "<metadata xmlns='urn:xmpp:mam:2'>\(end)</metadata>")
            #expect(throws: XMLDecodingError.self) { try ArchiveMetadata(from: element) }
        }
    }

    @Test("preferences (XEP-0441 §2.1)")
    func preferences() throws {
        try check(
            "<prefs xmlns='urn:xmpp:mam:2' default='roster'><always><jid>romeo@montague.lit</jid></always>"
                + "<never><jid>montague@montague.lit</jid></never></prefs>",
            ArchivePreferences(
                .roster, always: [try JID("romeo@montague.lit")], never: [try JID("montague@montague.lit")]))
        let short = try ArchivePreferences(from: XMLElement(parsing: "<prefs xmlns='urn:xmpp:mam:2' default='never'/>"))
        #expect(short == ArchivePreferences(.never))
        for broken in [
            "<prefs xmlns='urn:xmpp:mam:2'/>", "<prefs xmlns='urn:xmpp:mam:2' default='some'/>",
            "<prefs xmlns='urn:xmpp:mam:2' default='never'><always><jid>@</jid></always></prefs>",
        ] {
            #expect(throws: XMLDecodingError.self) { try ArchivePreferences(from: XMLElement(parsing: broken)) }
        }
    }

    @Test("the form of the server contains its fields (§4.1.5)")
    func form() throws {
        let response = try ArchiveFormRequest.Response(
            from: XMLElement(
                parsing: query(
                    "<x xmlns='jabber:x:data' type='form'><field type='jid-single' var='with'/>"
                        + "<field type='list-multi' var='ids'><validate xmlns='http://jabber.org/protocol/xdata-validate' "
                        + "datatype='xs:string'><open/></validate></field></x>")))
        #expect(response.form.fields.compactMap(\.name) == ["with", "ids"])
    }

    @Test("the preferences determine whose messages are archived (XEP-0441 §2.1)")
    func kept() throws {
        let (friend, device) = (try JID("romeo@montague.lit"), try JID("romeo@montague.lit/phone"))
        for peer in [friend, device] {
            #expect(ArchivePreferences(.always).keeps(peer, isContact: false))
            #expect(!ArchivePreferences(.never).keeps(peer, isContact: true))
            #expect(ArchivePreferences(.roster).keeps(peer, isContact: true))
            #expect(!ArchivePreferences(.roster).keeps(peer, isContact: false))
            #expect(ArchivePreferences(.never, always: [friend]).keeps(peer, isContact: false))
            #expect(!ArchivePreferences(.always, never: [friend]).keeps(peer, isContact: true))
        }
    }
}
