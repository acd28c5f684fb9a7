import DataForms
import GroupChat
import MessageFeatures
import ServiceDiscovery
import Testing
import XMLStreaming

@Suite("Restricted reactions (XEP-0444 §2.2)")
struct ReactionRestrictionsTests {
    private static let announcement = """
        <query xmlns='http://jabber.org/protocol/disco#info'>\
        <identity category='conference' type='text' name='Hearts'/><feature var='urn:xmpp:reactions:0'/>\
        <x xmlns='jabber:x:data' type='result'>\
        <field var='FORM_TYPE' type='hidden'><value>urn:xmpp:reactions:0:restrictions</value></field>\
        <field var='max_reactions_per_user'><value>1</value></field>\
        <field var='allowlist'><value>💘</value><value>❤</value><value>💜</value><value>love</value></field></x></query>
        """

    @Test("the announcement of a gateway or a room")
    func announcement() throws {
        let information = try DiscoveryInformation(from: XMLElement(parsing: Self.announcement))
        let restrictions = try #require(ReactionRestrictions(information.forms))
        #expect(restrictions == ReactionRestrictions(maximumPerUser: 1, allowed: ["💘", "❤️", "💜"]))
        #expect(RoomInformation(information).reactions == restrictions)
        #expect(RoomInformation(DiscoveryInformation(identities: [], features: [])).reactions == nil)
    }

    @Test(
        "a form that restricts nothing, or says nonsense",
        arguments: ["", "<field var='max_reactions_per_user'><value>many</value></field>"])
    func nothing(fields: String) throws {
        let form =
            "<x xmlns='jabber:x:data' type='result'><field var='FORM_TYPE' type='hidden'>"
            + "<value>urn:xmpp:reactions:0:restrictions</value></field>\(fields)</x>"
        #expect(ReactionRestrictions([try DataForm(from: XMLElement(parsing: form))]) == nil)
    }

    @Test("only emoji of the list are accepted, in either form")
    func list() {
        let restrictions = ReactionRestrictions(allowed: ["💘", "❤️"])
        #expect(restrictions.accepts("❤") && restrictions.accepts("❤\u{FE0F}") && restrictions.accepts("💘"))
        #expect(!restrictions.accepts("👍"))
        #expect(restrictions.adding("👍", to: ["💘"]) == nil)
        #expect(restrictions.adding("❤", to: ["👍", "💘"]) == ["💘", "❤️"], "what is not accepted any more is not sent")
        #expect(ReactionRestrictions(allowed: []).adding("💘", to: []) == nil)
    }

    @Test("one more than the maximum takes the place of an earlier one")
    func maximum() {
        let one = ReactionRestrictions(maximumPerUser: 1)
        #expect(one.adding("🐢", to: ["👋"]) == ["🐢"])
        #expect(one.adding("🐢", to: []) == ["🐢"])
        #expect(ReactionRestrictions(maximumPerUser: 2).adding("🐢", to: ["👋", "👍"]) == ["👍", "🐢"])
        #expect(ReactionRestrictions(maximumPerUser: 0).adding("🐢", to: []) == nil)
        #expect(one.accepted(of: ["👋", "👍"]) == ["👍"])
    }
}
