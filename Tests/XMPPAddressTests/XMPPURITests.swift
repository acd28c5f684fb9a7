import Testing
import XMPPAddress

@Suite("XEP-0147: xmpp URIs")
struct XMPPURITests {
    @Test("S0-6: xmpp:stpeter@jabber.org contains an address")
    func plain() throws {
        let uri = try XMPPURI("xmpp:stpeter@jabber.org")
        #expect(try uri.address == JID("stpeter@jabber.org"))
        #expect(uri.account == nil)
        #expect(uri.action == nil)
        #expect(uri.parameters.isEmpty)
        #expect(uri.description == "xmpp:stpeter@jabber.org")
        #expect(try XMPPURI("XMPP:stpeter@jabber.org") == uri)
    }

    @Test(
        "XEP-0147 §4: actions and their parameters",
        arguments: [
            ("xmpp:romeo@montague.net?message", "message", []),
            (
                "xmpp:romeo@montague.net?message;subject=Test%20Message;body=Here%27s%20a%20test%20message", "message",
                [.init("subject", "Test Message"), .init("body", "Here's a test message")]
            ),
            (
                "xmpp:romeo@montague.net?roster;name=Romeo%20Montague;group=Friends;group=Family", "roster",
                [.init("name", "Romeo Montague"), .init("group", "Friends"), .init("group", "Family")]
            ),
            ("xmpp:romeo@montague.net?subscribe", "subscribe", []),
        ] as [(String, String, [XMPPURI.Parameter])])
    func actions(text: String, action: String, parameters: [XMPPURI.Parameter]) throws {
        let uri = try XMPPURI(text)
        #expect(try uri.address == JID("romeo@montague.net"))
        #expect(uri.action == action)
        #expect(uri.parameters == parameters)
        #expect(uri.description == text)
        #expect(try XMPPURI(JID("romeo@montague.net"), action: action, parameters: parameters) == uri)
    }

    @Test("The first value of a parameter is found by its key")
    func parameter() throws {
        let uri = try XMPPURI("xmpp:a@b.example?x;k=1;k=2;empty=;bare;")
        #expect(uri["k"] == "1")
        #expect(uri["empty"] == "")
        #expect(uri["bare"] == "")
        #expect(uri["none"] == nil)
    }

    @Test(
        "RFC 5122 §2.3: the authority is the account to use",
        arguments: [
            ("xmpp://guest@example.com/support@example.com?message", "support@example.com"),
            ("xmpp://guest@example.com/support@example.com/desk?message", "support@example.com/desk"),
            ("xmpp://guest@example.com/example.com", "example.com"),
            ("xmpp://guest@example.com", nil),
        ] as [(String, String?)])
    func authority(text: String, address: String?) throws {
        let uri = try XMPPURI(text)
        #expect(try uri.account == JID("guest@example.com"))
        #expect(uri.address?.description == address)
        #expect(uri.description == text)
    }

    @Test(
        "RFC 5122 §2.2, §2.7: percent-encoding and decoding",
        arguments: [
            (
                "xmpp:nasty!%23$%25()*+,-.;=%3F%5B%5C%5D%5E_%60%7B%7C%7D~node@example.com",
                #"nasty!#$%()*+,-.;=?[\]^_`{|}~node@example.com"#
            ),
            (
                "xmpp:node@example.com/repulsive%20!%23%22$%25&'()*+,-.%2F:;%3C=%3E%3F%40%5B%5C%5D%5E_%60%7B%7C%7D~resource",
                ##"node@example.com/repulsive !#"$%&'()*+,-./:;<=>?@[\]^_`{|}~resource"##
            ),
            ("xmpp:ji%C5%99i@%C4%8Dechy.example/v%20Praze", "ji\u{159}i@\u{10D}echy.example/v Praze"),
            ("xmpp:user@[2001:db8::1]", "user@[2001:db8::1]"),
        ])
    func percentEncoding(text: String, address: String) throws {
        let uri = try XMPPURI(text)
        #expect(uri.address?.description == address)
        #expect(uri.description == text)
    }

    @Test("An IRI is accepted, a URI is written")
    func internationalised() throws {
        let uri = try XMPPURI("xmpp:ji\u{159}i@\u{10D}echy.example?message;body=p\u{159}i")
        #expect(uri["body"] == "p\u{159}i")
        #expect(uri.description == "xmpp:ji%C5%99i@%C4%8Dechy.example?message;body=p%C5%99i")
    }

    @Test("A fragment is preserved")
    func fragment() throws {
        let uri = try XMPPURI("xmpp:a@b.example?join#top%20x")
        #expect(uri.fragment == "top x")
        #expect(uri.description == "xmpp:a@b.example?join#top%20x")
        #expect(try XMPPURI("xmpp:a@b.example#?x").action == nil)
    }

    @Test(
        "Invalid xmpp URIs",
        arguments: [
            ("", XMPPURIError.notXMPP), ("xmpp", .notXMPP), ("xmpp:", .notXMPP), ("mailto:a@b.example", .notXMPP),
            ("xmpp:?message", .noAddress), ("xmpp:#x", .noAddress),
            ("xmpp://example.com/a@b.example", .invalidAuthority), ("xmpp:///a@b.example", .invalidAuthority),
            ("xmpp:a%2@b.example", .invalidPercentEncoding), ("xmpp:a%zz@b.example", .invalidPercentEncoding),
            ("xmpp:a@b.example/%FF", .invalidPercentEncoding), ("xmpp:a@b.example?m;k=%", .invalidPercentEncoding),
            ("xmpp:a@b.example?", .invalidQuery), ("xmpp:a@b.example?;k=v", .invalidQuery),
            ("xmpp:a@b.example?m;=v", .invalidQuery),
            ("xmpp:@b.example", .address(AddressError(.local, .empty))),
            ("xmpp:a@b.example/", .address(AddressError(.resource, .empty))),
        ])
    func refusals(text: String, error: XMPPURIError) {
        #expect(throws: error) { try XMPPURI(text) }
    }

    @Test("An encoded separator never changes the boundaries of the parts")
    func encodedSeparators() {
        #expect(throws: XMPPURIError.address(AddressError(.local, .disallowed("/")))) {
            try XMPPURI("xmpp:evil.example%2Fx@bank.example")
        }
        #expect(throws: XMPPURIError.address(AddressError(.domain, .disallowed("@")))) {
            try XMPPURI("xmpp:evil%40bank.example")
        }
    }
}
