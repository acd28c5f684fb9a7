import MessageFeatures
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@Suite("Moderation in both forms (XEP-0425)")
struct ModerationTests {
    private static let present = """
        <retract id='stanza-id-1' xmlns='urn:xmpp:message-retract:1'><moderated by='room@muc.example.com/macbeth' \
        xmlns='urn:xmpp:message-moderate:1'/><reason>Inappropriate</reason></retract>
        """
    private static let earlier = """
        <apply-to xmlns='urn:xmpp:fasten:0' id='stanza-id-1'><moderated xmlns='urn:xmpp:message-moderate:0' \
        by='room@muc.example.com/macbeth'><occupant-id xmlns='urn:xmpp:occupant-id:0' id='dd72'/>\
        <retract xmlns='urn:xmpp:message-retract:0'/><reason>Inappropriate</reason></moderated></apply-to>
        """

    /// Prosody 13 contains the moderator once, and in ejabberd 24.12 the reason has a different namespace.
    private static let prosody13 =
        earlier + "<retract xmlns='urn:xmpp:message-retract:1' id='stanza-id-1'>"
        + "<moderated xmlns='urn:xmpp:message-moderate:1'/><reason>Inappropriate</reason></retract>"
    private static let ejabberd2412 = """
        <retract xmlns='urn:xmpp:message-retract:1' id='stanza-id-1'><reason xmlns='urn:xmpp:message-moderate:1'>\
        Inappropriate</reason><moderated xmlns='urn:xmpp:message-moderate:1' by='room@muc.example.com/macbeth'/></retract>
        """

    private func message(_ content: String) throws -> Message {
        try Message(
            from: XMLElement(
                parsing:
                    "<message xmlns='jabber:client' type='groupchat' from='room@muc.example.com'>\(content)</message>")
        )
    }

    @Test("the earlier form is read and written")
    func earlierForm() throws {
        try checkRoundTrip(EarlierModeration.self, Self.earlier)
        try checkRoundTrip(
            EarlierTombstone.self,
            "<moderated by='room@muc.example.com/macbeth' xmlns='urn:xmpp:message-moderate:0'>"
                + "<retracted stamp='2019-09-20T23:09:32Z' xmlns='urn:xmpp:message-retract:0'/><reason>Why</reason></moderated>"
        )
    }

    @Test(
        "a message with both forms means the same as with either",
        arguments: [present, earlier, earlier + present, prosody13, ejabberd2412])
    func both(content: String) throws {
        let retraction = try #require(try message(content).moderatedRetraction)
        #expect(retraction.messageID == "stanza-id-1")
        #expect(retraction.moderation?.moderator == (try JID("room@muc.example.com/macbeth")))
        #expect(retraction.moderation?.reason == "Inappropriate")
    }

    @Test(
        "messages that are not moderations",
        arguments: [
            "", "<retract id='1' xmlns='urn:xmpp:message-retract:1'/>",
            "<apply-to xmlns='urn:xmpp:fasten:0' id='1'><retract xmlns='urn:xmpp:message-retract:0'/></apply-to>",
            "<apply-to xmlns='urn:xmpp:fasten:0' id='1'><moderated xmlns='urn:xmpp:message-moderate:0'/></apply-to>",
            "<apply-to xmlns='urn:xmpp:fasten:0'><moderated xmlns='urn:xmpp:message-moderate:0'>"
                + "<retract xmlns='urn:xmpp:message-retract:0'/></moderated></apply-to>",
            "<apply-to xmlns='urn:xmpp:fasten:0' id='1'><moderated xmlns='urn:xmpp:message-moderate:0' by='@'>"
                + "<retract xmlns='urn:xmpp:message-retract:0'/></moderated></apply-to>",
        ])
    func none(content: String) throws { #expect(try message(content).moderatedRetraction == nil) }

    @Test("tombstones in both forms")
    func tombstones() throws {
        let stamp = Timestamp("2019-09-20T23:19:12Z")
        let present = try message(
            "<retracted stamp='2019-09-20T23:19:12Z' xmlns='urn:xmpp:message-retract:1'>"
                + "<moderated by='witch@shakespeare.example' xmlns='urn:xmpp:message-moderate:1'/></retracted>")
        #expect(present.tombstone?.stamp == stamp)
        #expect(present.tombstone?.moderation?.moderator == (try JID("witch@shakespeare.example")))
        let earlier = try message(
            "<moderated by='witch@shakespeare.example' xmlns='urn:xmpp:message-moderate:0'>"
                + "<retracted stamp='2019-09-20T23:19:12Z' xmlns='urn:xmpp:message-retract:0'/></moderated>")
        #expect(earlier.tombstone == present.tombstone)
        #expect(try message("<body>Hi</body>").tombstone == nil)
    }
}
