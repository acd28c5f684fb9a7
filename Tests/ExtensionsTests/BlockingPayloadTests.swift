import Blocking
import MessageFeatures
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@Suite("Blocking on the wire (XEP-0191, XEP-0377)")
struct BlockingPayloadTests {
    @Test(
        "the list",
        arguments: [
            "<blocklist xmlns='urn:xmpp:blocking'/>",
            "<blocklist xmlns='urn:xmpp:blocking'><item jid='romeo@montague.net'/><item jid='iago@shakespeare.lit'/></blocklist>",
        ])
    func list(document: String) throws { try checkRoundTrip(BlockList.self, document) }

    @Test(
        "blocks, with and without a report",
        arguments: [
            "<block xmlns='urn:xmpp:blocking'><item jid='romeo@montague.net'/></block>",
            "<block xmlns='urn:xmpp:blocking'><item jid='romeo@example.net'>"
                + "<report xmlns='urn:xmpp:reporting:1' reason='urn:xmpp:reporting:abuse'/></item></block>",
            "<block xmlns='urn:xmpp:blocking'><item jid='romeo@example.net'>"
                + "<report xmlns='urn:xmpp:reporting:1' reason='urn:xmpp:reporting:spam'>"
                + "<stanza-id xmlns='urn:xmpp:sid:0' by='romeo@example.net' id='28482-98726-73623'/>"
                + "<stanza-id xmlns='urn:xmpp:sid:0' by='romeo@example.net' id='38383-38018-18385'/>"
                + "<text>Never came trouble to my house like this.</text><report-origin/><third-party/>"
                + "</report></item></block>",
        ])
    func block(document: String) throws { try checkRoundTrip(BlockRequest.self, document) }

    @Test(
        "unblocking some addresses and all of them",
        arguments: [
            "<unblock xmlns='urn:xmpp:blocking'/>",
            "<unblock xmlns='urn:xmpp:blocking'><item jid='romeo@montague.net'/></unblock>",
        ])
    func unblock(document: String) throws { try checkRoundTrip(UnblockRequest.self, document) }

    @Test("an invalid address hides no other one in the list, and never means all addresses")
    func badAddresses() throws {
        let list = "<blocklist xmlns='urn:xmpp:blocking'><item jid='@'/><item/><item jid='a@b.example'/></blocklist>"
        #expect(try BlockList(from: XMLElement(parsing: list)).addresses == [try JID("a@b.example")])
        for document in [
            "<block xmlns='urn:xmpp:blocking'/>", "<block xmlns='urn:xmpp:blocking'><item jid='@'/></block>",
        ] {
            #expect(throws: XMLDecodingError.self) { try BlockRequest(from: XMLElement(parsing: document)) }
        }
        let unblock = "<unblock xmlns='urn:xmpp:blocking'><item/></unblock>"
        #expect(throws: XMLDecodingError.self) { try UnblockRequest(from: XMLElement(parsing: unblock)) }
    }

    @Test("the error for an address that we have blocked")
    func ownBlock() throws {
        let message = try Message(
            from: XMLElement(
                parsing: "<message xmlns='jabber:client' type='error'><error type='cancel'>"
                    + "<not-acceptable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/>"
                    + "<blocked xmlns='urn:xmpp:blocking:errors'/></error></message>"))
        #expect(message.error?.isBecauseOfOwnBlock == true)
        #expect(!StanzaError(.notAcceptable).isBecauseOfOwnBlock)
    }
}

/// Reads a fixture into its type, writes it again and compares both as XML.
func checkRoundTrip<P: XMLPayload>(
    _ type: P.Type, _ document: String, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let element = try XMLElement(parsing: document)
    #expect(element.isNamed(P.name), sourceLocation: sourceLocation)
    #expect(XMLElement(try P(from: element)) == element, sourceLocation: sourceLocation)
    #expect(throws: XMLDecodingError.self, sourceLocation: sourceLocation) {
        try P(from: XMLElement(parsing: "<other xmlns='urn:x'/>"))
    }
}
