import Testing

@testable import XMPPAddress

@Suite("What a link asks for (XEP-0147)")
struct XMPPURIRequestTests {
    @Test(
        "the examples of the specification",
        arguments: [
            ("xmpp:romeo@montague.net?message", XMPPURI.Request.message(.init())),
            (
                "xmpp:romeo@montague.net?message;subject=Test%20Message;body=Here%27s%20a%20test%20message",
                .message(.init(subject: "Test Message", body: "Here's a test message"))
            ),
            ("xmpp:romeo@montague.net?roster", .addContact(.init())),
            ("xmpp:romeo@montague.net?roster;name=Romeo%20Montague", .addContact(.init(name: "Romeo Montague"))),
            (
                "xmpp:romeo@montague.net?roster;name=Romeo%20Montague;group=Friends",
                .addContact(.init(name: "Romeo Montague", groups: ["Friends"]))
            ),
            ("xmpp:romeo@montague.net?remove", .removeContact),
            ("xmpp:romeo@montague.net?subscribe", .subscribe),
            ("xmpp:romeo@montague.net?unsubscribe", .unsubscribe),
            (
                "xmpp:inviter@example.com?roster;preauth=TOKEN;ibr=y",
                .addContact(.init(token: "TOKEN", allowsRegistration: true))
            ),
            ("xmpp:darkcave@chat.shakespeare.lit?join", .enterRoom(password: nil)),
            ("xmpp:darkcave@chat.shakespeare.lit?join;password=cauldronburn", .enterRoom(password: "cauldronburn")),
            ("xmpp:example.com?register;preauth=TOKEN", .register(token: "TOKEN")),
            ("xmpp:bard@shakespeare.lit?command;node=stats", .command(node: "stats")),
        ])
    func examples(text: String, request: XMPPURI.Request) throws {
        let uri = try XMPPURI(text)
        #expect(uri.request == request)
        // What is written asks for the same.
        let address = try #require(uri.address)
        let written = XMPPURI(address, request).description
        #expect(try XMPPURI(written).request == request)
        #expect(try XMPPURI(written).address == address)
    }

    @Test("an account is invited into a room")
    func invite() throws {
        let uri = try XMPPURI("xmpp:cave@chat.shakespeare.lit?invite;jid=hecate@shakespeare.lit")
        #expect(uri.request == .invite(try JID("hecate@shakespeare.lit"), password: nil))
        #expect(try XMPPURI("xmpp:cave@chat.shakespeare.lit?invite").request == nil)
        #expect(try XMPPURI("xmpp:cave@chat.shakespeare.lit?invite;jid=@").request == nil)
    }

    @Test(
        "a link without a known request only names an address",
        arguments: ["xmpp:romeo@montague.net", "xmpp:romeo@montague.net?whatever;body=1", "xmpp:a.example?command"])
    func others(text: String) throws { #expect(try XMPPURI(text).request == nil) }

    @Test("who sends a message, and how, is not for a link to decide")
    func noSender() throws {
        let uri = try XMPPURI("xmpp:romeo@montague.net?message;from=mallory@x.example;type=headline;id=1;body=Hi")
        #expect(uri.request == .message(.init(body: "Hi")))
    }

    @Test("long values are ignored, long texts are cut, control characters are removed")
    func bounds() throws {
        let long = String(repeating: "x", count: XMPPURI.valueLimit + 1)
        #expect(try XMPPURI("xmpp:romeo@montague.net?roster;name=\(long)").request == .addContact(.init()))
        #expect(try XMPPURI("xmpp:a.example?register;preauth=\(long)").request == .register(token: nil))
        let text = String(repeating: "y", count: XMPPURI.textLimit + 1)
        guard case .message(let draft)? = try XMPPURI("xmpp:romeo@montague.net?message;body=\(text)").request else {
            Issue.record("no message")
            return
        }
        #expect(draft.body?.count == XMPPURI.textLimit)
        let odd = try XMPPURI("xmpp:romeo@montague.net?message;body=a%0D%0Ab%1B%5B31m%00c%09d")
        #expect(odd.request == .message(.init(body: "a\nb[31mc\td")))
        #expect(try XMPPURI("xmpp:romeo@montague.net?message;body=%00%1B").request == .message(.init()))
        let groups = String(repeating: ";group=a", count: 100)
        guard case .addContact(let contact)? = try XMPPURI("xmpp:romeo@montague.net?roster\(groups)").request else {
            Issue.record("no contact")
            return
        }
        #expect(contact.groups.count == XMPPURI.groupLimit)
    }
}
