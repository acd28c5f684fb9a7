import MessagePayloads
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import DirectTransfer

@Suite("Direct transfers on the wire (XEP-0166, XEP-0234, XEP-0260, XEP-0261, XEP-0047, XEP-0065)")
struct JingleElementTests {
    private static func jingle(_ attributes: String, _ content: String = "") -> String {
        "<jingle xmlns='urn:xmpp:jingle:1' \(attributes)>\(content)</jingle>"
    }

    private static let file =
        "<description xmlns='urn:xmpp:jingle:apps:file-transfer:5'><file><date>1969-07-21T02:56:15Z</date>"
        + "<desc>This is a test. If this were a real file...</desc><media-type>text/plain</media-type>"
        + "<name>test.txt</name><range/><size>6144</size>"
        + "<hash xmlns='urn:xmpp:hashes:2' algo='sha-1'>w0mcJylzCn+AfvuGdqkty2+KP48=</hash></file></description>"

    private static let inBand = "<transport xmlns='urn:xmpp:jingle:transports:ibb:1' block-size='4096' sid='ch3d9s71'/>"

    private static let socks =
        "<transport xmlns='urn:xmpp:jingle:transports:s5b:1' dstaddr='972b7bf47291ca609517f67f86b5081086052dad' sid='vj3hs98y'>"
        + "<candidate cid='hft54dqy' host='192.168.4.1' jid='romeo@montague.lit/orchard' port='5086' priority='8257636' "
        + "type='direct'/><candidate cid='xmdh4b7i' host='123.456.7.8' jid='streamer.shakespeare.lit' port='7625' "
        + "priority='7878787' type='proxy'/></transport>"

    private static func news(_ content: String) -> String {
        jingle(
            "action='transport-info' sid='a73sjjvkla37jfea'",
            "<content creator='initiator' name='ex'><transport xmlns='urn:xmpp:jingle:transports:s5b:1' sid='vj3hs98y'>"
                + "\(content)</transport></content>")
    }

    @Test(
        "the examples of the specifications",
        arguments: [
            jingle(
                "action='session-initiate' initiator='romeo@montague.example/dr4hcr0st3lup4c' sid='851ba2'",
                "<content creator='initiator' name='a-file-offer' senders='initiator'>\(file)\(inBand)</content>"),
            jingle(
                "action='session-accept' responder='juliet@capulet.example/yn0cl4bnw0yr3vym' sid='851ba2'",
                "<content creator='initiator' name='a-file-offer' senders='initiator'>\(file)\(socks)</content>"),
            jingle("action='session-terminate' sid='a73sjjvkla37jfea'", "<reason><success/></reason>"),
            jingle(
                "action='session-terminate' sid='a73sjjvkla37jfea'",
                "<reason><success/><text>Sorry, gotta go!</text></reason>"),
            jingle(
                "action='content-remove' sid='a73sjjvkla37jfea'",
                "<content creator='initiator' name='a-file-offer'/><reason><cancel/></reason>"),
            jingle(
                "action='session-info' sid='a73sjjvkla37jfea'",
                "<received xmlns='urn:xmpp:jingle:apps:file-transfer:5' creator='initiator' name='a-file-offer'/>"),
            jingle(
                "action='session-info' sid='a73sjjvkla37jfea'",
                "<checksum xmlns='urn:xmpp:jingle:apps:file-transfer:5' creator='initiator' name='a-file-offer'><file>"
                    + "<hash xmlns='urn:xmpp:hashes:2' algo='sha-1'>w0mcJylzCn+AfvuGdqkty2+KP48=</hash></file></checksum>"
            ),
            news("<candidate-used cid='hr65dqyd'/>"), news("<candidate-error/>"), news("<activated cid='xmdh4b7i'/>"),
            news("<proxy-error/>"),
            jingle(
                "action='transport-replace' sid='a73sjjvkla37jfea'",
                "<content creator='initiator' name='ex'>\(inBand)</content>"),
        ])
    func examples(document: String) throws { try checkRoundTrip(JingleElement.self, document) }

    @Test("a file that is hashed on the way, and one that begins in the middle")
    func files() throws {
        let text =
            "<description xmlns='urn:xmpp:jingle:apps:file-transfer:5'><file><range offset='270336' length='1024'/>"
            + "<size>6144</size><hash-used xmlns='urn:xmpp:hashes:2' algo='sha-256'/></file></description>"
        let file = try OfferedFile(from: XMLElement(parsing: text))
        #expect(file.part == OfferedFile.Part(offset: 270_336, length: 1024))
        #expect(file.hashAlgorithm == "sha-256")
        var writer = XMLWriter()
        file.encode(to: &writer)
        #expect(try OfferedFile(from: XMLElement(parsing: writer.takeBytes())) == file)
    }

    @Test("blocks inside of the XML stream")
    func blocks() throws {
        try checkRoundTrip(
            InBandOpening.self,
            "<open xmlns='http://jabber.org/protocol/ibb' block-size='4096' sid='i781hf64' stanza='iq'/>")
        try checkRoundTrip(
            InBandBlock.self,
            "<data xmlns='http://jabber.org/protocol/ibb' seq='65535' sid='i781hf64'>qANQR1DBwU4DX7jm</data>")
        try checkRoundTrip(InBandClosing.self, "<close xmlns='http://jabber.org/protocol/ibb' sid='i781hf64'/>")
        for text in [
            "<open xmlns='http://jabber.org/protocol/ibb' block-size='0' sid='a'/>",
            "<open xmlns='http://jabber.org/protocol/ibb' block-size='65536' sid='a'/>",
            "<open xmlns='http://jabber.org/protocol/ibb' block-size='4096'/>",
        ] {
            #expect(throws: XMLDecodingError.self) { try InBandOpening(from: XMLElement(parsing: text)) }
        }
        for text in [
            "<data xmlns='http://jabber.org/protocol/ibb' seq='65536' sid='a'>AAAA</data>",
            "<data xmlns='http://jabber.org/protocol/ibb' seq='0' sid='a'>*</data>",
            "<data xmlns='http://jabber.org/protocol/ibb' seq='0'>AAAA</data>",
        ] {
            #expect(throws: XMLDecodingError.self) { try InBandBlock(from: XMLElement(parsing: text)) }
        }
    }

    @Test("a proxy")
    func proxy() throws {
        let answer = try ProxyRequest.Response(
            payload: XMLElement(
                parsing: "<query xmlns='http://jabber.org/protocol/bytestreams'>"
                    + "<streamhost host='24.24.24.1' jid='streamer.example.com' port='7625'/><streamhost host='a'/>"
                    + "<streamhost jid='streamer.example.com' host='proxy.example.com'/></query>"))
        let address = try JID("streamer.example.com")
        #expect(answer.hosts.map(\.address) == [address, address])
        #expect(answer.hosts.map(\.host) == ["24.24.24.1", "proxy.example.com"])
        #expect(answer.hosts.map(\.port) == [7625, 1080])
        try checkRoundTrip(
            ProxyActivation.self,
            "<query xmlns='http://jabber.org/protocol/bytestreams' sid='vxf9n471bn46'>"
                + "<activate>target@example.org/bar</activate></query>")
    }

    @Test("the name of a bytestream at a proxy is that of the example")
    func destination() throws {
        let (romeo, juliet) = (try JID("romeo@montague.lit/orchard"), try JID("juliet@capulet.lit/balcony"))
        #expect(
            CandidateConnections.destination("vj3hs98y", of: romeo, to: juliet)
                == "972b7bf47291ca609517f67f86b5081086052dad")
        #expect(
            CandidateConnections.destination("vj3hs98y", of: juliet, to: romeo)
                == "1a12fb7bc625e55f3ed5b29a53dbe0e4aa7d80ba")
    }

    @Test(
        "bad elements",
        arguments: [
            jingle("sid='a'"), jingle("action='session-initiate'"), jingle("action='dance' sid='a'"),
            jingle("action='session-info' sid='\(String(repeating: "x", count: 300))'"),
            jingle("action='session-info' sid=''"),
            jingle("action='session-accept' sid='a'", "<content creator='initiator'/>"),
            jingle("action='session-info' sid='a'", "<received xmlns='urn:xmpp:jingle:apps:file-transfer:5'/>"),
            jingle(
                "action='session-accept' sid='a'",
                "<content name='a'><description xmlns='urn:xmpp:jingle:apps:file-transfer:5'/></content>"),
            jingle(
                "action='session-accept' sid='a'",
                "<content name='a'><transport xmlns='urn:xmpp:jingle:transports:ibb:1'/></content>"),
        ])
    func bad(text: String) throws {
        #expect(throws: XMLDecodingError.self) { try JingleElement(from: XMLElement(parsing: text)) }
    }

    @Test("invalid candidates are skipped, and not more than a few are read")
    func candidates() throws {
        let good = "<candidate cid='a' host='192.0.2.1' jid='a@b.c/d' port='1' priority='5' type='direct'/>"
        let text =
            "<transport xmlns='urn:xmpp:jingle:transports:s5b:1' sid='s'><candidate cid='x' host='h' jid='@' priority='1'/>"
            + "<candidate cid='y' host='h' jid='a@b.c/d' priority='-1'/>\(String(repeating: good, count: 100))</transport>"
        let transport = try SOCKS5Transport(from: XMLElement(parsing: text))
        #expect(transport.candidates.count == SOCKS5Transport.candidateLimit)
        #expect(transport.candidates.allSatisfy { $0.id == "a" })
    }
}
