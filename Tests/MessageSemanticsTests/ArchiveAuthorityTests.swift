import MessageSemantics
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@Suite("What an archive may contain")
struct ArchiveAuthorityTests {
    private static let own = "victim@xmpp.example"
    private static let room = "orchard@rooms.example"

    private func message(_ attributes: String) throws -> Message {
        try Message(from: XMLElement(parsing: "<message xmlns='jabber:client' \(attributes)><body>O</body></message>"))
    }

    private func refusal(_ archive: String, _ attributes: String) throws -> ArchiveAuthority.Refusal? {
        let room = try JID(Self.room)
        return ArchiveAuthority.refusal(
            of: try message(attributes), in: try JID(archive), account: try JID(Self.own + "/desk")
        ) { $0 == room }
    }

    @Test("a room's archive contains what was said in the room to all")
    func roomArchive() throws {
        #expect(try refusal(Self.room, "type='groupchat' from='\(Self.room)/Romeo'") == nil)
        #expect(try refusal(Self.room, "type='groupchat' from='\(Self.room)'") == nil)
    }

    @Test(
        "M1–M4: a room's archive contains no message of others, nor ours, nor private ones",
        arguments: [
            "type='chat' from='friend@xmpp.example/x' to='victim@xmpp.example'",
            "type='groupchat' from='friend@xmpp.example/x'",
            "type='chat' from='victim@xmpp.example/y' to='friend@xmpp.example'",
            "type='groupchat' from='other@rooms.example/Romeo'", "type='chat' from='orchard@rooms.example/Romeo'",
            "from='orchard@rooms.example/Romeo'", "type='groupchat'", "to='friend@xmpp.example' type='chat'",
            "type='headline' from='orchard@rooms.example'",
        ])
    func forgery(attributes: String) throws {
        #expect(try refusal(Self.room, attributes) == .outsideRoom)
    }

    @Test("our own archive contains what we sent, what was sent to us, and messages of rooms that we know")
    func ownArchive() throws {
        #expect(try refusal(Self.own, "type='chat' from='friend@xmpp.example/x' to='victim@xmpp.example'") == nil)
        #expect(try refusal(Self.own, "type='chat' from='victim@xmpp.example/y' to='friend@xmpp.example'") == nil)
        #expect(try refusal(Self.own, "type='chat' to='friend@xmpp.example'") == nil)
        #expect(try refusal(Self.own, "type='groupchat' from='\(Self.room)/Romeo' to='victim@xmpp.example'") == nil)
        #expect(try refusal(Self.own, "type='chat' from='\(Self.room)/Romeo' to='victim@xmpp.example/desk'") == nil)
    }

    @Test(
        "not even our own archive contains conversations of others or of unknown rooms",
        arguments: [
            "type='chat' from='friend@xmpp.example/x' to='third@xmpp.example'",
            "type='chat' from='friend@xmpp.example/x'",
            "type='groupchat' from='other@rooms.example/Romeo' to='victim@xmpp.example'",
        ])
    func foreign(attributes: String) throws {
        let isRoom = attributes.contains("groupchat")
        #expect(try refusal(Self.own, attributes) == (isRoom ? .unknownRoom : .ofOthers))
    }

    @Test("a carbon contains what this account has sent or received, and no message of a room")
    func carbons() throws {
        func brings(_ attributes: String, isSent: Bool) throws -> Bool {
            ArchiveAuthority.carbonMayBring(
                try message(attributes), isSent: isSent, account: try JID(Self.own + "/desk"))
        }
        let sent = "type='chat' from='victim@xmpp.example/y' to='friend@xmpp.example'"
        let received = "type='chat' from='friend@xmpp.example/x' to='victim@xmpp.example/y'"
        #expect(try brings(sent, isSent: true) && !brings(sent, isSent: false))
        #expect(try brings(received, isSent: false) && !brings(received, isSent: true))
        #expect(try !brings("type='chat'", isSent: true) && !brings("type='chat'", isSent: false))
        #expect(try !brings("type='groupchat' from='\(Self.room)/R' to='\(Self.own)'", isSent: false))
    }
}
