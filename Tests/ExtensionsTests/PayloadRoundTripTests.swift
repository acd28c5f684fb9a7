import AccountRegistration
import DataForms
import EntityInformation
import FileSharing
import MessageFeatures
import Roster
import ServiceDiscovery
import Testing
import XMLStreaming

/// Each fixture is read into its type, written again and compared as XML.
@Suite("Payloads round-trip")
struct PayloadRoundTripTests {
    private func check<P: XMLPayload>(_ type: P.Type, _ document: String) throws {
        let element = try XMLElement(parsing: document)
        #expect(element.isNamed(P.name))
        #expect(XMLElement(try P(from: element)) == element)
        #expect(throws: XMLDecodingError.self) { try P(from: XMLElement(parsing: "<other xmlns='urn:x'/>")) }
    }

    @Test(
        "data forms",
        arguments: [
            "<x xmlns='jabber:x:data' type='form'/>",
            "<x xmlns='jabber:x:data' type='cancel'/>",
            "<x xmlns='jabber:x:data' type='form'><title>Bot</title><instructions>Fill out!</instructions>"
                + "<field type='hidden' var='FORM_TYPE'><value>jabber:bot</value></field>"
                + "<field type='fixed'><value>Section 1</value></field>"
                + "<field var='botname' label='The name'><required/></field>"
                + "<field type='text-multi' var='d' label='L'><desc>Helpful</desc><value>a</value><value>b</value></field>"
                + "<field type='list-multi' var='f'><value>news</value><option label='News'><value>news</value></option>"
                + "<option><value>search</value></option></field></x>",
        ])
    func dataForms(document: String) throws { try check(DataForm.self, document) }

    @Test("last activity, the time of an entity and idle users (XEP-0012, 0202, 0319)")
    func activity() throws {
        try check(LastActivityRequest.self, "<query xmlns='jabber:iq:last'/>")
        try check(LastActivity.self, "<query xmlns='jabber:iq:last' seconds='903'>Heading Home</query>")
        try check(LastActivity.self, "<query xmlns='jabber:iq:last' seconds='123456'/>")
        try check(EntityTimeRequest.self, "<time xmlns='urn:xmpp:time'/>")
        for zone in ["-06:00", "Z", "+05:45", "-00:30"] {
            try check(
                EntityTime.self,
                "<time xmlns='urn:xmpp:time'><tzo>\(zone)</tzo><utc>2006-12-19T17:58:35Z</utc></time>")
        }
        try check(IdleTime.self, "<idle xmlns='urn:xmpp:idle:1' since='1969-07-21T02:56:15Z'/>")
    }

    @Test(
        "activity and times that nobody can mean are refused",
        arguments: [
            "<query xmlns='jabber:iq:last'/>", "<query xmlns='jabber:iq:last' seconds='-1'/>",
            "<query xmlns='jabber:iq:last' seconds='18446744073709551615'/>",
            "<query xmlns='jabber:iq:last' seconds='1.5'/>",
            "<time xmlns='urn:xmpp:time'><tzo>Z</tzo></time>",
            "<time xmlns='urn:xmpp:time'><utc>2006-12-19T17:58:35Z</utc></time>",
            "<time xmlns='urn:xmpp:time'><tzo>+24:00</tzo><utc>2006-12-19T17:58:35Z</utc></time>",
            "<time xmlns='urn:xmpp:time'><tzo>-1:00</tzo><utc>2006-12-19T17:58:35Z</utc></time>",
            "<time xmlns='urn:xmpp:time'><tzo>-06:00</tzo><utc>yesterday</utc></time>",
            "<idle xmlns='urn:xmpp:idle:1'/>", "<idle xmlns='urn:xmpp:idle:1' since='now'/>",
        ])
    func badActivity(document: String) throws {
        let element = try XMLElement(parsing: document)
        #expect(throws: XMLDecodingError.self) {
            switch element.name {
            case LastActivity.name: _ = try LastActivity(from: element)
            case EntityTime.name: _ = try EntityTime(from: element)
            default: _ = try IdleTime(from: element)
            }
        }
    }

    @Test("a submitted form contains hidden fields and only answered ones")
    func answeredForm() throws {
        let form = try DataForm(
            from: XMLElement(
                parsing:
                    "<x xmlns='jabber:x:data' type='form'><field type='hidden' var='FORM_TYPE'><value>a</value></field>"
                    + "<field var='u'/><field var='v'><value>7</value></field></x>"))
        let answer = form.answered(with: ["u": ["romeo"]])
        #expect(answer.kind == .submit)
        #expect(answer.fields.map(\.name) == ["FORM_TYPE", "u"])
        #expect(answer["u"]?.values == ["romeo"])
    }

    @Test("service discovery items; an invalid address hides no other item")
    func items() throws {
        try check(
            DiscoveryItems.self,
            "<query xmlns='http://jabber.org/protocol/disco#items'><item jid='catalog.shakespeare.lit' node='b' name='Books'/>"
                + "<item jid='people.shakespeare.lit'/></query>")
        let mixed = try DiscoveryItems(
            from: XMLElement(
                parsing:
                    "<query xmlns='http://jabber.org/protocol/disco#items'><item jid='@'/><item jid='ok.example'/></query>"
            ))
        #expect(mixed.items.map(\.address.description) == ["ok.example"])
    }

    @Test("file metadata, shared file, upload slot")
    func files() throws {
        let file =
            "<file xmlns='urn:xmpp:file:metadata:0'><media-type>image/jpeg</media-type><name>summit.jpg</name>"
            + "<size>3032449</size><width>4096</width><height>2160</height><length>63000</length>"
            + "<date>2015-07-26T21:46:00Z</date><desc>Photo from the summit.</desc>"
            + "<hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>2XarmwTlNxDAMkvymloX3S5+VbylNrJt/l5QyPa+YoU=</hash></file>"
        try check(FileMetadata.self, file)
        try check(
            SharedFile.self,
            "<file-sharing xmlns='urn:xmpp:sfs:0' disposition='inline' id='1'>\(file)<sources>"
                + "<url-data xmlns='http://jabber.org/protocol/url-data' target='https://d.example/s.jpg'/></sources></file-sharing>"
        )
        try check(
            UploadSlotRequest.self,
            "<request xmlns='urn:xmpp:http:upload:0' filename='très cool.jpg' size='23456' content-type='image/jpeg'/>")
        try check(
            UploadSlot.self,
            "<slot xmlns='urn:xmpp:http:upload:0'><put url='https://u.example/tr%C3%A8s'>"
                + "<header name='Authorization'>Basic Base64String==</header></put><get url='https://d.example/c'/></slot>"
        )
    }

    @Test("upload slots: other headers are dropped and line breaks removed")
    func slotHeaders() throws {
        let slot = try UploadSlot(
            from: XMLElement(
                parsing:
                    "<slot xmlns='urn:xmpp:http:upload:0'><put url='https://u.example/'><header name='Host'>evil</header>"
                    + "<header name='Cookie'>a=b\nHost: evil</header></put><get url='https://d.example/'/></slot>"))
        #expect(slot.putHeaders == [.init(name: "Cookie", value: "a=bHost: evil")])
    }

    @Test("file metadata: unreadable parts are left out")
    func badMetadata() throws {
        let metadata = try FileMetadata(
            from: XMLElement(
                parsing: "<file xmlns='urn:xmpp:file:metadata:0'><size>-1</size><width>-5</width><date>x</date>"
                    + "<hash xmlns='urn:xmpp:hashes:2' algo='sha-256'>%</hash><name>ok</name></file>"))
        #expect(metadata == FileMetadata(fileName: "ok"))
    }
}
