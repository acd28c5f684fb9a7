import MessageSemantics
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@Suite("The meaning of a received message")
struct MessageReaderTests {
    static let arrival = MessageReader.Arrival(.live, time: MessageTime(millisecondsSince1970: 2_000_000_000_000))
    /// While the server delivers what it has kept since the beginning of 2020.
    static let offline = MessageReader.Arrival(
        .live, time: arrival.time, earliestDelay: MessageTime(millisecondsSince1970: 1_577_836_800_000))

    static func read(
        _ xml: String, _ arrival: MessageReader.Arrival = arrival, believesOwnArchive: Bool = true
    ) throws -> [MessageMeaning] {
        let message = try Message(from: XMLElement(parsing: xml))
        return MessageReader(
            address: try JID("juliet@example.com"), believesOwnArchive: believesOwnArchive
        ).read(message, arrival)
    }

    static func copy(
        _ xml: String, _ arrival: MessageReader.Arrival = arrival, believesOwnArchive: Bool = true
    ) throws -> (copy: MessageCopy, key: ConversationAddress)? {
        let meanings = try read(xml, arrival, believesOwnArchive: believesOwnArchive)
        guard case .message(let copy, let key)? = meanings.first else { return nil }
        return (copy, key)
    }

    @Test("a reaction as Dino 0.4 sends it is the same as one of Hongyan")
    func reactionOfDino() throws {
        let copy = try #require(
            try Self.copy(
                """
                <message xmlns='jabber:client' from='romeo@example.com/dino' to='juliet@example.com' type='chat' id='d1'>\
                <reactions xmlns='urn:xmpp:reactions:0' id='m1'><reaction>👍\u{FE0F}</reaction></reactions>\
                <store xmlns='urn:xmpp:hints'/></message>
                """)
        ).copy
        #expect(copy.content == .reactions(to: .sent(id: "m1"), ["👍"]))
    }

    @Test("identifiers longer than any reference are dropped; the text is kept")
    func longIdentifiers() throws {
        let (fits, long) = (String(repeating: "a", count: 1_024), String(repeating: "a", count: 1_025))
        for (id, kept) in [(fits, fits as String?), (long, nil)] {
            let (copy, _) = try #require(
                try Self.copy(
                    """
                    <message xmlns='jabber:client' from='romeo@example.com/a' to='juliet@example.com/b' type='chat' id='\(id)'>\
                    <body>O</body><origin-id xmlns='urn:xmpp:sid:0' id='\(id)'/></message>
                    """))
            #expect(copy.wireID == kept && copy.originID == kept)
            #expect(copy.content == .text(MessageText("O")))
        }
    }

    @Test("a text of a contact, with the archive id of our own archive")
    func text() throws {
        let (copy, key) = try #require(
            try Self.copy(
                """
                <message xmlns='jabber:client' from='romeo@example.com/a' to='juliet@example.com/b' type='chat' id='m1'>\
                <body>O</body><origin-id xmlns='urn:xmpp:sid:0' id='o1'/>\
                <stanza-id xmlns='urn:xmpp:sid:0' id='s1' by='juliet@example.com'/>\
                <stanza-id xmlns='urn:xmpp:sid:0' id='forged' by='romeo@example.com'/></message>
                """))
        #expect(key == ConversationAddress(try JID("romeo@example.com"), kind: .direct))
        #expect(copy.wireID == "m1" && copy.originID == "o1" && !copy.isOutgoing)
        #expect(copy.archiveReferences == [ArchiveReference(archive: try JID("juliet@example.com"), id: "s1")])
        #expect(copy.content == .text(MessageText("O")))
        #expect(copy.time == Self.arrival.time && copy.timeSource == .clock)
    }

    @Test("a room's notice about an invitation is not a message")
    func invitation() throws {
        func meaning(of user: String) throws -> [MessageMeaning] {
            try Self.read(
                """
                <message xmlns='jabber:client' from='pond@rooms.example.com' to='juliet@example.com'>\
                <x xmlns='http://jabber.org/protocol/muc#user'>\(user)</x>\
                <body>romeo@example.com/x invited you to the room pond@rooms.example.com</body></message>
                """)
        }
        #expect(try meaning(of: "<invite from='romeo@example.com/x'/>").isEmpty)
        #expect(try !meaning(of: "").isEmpty)
    }

    @Test("a message of our other device belongs to the conversation of its recipient")
    func own() throws {
        let (copy, key) = try #require(
            try Self.copy(
                "<message xmlns='jabber:client' from='juliet@example.com/c' to='romeo@example.com' type='chat'><body>O</body></message>"
            ))
        #expect(copy.isOutgoing)
        #expect(key.address == (try JID("romeo@example.com")))
    }

    private static func delay(_ from: String, _ stamp: String) -> String {
        "<delay xmlns='urn:xmpp:delay' \(from) stamp='\(stamp)'/>"
    }

    private static func time(_ delays: String, _ arrival: MessageReader.Arrival) throws -> MessageCopy? {
        try copy(
            "<message xmlns='jabber:client' from='romeo@example.com/a' type='chat'><body>O</body>\(delays)</message>",
            arrival)?.copy
    }

    @Test(
        "while the server delivers stored messages its delay stamps are trusted, not those of others and never future ones"
    )
    func delays() throws {
        func source(_ from: String, _ stamp: String) throws -> TimeSource? {
            try Self.time(Self.delay(from, stamp), Self.offline)?.timeSource
        }
        #expect(try source("from='example.com'", "2020-01-01T00:00:00Z") == .delay)
        #expect(try source("from='juliet@example.com'", "2020-01-01T00:00:00Z") == .delay)
        #expect(try source("from='romeo@example.com'", "2020-01-01T00:00:00Z") == .clock)
        #expect(try source("", "2020-01-01T00:00:00Z") == .clock)
        #expect(try source("from='example.com'", "2099-01-01T00:00:00Z") == .clock)
    }

    @Test(
        "D3, D3b: nobody backdates a live message, nor beyond what a server can have stored",
        arguments: ["", "from='example.com'", "from='juliet@example.com'", "from='romeo@example.com'"])
    func backdating(from: String) throws {
        for (stamp, arrival) in [("2021-01-01T00:00:00Z", Self.arrival), ("2019-12-31T23:59:59Z", Self.offline)] {
            let copy = try #require(try Self.time(Self.delay(from, stamp), arrival))
            #expect(copy.time == Self.arrival.time && copy.timeSource == .clock)
        }
    }

    @Test("of several delay stamps the latest counts: the sender's stamp cannot make a message older than the server's")
    func severalDelays() throws {
        let forged = Self.delay("from='example.com'", "2020-01-01T00:00:00Z")
        let genuine = Self.delay("from='example.com'", "2021-01-01T00:00:00Z")
        for delays in [forged + genuine, genuine + forged] {
            let copy = try #require(try Self.time(delays, Self.offline))
            #expect(copy.time.millisecondsSince1970 == 1_609_459_200_000 && copy.timeSource == .delay)
            #expect(copy.arrival == Self.offline.time)
        }
    }

    @Test("the archive id of our own archive is trusted only if the account announces that it assigns them")
    func unannouncedArchive() throws {
        let xml = """
            <message xmlns='jabber:client' from='romeo@example.com/a' type='chat'><body>O</body>\
            <stanza-id xmlns='urn:xmpp:sid:0' id='s1' by='juliet@example.com'/></message>
            """
        #expect(try Self.copy(xml)?.copy.archiveReferences.map(\.id) == ["s1"])
        #expect(try Self.copy(xml, believesOwnArchive: false)?.copy.archiveReferences.isEmpty == true)
    }

    @Test("a message that is sent again has the time of its first attempt, beside the stamps of servers")
    func repetition() throws {
        let own = "<delay xmlns='urn:xmpp:delay' from='romeo@example.com' stamp='2020-01-01T00:00:00.5Z'/>"
        let server = "<delay xmlns='urn:xmpp:delay' from='example.com' stamp='2020-01-02T00:00:00Z'/>"
        for delays in [own, server + own, own + server] {
            let copy = try #require(
                try Self.copy(
                    """
                    <message xmlns='jabber:client' from='romeo@example.com/a' type='chat'><body>O</body>\
                    \(delays)</message>
                    """, Self.offline)
            ).copy
            #expect(copy.firstSent?.millisecondsSince1970 == 1_577_836_800_500)
            #expect(copy.timeSource == (delays == own ? .clock : .delay))
        }
        let foreign = try Self.copy(
            """
            <message xmlns='jabber:client' from='romeo@example.com/a' type='chat'><body>O</body>\
            \(own.replacing("romeo", with: "tybalt"))</message>
            """)
        #expect(foreign != nil && foreign?.copy.firstSent == nil)
    }

    @Test("receipts and errors are reports about an outgoing message")
    func reports() throws {
        let receipt = try Self.read(
            """
            <message xmlns='jabber:client' from='romeo@example.com/a'><received xmlns='urn:xmpp:receipts' id='m1'/></message>
            """)
        let key = ConversationAddress(try JID("romeo@example.com"), kind: .direct)
        let romeo = try JID("romeo@example.com/a")
        #expect(
            receipt == [
                .report(
                    StateReport(.delivered, target: .sent(id: "m1"), sender: romeo, time: Self.arrival.time), in: key)
            ])
        let refusal = try Self.read(
            """
            <message xmlns='jabber:client' from='romeo@example.com/a' type='error' id='m1'><body>O</body>\
            <error type='cancel'><service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>
            """)
        guard case .report(let report, _)? = refusal.first else {
            Issue.record("\(refusal)")
            return
        }
        #expect(report.kind == .refused(condition: "service-unavailable", text: nil))
    }

    @Test(
        "stanzas without content are ignored, and so is the end of an unmanaged connection",
        arguments: [
            """
            <message xmlns='jabber:client' from='romeo@example.com' type='error' id='m1'><error type='cancel'>\
            <recipient-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></message>
            """,
            "<message xmlns='jabber:client' from='romeo@example.com/a'><composing xmlns='http://jabber.org/protocol/chatstates'/></message>",
            "<message xmlns='jabber:client' from='room@example.com/a' type='groupchat'><body>O</body></message>",
            "<message xmlns='jabber:client'/>",
        ])
    func nothing(xml: String) throws {
        #expect(try Self.read(xml).isEmpty)
    }

    @Test("an uploaded picture is an attachment, and its URL is not shown as text")
    func attachment() throws {
        let (copy, _) = try #require(
            try Self.copy(
                """
                <message xmlns='jabber:client' from='romeo@example.com/a' type='chat'>\
                <body>https://example.com/rose.png</body>\
                <x xmlns='jabber:x:oob'><url>https://example.com/rose.png</url></x></message>
                """))
        guard case .text(let text) = copy.content else {
            Issue.record("\(copy.content)")
            return
        }
        #expect(text.body.isEmpty)
        #expect(text.attachments.map(\.kind) == [.picture])
        #expect(text.attachments.first?.url == "https://example.com/rose.png")
    }
}
