import DataForms
import PublishSubscribe
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@Suite("Affiliations and options of subscriptions on the wire (XEP-0060)")
struct PublishSubscribeAccessTests {
    private static func client(_ content: String) -> String {
        "<pubsub xmlns='http://jabber.org/protocol/pubsub'>\(content)</pubsub>"
    }

    private static func owner(_ content: String) -> String {
        "<pubsub xmlns='http://jabber.org/protocol/pubsub#owner'>\(content)</pubsub>"
    }

    private static let options =
        "<x xmlns='jabber:x:data' type='submit'>"
        + "<field type='hidden' var='FORM_TYPE'><value>http://jabber.org/protocol/pubsub#subscribe_options</value></field>"
        + "<field var='pubsub#deliver'><value>1</value></field><field var='pubsub#digest'><value>0</value></field>"
        + "<field var='pubsub#include_body'><value>false</value></field>"
        + "<field var='pubsub#show-values'><value>chat</value><value>online</value><value>away</value></field></x>"

    @Test("requests and changes")
    func requests() throws {
        try checkRoundTrip(AffiliationsRequest.self, Self.client("<affiliations/>"))
        try checkRoundTrip(AffiliationsRequest.self, Self.client("<affiliations node='node6'/>"))
        try checkRoundTrip(NodeMembersRequest.self, Self.owner("<affiliations node='princely_musings'/>"))
        try checkRoundTrip(
            NodeMembersChange.self,
            Self.owner(
                "<affiliations node='princely_musings'><affiliation jid='hamlet@denmark.lit' affiliation='none'/>"
                    + "<affiliation jid='polonius@denmark.lit' affiliation='publish-only'/>"
                    + "<affiliation jid='bard@shakespeare.lit' affiliation='publisher'/></affiliations>"))
        try checkRoundTrip(NodeSubscribersRequest.self, Self.owner("<subscriptions node='princely_musings'/>"))
        try checkRoundTrip(
            NodeSubscribersChange.self,
            Self.owner(
                "<subscriptions node='princely_musings'>"
                    + "<subscription jid='polonius@denmark.lit' subscription='none'/>"
                    + "<subscription jid='bard@shakespeare.lit' subid='1' subscription='subscribed'/></subscriptions>"))
        try checkRoundTrip(
            SubscriptionOptionsRequest.self,
            Self.client("<options node='princely_musings' jid='francisco@denmark.lit'/>"))
        try checkRoundTrip(
            SubscriptionOptionsRequest.self,
            Self.client("<options node='princely_musings' jid='francisco@denmark.lit' subid='123-abc'/>"))
        try checkRoundTrip(
            SubscriptionOptionsChange.self,
            Self.client("<options node='princely_musings' jid='francisco@denmark.lit'>\(Self.options)</options>"))
        try checkRoundTrip(
            SubscribeRequest.self,
            Self.client(
                "<subscribe node='princely_musings' jid='francisco@denmark.lit'/><options>\(Self.options)</options>"))
    }

    @Test("our affiliations; an unknown one hides no other")
    func ownAffiliations() throws {
        let answer = try AffiliationsRequest.Response(
            payload: XMLElement(
                parsing: Self.client(
                    "<affiliations><affiliation node='node1' affiliation='owner'/>"
                        + "<affiliation node='node2' affiliation='king'/>"
                        + "<affiliation node='node5' affiliation='outcast'/></affiliations>")))
        #expect(answer.affiliations == [NodeMember(node: "node1", .owner), NodeMember(node: "node5", .outcast)])
        #expect(try AffiliationsRequest.Response(payload: nil).affiliations.isEmpty)
    }

    @Test("the members of a node; an invalid address is about nobody")
    func members() throws {
        let answer = try NodeMembersRequest.Response(
            payload: XMLElement(
                parsing: Self.owner(
                    "<affiliations node='princely_musings'><affiliation jid='@' affiliation='owner'/>"
                        + "<affiliation jid='polonius@denmark.lit' affiliation='outcast'/></affiliations>")))
        #expect(
            answer.members == [
                NodeMember(node: "princely_musings", account: try JID("polonius@denmark.lit"), .outcast)
            ])
    }

    @Test("options are read back from their own form, and change nothing else")
    func subscriptionOptions() throws {
        var options = SubscriptionOptions()
        options.delivers = true
        options.isDigest = false
        options.digestInterval = .seconds(90)
        options.includesBody = true
        options.availabilities = ["chat", "online"]
        options.others = ["pubsub#subscription_depth": ["all"]]
        let fields = options.values.map { DataFormField(name: $0.key, values: $0.value) }
        #expect(SubscriptionOptions(DataForm(kind: .form, fields: fields)) == options)
        #expect(options.values["pubsub#digest_frequency"] == ["90000"])

        let form = try DataForm(from: XMLElement(parsing: Self.options))
        var change = SubscriptionOptions()
        change.delivers = false
        let submitted = form.submission(changing: change.values)
        #expect(submitted["pubsub#deliver"]?.values == ["false"])
        #expect(submitted["pubsub#show-values"]?.values == ["chat", "online", "away"])
        #expect(submitted.formType == form.formType)
    }

    @Test("a service asks the owner whether somebody may subscribe")
    func approval() throws {
        let text =
            "<message xmlns='jabber:client' from='pubsub.shakespeare.lit' to='hamlet@denmark.lit' id='approve1'>"
            + "<x xmlns='jabber:x:data' type='form'><title>PubSub subscriber request</title>"
            + "<field var='FORM_TYPE' type='hidden'>"
            + "<value>http://jabber.org/protocol/pubsub#subscribe_authorization</value></field>"
            + "<field var='pubsub#subid' type='hidden'><value>123-abc</value></field>"
            + "<field var='pubsub#node' type='text-single'><value>princely_musings</value></field>"
            + "<field var='pubsub#subscriber_jid' type='jid-single'><value>horatio@denmark.lit</value></field>"
            + "<field var='pubsub#allow' type='boolean'><value>false</value></field></x></message>"
        let message = try Message(from: XMLElement(parsing: text))
        let approval = try #require(SubscriptionApproval(message))
        #expect(approval.node == "princely_musings")
        #expect(approval.subscriber == (try JID("horatio@denmark.lit")))
        let answer = approval.answer(isGranted: true)
        #expect(answer.to == (try JID("pubsub.shakespeare.lit")))
        let form = try #require(try answer.payload(DataForm.self))
        #expect(form.kind == .submit)
        #expect(form["pubsub#allow"]?.isTrue == true)
        #expect(form["pubsub#subid"]?.values == ["123-abc"])
        // A device could forge it.
        let forged = text.replacing("from='pubsub.shakespeare.lit'", with: "from='romeo@denmark.lit/phone'")
        #expect(SubscriptionApproval(try Message(from: XMLElement(parsing: forged))) == nil)
    }
}
