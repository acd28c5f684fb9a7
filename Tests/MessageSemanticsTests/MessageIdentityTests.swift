import MessagePayloads
import MessageSemantics
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@Suite("Which id is used for what")
struct MessageIdentityTests {
    private static let room = "coven@chat.shakespeare.lit"

    private func message(_ type: String, _ children: String, id: String = "id='m1'") throws -> Message {
        try Message(
            from: XMLElement(
                parsing:
                    "<message xmlns='jabber:client' \(id) type='\(type)' from='\(Self.room)/a'>\(children)</message>"
            ))
    }

    private static let both =
        "<origin-id xmlns='urn:xmpp:sid:0' id='o1'/><stanza-id xmlns='urn:xmpp:sid:0' by='\(room)' id='s1'/>"

    @Test(
        "in a direct conversation",
        arguments: [
            (MessageIdentity.Purpose.correction, "m1", "m1"), (.receipt, "m1", "m1"), (.displayedMarker, "m1", "m1"),
            (.retraction, "m1", "m1"), (.reaction, "o1", "m1"), (.reply, "o1", "m1"),
        ])
    func betweenTwo(purpose: MessageIdentity.Purpose, withOrigin: String, without: String) throws {
        let account = try JID(Self.room)
        #expect(
            MessageIdentity(try message("chat", Self.both), assignedBy: account).identifier(for: purpose) == withOrigin)
        #expect(MessageIdentity(try message("chat", ""), assignedBy: account).identifier(for: purpose) == without)
    }

    @Test(
        "in a room that assigns identifiers, and in one that does not",
        arguments: [
            (MessageIdentity.Purpose.correction, "m1" as String?, "m1" as String?), (.receipt, "m1", "m1"),
            (.displayedMarker, "s1", "m1"), (.retraction, "s1", "o1"), (.reaction, "s1", nil), (.reply, "s1", nil),
        ])
    func room(purpose: MessageIdentity.Purpose, assigned: String?, unassigned: String?) throws {
        let message = try message("groupchat", Self.both)
        #expect(MessageIdentity(message, assignedBy: try JID(Self.room)).identifier(for: purpose) == assigned)
        #expect(MessageIdentity(message, assignedBy: nil).identifier(for: purpose) == unassigned)
    }

    @Test("in a direct conversation either id is accepted, in a room only the right one")
    func matching() throws {
        let account = try JID(Self.room)
        let chat = MessageIdentity(try message("chat", Self.both), assignedBy: account)
        #expect(chat.isMeant(by: "m1", for: .reaction) && chat.isMeant(by: "o1", for: .reaction))
        #expect(chat.isMeant(by: "o1", for: .retraction) && chat.isMeant(by: "o1", for: .displayedMarker))
        #expect(!chat.isMeant(by: "o1", for: .correction) && !chat.isMeant(by: "s1", for: .reaction))
        let room = MessageIdentity(try message("groupchat", Self.both), assignedBy: account)
        #expect(room.isMeant(by: "s1", for: .reaction))
        #expect(!room.isMeant(by: "m1", for: .reaction) && !room.isMeant(by: "o1", for: .reaction))
        #expect(!room.isMeant(by: "m1", for: .retraction) && !room.isMeant(by: "m1", for: .displayedMarker))
    }

    @Test("an id of another entity, or two different ones, are ignored (XEP-0359 §6)")
    func forged() throws {
        let account = try JID(Self.room)
        let others = try message("groupchat", "<stanza-id xmlns='urn:xmpp:sid:0' by='evil.example' id='x'/>")
        #expect(others.archiveID(assignedBy: account) == nil)
        let occupant = try message("groupchat", "<stanza-id xmlns='urn:xmpp:sid:0' by='\(Self.room)/a' id='x'/>")
        #expect(occupant.archiveID(assignedBy: account) == nil)
        let two = try message(
            "groupchat", Self.both + "<stanza-id xmlns='urn:xmpp:sid:0' by='\(Self.room)' id='forged'/>")
        #expect(two.archiveID(assignedBy: account) == nil)
        let mixed = try message("groupchat", "<stanza-id xmlns='urn:xmpp:sid:0' by='@' id='x'/>" + Self.both)
        #expect(mixed.archiveID(assignedBy: account) == "s1")
        #expect(MessageIdentity(try message("chat", "", id: ""), assignedBy: nil).identifier(for: .reply) == nil)
    }
}
