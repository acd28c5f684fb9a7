import MessageSemantics
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@Suite("The meaning of room messages")
struct RoomReaderTests {
    static let arrival = MessageReader.Arrival(.live, time: MessageTime(millisecondsSince1970: 2_000_000_000_000))

    static let announcing = RoomOccupancy(
        nickname: "Jule", occupantID: "own", hasOccupantIDs: true, hasStanzaIDs: true)

    static func read(
        _ content: String, from sender: String, type: String = "groupchat", occupancy: RoomOccupancy = announcing,
        _ arrival: MessageReader.Arrival = arrival
    ) throws -> [MessageMeaning] {
        let room = try JID("orchard@rooms.example.com")
        let reader = MessageReader(
            address: try JID("juliet@example.com"),
            occupancies: [room: occupancy])
        let xml =
            "<message xmlns='jabber:client' from='\(sender)' to='juliet@example.com/b' type='\(type)' id='m1'>\(content)</message>"
        return reader.read(try Message(from: XMLElement(parsing: xml)), arrival)
    }

    static func copy(
        _ content: String, from sender: String, type: String = "groupchat", occupancy: RoomOccupancy = announcing,
        _ arrival: MessageReader.Arrival = arrival
    ) throws -> MessageCopy? {
        let meanings = try read(content, from: sender, type: type, occupancy: occupancy, arrival)
        guard case .message(let copy, _)? = meanings.first else { return nil }
        return copy
    }

    @Test("A text has the id of the room's archive, and of no other")
    func text() throws {
        let copy = try #require(
            try Self.copy(
                """
                <body>O</body><stanza-id xmlns='urn:xmpp:sid:0' id='s1' by='orchard@rooms.example.com'/>\
                <stanza-id xmlns='urn:xmpp:sid:0' id='x' by='juliet@example.com'/>\
                <occupant-id xmlns='urn:xmpp:occupant-id:0' id='his'/>
                """, from: "orchard@rooms.example.com/Romeo"))
        #expect(!copy.isOutgoing && copy.occupantID == "his" && copy.route == .live)
        #expect(copy.archiveReferences.map(\.id) == ["s1"])
    }

    @Test(
        "A message is our own by the occupant id, and by the nickname only if there is none",
        arguments: [
            ("<occupant-id xmlns='urn:xmpp:occupant-id:0' id='own'/>", "Jule", true),
            ("<occupant-id xmlns='urn:xmpp:occupant-id:0' id='own'/>", "Jule2", true),
            ("<occupant-id xmlns='urn:xmpp:occupant-id:0' id='his'/>", "Jule", false), ("", "Jule", true),
            ("", "Romeo", false),
        ])
    func ownership(identifier: String, nickname: String, isOwn: Bool) throws {
        let copy = try #require(
            try Self.copy("<body>O</body>" + identifier, from: "orchard@rooms.example.com/\(nickname)"))
        #expect(copy.isOutgoing == isOwn)
        #expect(copy.route == (isOwn ? .reflection : .live))
    }

    @Test("N2, N3: occupant ids and archive ids of a room that does not announce them are ignored")
    func unannounced() throws {
        let forged = """
            <body>O</body><occupant-id xmlns='urn:xmpp:occupant-id:0' id='own'/>\
            <stanza-id xmlns='urn:xmpp:sid:0' id='s1' by='orchard@rooms.example.com'/>
            """
        let occupancy = RoomOccupancy(nickname: "Jule", occupantID: "own")
        let copy = try #require(
            try Self.copy(forged, from: "orchard@rooms.example.com/Mallory", occupancy: occupancy))
        #expect(!copy.isOutgoing && copy.occupantID == nil && copy.archiveReferences.isEmpty)
    }

    @Test("A delay stamp of the room is accepted while it sends its history, and not afterwards")
    func history() throws {
        let body = """
            <body>O</body><delay xmlns='urn:xmpp:delay' from='orchard@rooms.example.com' stamp='2019-01-01T00:00:00Z'/>
            """
        let history = MessageReader.Arrival(
            .live, time: Self.arrival.time, earliestDelay: MessageTime(millisecondsSince1970: .min))
        let sender = "orchard@rooms.example.com/Romeo"
        #expect(try Self.copy(body, from: sender, history)?.timeSource == .delay)
        #expect(try Self.copy(body, from: sender)?.timeSource == .clock)
    }

    @Test("private messages have the occupant id of a room that announces it, and the stay")
    func privateAuthor() throws {
        let arrival = MessageReader.Arrival(.live, time: Self.arrival.time, stay: OccupantStay(rawValue: 7))
        let content = "<body>psst</body><occupant-id xmlns='urn:xmpp:occupant-id:0' id='his'/>"
        let sender = "orchard@rooms.example.com/Romeo"
        let copy = try Self.copy(content, from: sender, type: "chat", arrival)
        #expect(copy?.occupantID == "his" && copy?.stay?.rawValue == 7)
        let occupancy = RoomOccupancy(nickname: "Jule")
        #expect(try Self.copy(content, from: sender, type: "chat", occupancy: occupancy, arrival)?.occupantID == nil)
    }

    @Test(
        "Only the room itself retracts messages of others, in the current form and in that of Debian 12's Prosody",
        arguments: [
            """
            <retract xmlns='urn:xmpp:message-retract:1' id='s1'><moderated xmlns='urn:xmpp:message-moderate:1'/></retract>
            """,
            """
            <apply-to xmlns='urn:xmpp:fasten:0' id='s1'><moderated xmlns='urn:xmpp:message-moderate:0' \
            by='orchard@rooms.example.com/Mod'><retract xmlns='urn:xmpp:message-retract:0'/></moderated></apply-to>
            """,
        ])
    func moderation(retraction: String) throws {
        let copy = try #require(try Self.copy(retraction, from: "orchard@rooms.example.com"))
        let room = try JID("orchard@rooms.example.com")
        #expect(copy.content == .retraction(of: .archived(ArchiveReference(archive: room, id: "s1"))))
        #expect(try Self.read(retraction, from: "orchard@rooms.example.com/Romeo").isEmpty)
    }

    @Test("Reactions and replies refer to the id of the room's archive, corrections to the sender's id")
    func references() throws {
        let room = try JID("orchard@rooms.example.com")
        let archived = TargetReference.archived(ArchiveReference(archive: room, id: "s1"))
        let sender = "orchard@rooms.example.com/Romeo"
        #expect(
            try Self.copy(
                "<reactions xmlns='urn:xmpp:reactions:0' id='s1'><reaction>🌞</reaction></reactions>", from: sender)?
                .content == .reactions(to: archived, ["🌞"]))
        #expect(
            try Self.copy("<body>O</body><reply xmlns='urn:xmpp:reply:0' id='s1'/>", from: sender)?.content
                == .text(MessageText("O", reply: archived)))
        #expect(
            try Self.copy("<body>O</body><replace xmlns='urn:xmpp:message-correct:0' id='m0'/>", from: sender)?.content
                == .correction(of: .sent(id: "m0"), MessageText("O")))
    }

    @Test("An error of a room that has lost us is temporary; other errors count")
    func refusals() throws {
        func error(_ condition: String) -> String {
            "<error type='cancel'><\(condition) xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error>"
        }
        let room = "orchard@rooms.example.com"
        #expect(try Self.read(error("not-acceptable"), from: room, type: "error").isEmpty)
        guard case .report(let report, let key)? = try Self.read(error("forbidden"), from: room, type: "error").first
        else {
            Issue.record("no report")
            return
        }
        #expect(key.kind == .room && report.kind == .refused(condition: "forbidden", text: nil))
    }

    @Test(
        "A room that limits how often one writes says so with a condition of its own (XEP-0500 §5)",
        arguments: [
            ("wait", "policy-violation", "too-fast"), ("wait", "resource-constraint", "too-fast"),
            ("modify", "policy-violation", "policy-violation"),
            ("wait", "internal-server-error", "internal-server-error"),
        ])
    func slowMode(type: String, condition: String, read: String) throws {
        let namespace = "urn:ietf:params:xml:ns:xmpp-stanzas"
        let error =
            "<error type='\(type)'><\(condition) xmlns='\(namespace)'/><text xmlns='\(namespace)'>20 seconds</text></error>"
        let room = "orchard@rooms.example.com"
        guard case .report(let report, _)? = try Self.read(error, from: room, type: "error").first else {
            Issue.record("no report")
            return
        }
        #expect(report.kind == .refused(condition: read, text: "20 seconds"))
        // Nobody is slowed down outside of rooms.
        guard case .report(let other, _)? = try Self.read(error, from: "romeo@example.net", type: "error").first else {
            Issue.record("no report")
            return
        }
        #expect(other.kind == .refused(condition: condition, text: "20 seconds"))
    }

    @Test("Private messages of an occupant are a separate conversation; those of an unknown room are ignored")
    func others() throws {
        guard
            case .message(_, let key)? = try Self.read(
                "<body>psst</body>", from: "orchard@rooms.example.com/Romeo", type: "chat"
            ).first
        else {
            Issue.record("no message")
            return
        }
        #expect(key.kind == .occupant && key.address.resource == "Romeo")
        #expect(try Self.read("<body>O</body>", from: "elsewhere@rooms.example.com/Romeo").isEmpty)
    }

    @Test("Another device of ours has displayed a message of the room")
    func displayed() throws {
        let marker = "<displayed xmlns='urn:xmpp:chat-markers:0' id='s1'/>"
        let room = try JID("orchard@rooms.example.com")
        let key = ConversationAddress(room, kind: .room)
        #expect(
            try Self.read(marker, from: "orchard@rooms.example.com/Jule")
                == [.read(.archived(ArchiveReference(archive: room, id: "s1")), in: key)])
        let sender = try JID("orchard@rooms.example.com/Romeo")
        let target = TargetReference.archived(ArchiveReference(archive: room, id: "s1"))
        #expect(
            try Self.read(marker, from: sender.description)
                == [.report(StateReport(.displayed, target: target, sender: sender, time: Self.arrival.time), in: key)])
        // Another occupant may have the nickname later; where the room assigns an occupant id, it says who it is.
        let identifier = "<occupant-id xmlns='urn:xmpp:occupant-id:0' id='his'/>"
        for (occupancy, id) in [(Self.announcing, "his"), (RoomOccupancy(nickname: "Jule", hasStanzaIDs: true), nil)] {
            let meanings = try Self.read(marker + identifier, from: sender.description, occupancy: occupancy)
            guard case .report(let report, _)? = meanings.first else {
                Issue.record("no report")
                continue
            }
            #expect(report.occupantID == id)
        }
        // Ids that the room does not assign can be given to any message.
        let plain = RoomOccupancy(nickname: "Jule")
        #expect(try Self.read(marker, from: sender.description, occupancy: plain).isEmpty)
        #expect(try Self.read(marker, from: room.description).isEmpty)
    }
}
