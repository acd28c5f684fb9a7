import DataForms
import GroupChat
import HongyanTesting
import MessagePayloads
import Synchronization
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient

@Suite("Who may mention whom in a room (XEP-0513)")
struct MentionPermissionsTests {
    private static let form =
        "<x xmlns='jabber:x:data' type='form'><field type='hidden' var='FORM_TYPE'><value>urn:xmpp:mentions:0</value></field>"
        + "<field var='mentions#count' type='text-single'><required/><value>2</value></field>"
        + "<field var='mentions#individual' type='list-single'><value>participants</value></field>"
        + "<field var='mentions#channel' type='list-single'><value>moderators</value></field>"
        + "<field var='mentions#associations' type='list-single'><value>none</value></field>"
        + "<field var='mentions#hats' type='list-single'><value>king</value></field></x>"

    @Test("the form of a room")
    func form() throws {
        let form = try DataForm(from: XMLElement(parsing: Self.form))
        let permissions = try #require(MentionPermissions(form))
        #expect(
            permissions
                == MentionPermissions(
                    count: 2,
                    audiences: ["individual": .participants, "channel": .moderators, "associations": .nobody]))
        #expect(MentionPermissions(DataForm(kind: .form)) == nil)
        try checkRoundTrip(MentionPermissionsRequest.self, "<query xmlns='urn:xmpp:mentions:0'/>")
        try checkRoundTrip(
            MentionPermissionsChange.self,
            "<query xmlns='urn:xmpp:mentions:0'><x xmlns='jabber:x:data' type='submit'>"
                + "<field var='mentions#count'><value>1</value></field></x></query>")
    }

    @Test("mentions without permission do not count, and of too many none does")
    func permitted() {
        let permissions = MentionPermissions(
            count: 2, audiences: ["individual": .participants, "channel": .moderators, "associations": .nobody])
        let person = ExplicitMention(.occupant("a"))
        let room = ExplicitMention(.group(.channel, uri: nil))
        let owners = ExplicitMention(.group(.owners, uri: nil))
        let server = ExplicitMention(.group(.server, uri: "xmpp:a.example"))
        #expect(permissions.permitted([person, room], from: .participant) == [person])
        #expect(permissions.permitted([person, room], from: .moderator) == [person, room])
        #expect(permissions.permitted([person], from: .visitor).isEmpty)
        #expect(permissions.permitted([person], from: nil).isEmpty)
        #expect(permissions.permitted([owners], from: .moderator).isEmpty)
        #expect(permissions.permitted([server], from: .visitor) == [server])
        #expect(permissions.permitted([person, person, person], from: .moderator).isEmpty)
    }

    @Test("an owner reads the permissions of a room and changes some; the others stay", .timeLimit(.minutes(5)))
    func owner() async throws {
        let server = MemoryServer(users: ["alice"])
        let room = try JID("orchard@rooms.example")
        let sent = Mutex<DataForm?>(nil)
        await server.answer { stanza in
            let me = stanza["from"] ?? "alice@xmpp.test"
            guard let payload = stanza.firstChild else { return nil }
            if stanza.name.local == "presence", stanza["to"] == "\(room)/Alice" {
                return [
                    "<presence from='\(room)/Alice' to='\(me)'><x xmlns='http://jabber.org/protocol/muc#user'>"
                        + "<item affiliation='owner' role='moderator'/><status code='110'/></x></presence>",
                    "<message type='groupchat' from='\(room)' to='\(me)'><subject/></message>",
                ]
            }
            guard stanza.name.local == "iq", stanza["to"] == "\(room)", let id = stanza["id"] else { return nil }
            let answer = "<iq from='\(room)' to='\(me)' id='\(id)' type="
            guard payload.isNamed(MentionPermissionsRequest.name) else {
                return [
                    answer + "'error'><error type='cancel'>"
                        + "<service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
                ]
            }
            let isChange = stanza["type"] == "set"
            if isChange { sent.withLock { $0 = (try? payload.decode(DataForm.self)) ?? nil } }
            return [
                answer + "'result'>" + (isChange ? "" : "<query xmlns='urn:xmpp:mentions:0'>\(Self.form)</query>")
                    + "</iq>"
            ]
        }
        let configuration = try server.account("alice") { $0.add { GroupChat($0) } }
        try await Client(configuration).run { session in
            let orchard = try await session[GroupChat.self]?.enter(room, nickname: "Alice")
            let permissions = try await orchard?.mentionPermissions()
            #expect(permissions?.count == 2 && permissions?.audiences["channel"] == .moderators)
            try await orchard?.configure(MentionPermissions(count: 3, audiences: ["channel": .nobody]))
        }
        let form = try #require(sent.withLock { $0 })
        #expect(form["mentions#count"]?.values == ["3"] && form["mentions#channel"]?.values == ["none"])
        #expect(form["mentions#individual"]?.values == ["participants"])
    }
}
