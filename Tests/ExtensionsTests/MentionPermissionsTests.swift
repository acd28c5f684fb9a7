import DataForms
import GroupChat
import MessagePayloads
import Testing
import XMLStreaming

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
}
