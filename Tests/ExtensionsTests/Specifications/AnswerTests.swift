import DataForms
import DirectTransfer
import GroupChat
import Profiles
import PublishSubscribe
import Roster
import ServiceDiscovery
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

/// Answers of servers are only read, so their examples are compared with values.
@Suite("The answers in the examples of the specifications")
struct AnswerTests {
    private func answer<Answer: IQResponse>(
        _ type: Answer.Type, _ specification: String, _ example: String
    ) throws -> Answer {
        let examples = try #require(Specification.all.first { $0.name == specification }).examples
        let found = try #require(examples.first { $0.number == example && $0.type == String(reflecting: type) })
        return try Answer(payload: found.element)
    }

    @Test("subscriptions and affiliations (XEP-0060 §5.6, §5.7, §6.1, §8.8, §8.9)")
    func relations() throws {
        let francisco = try JID("francisco@denmark.lit")
        let id = "ba49252aaa4f5d320c24d3766f0bdcade78c78d3"
        #expect(
            try answer(SubscriptionsRequest.Response.self, "XEP-0060", "17").subscriptions == [
                Subscription(node: "node1", address: francisco, state: .subscribed),
                Subscription(node: "node2", address: francisco, state: .subscribed),
                Subscription(node: "node5", address: francisco, state: .unconfigured),
                Subscription(node: "node6", address: francisco, id: "123-abc", state: .subscribed),
                Subscription(node: "node6", address: francisco, id: "004-yyy", state: .subscribed),
            ])
        #expect(try answer(SubscriptionsRequest.Response.self, "XEP-0060", "18").subscriptions.isEmpty)
        #expect(
            try answer(SubscribeRequest.Response.self, "XEP-0060", "29").subscription
                == Subscription(node: "princely_musings", address: francisco, id: id, state: .subscribed))
        for (example, state) in [("42", Subscription.State.pending), ("43", .unconfigured), ("45", .unconfigured)] {
            #expect(try answer(SubscribeRequest.Response.self, "XEP-0060", example).subscription?.state == state)
        }
        #expect(
            try answer(AffiliationsRequest.Response.self, "XEP-0060", "23").affiliations.map(\.affiliation)
                == [.owner, .publisher, .outcast, .owner])
        #expect(try answer(AffiliationsRequest.Response.self, "XEP-0060", "24").affiliations.isEmpty)
        let members = try answer(NodeMembersRequest.Response.self, "XEP-0060", "198").members
        #expect(members.map(\.account?.description) == ["hamlet@denmark.lit", "polonius@denmark.lit"])
        #expect(members.map(\.affiliation) == [.owner, .outcast])
        let subscribers = try answer(NodeSubscribersRequest.Response.self, "XEP-0060", "185").subscriptions
        #expect(subscribers.map(\.address.description).first == "hamlet@denmark.lit")
        #expect(subscribers.map(\.state) == [.subscribed, .unconfigured, .subscribed, .subscribed])
    }

    @Test("nodes and their forms (XEP-0060 §6.3, §7.1, §8.1 to §8.3)")
    func nodes() throws {
        #expect(
            try answer(NodeCreation.Response.self, "XEP-0060", "132").node
                == "25e3d37dabbab9541f7523321421edc5bfeb2dae")
        #expect(
            try answer(PublishRequest.Response.self, "XEP-0060", "99").ids == ["ae890ac52d0df67ed7cfdf51b644e901"])
        #expect(try answer(PublishRequest.Response.self, "XEP-0060", "98").ids.isEmpty)
        let options = SubscriptionOptions(
            try answer(SubscriptionOptionsRequest.Response.self, "XEP-0060", "56").form)
        #expect(options.delivers == true && options.isDigest == false && options.includesBody == false)
        let form = try answer(NodeConfigurationRequest.Response.self, "XEP-0060", "140").form
        #expect(form.formType == "http://jabber.org/protocol/pubsub#node_config")
        #expect(form["pubsub#deliver_payloads"]?.isTrue == true)
    }

    @Test("services and their credentials (XEP-0215 §3, §4)")
    func services() throws {
        let services = try answer(ExternalServicesRequest.Response.self, "XEP-0215", "2").services
        #expect(services.map(\.type) == ["stun", "turn", "stun", "turn", "ftp"])
        #expect(services.map(\.port) == [9998, 9999, 8888, 8889, 20])
        #expect(
            services.map(\.credential?.userName) == [nil, "nb78932lkjlskjfdb7g8", nil, "auu98sjl2wk3e9fjdsl7", "guest"])
        #expect(services.last?.name == "Shakespearean File Server" && services.last?.transport == "tcp")
        let turn = try answer(ExternalServicesRequest.Response.self, "XEP-0215", "7").services
        #expect(turn.map(\.host) == ["turn.shakespeare.lit"])
        #expect(turn.first?.credential == .init(userName: "nb78932lkjlskjfdb7g8", password: "jj929jkj5sadjfj93v3n"))
    }

    @Test("people in a directory, as fields and as a table (XEP-0055 §2.1, §3)")
    func people() throws {
        let plain = try answer(DirectorySearchSubmission.Response.self, "XEP-0055", "4").entries
        #expect(plain.map(\.address.description) == ["juliet@capulet.com", "tybalt@shakespeare.lit"])
        #expect(
            plain.first?.fields == [
                "first": "Juliet", "last": "Capulet", "nick": "JuliC", "email": "juliet@shakespeare.lit",
            ])
        #expect(try answer(DirectorySearchSubmission.Response.self, "XEP-0055", "5").entries.isEmpty)
        let table = try answer(DirectorySearchSubmission.Response.self, "XEP-0055", "9").entries
        #expect(table.map(\.address.description) == ["benvolio@montague.net", "romeo@montague.net"])
        #expect(table.last?.fields["first"] == "Romeo")
    }

    @Test(
        "rooms, mentions, a proxy, a card and stored elements (XEP-0433, XEP-0513, XEP-0500, XEP-0065, XEP-0054, XEP-0049)"
    )
    func others() throws {
        let rooms = try answer(ChannelSearch.Response.self, "XEP-0433", "5")
        #expect(rooms.channels.map(\.occupantCount) == [10, 43])
        #expect(rooms.last == "opaque-string-2")
        let permissions = MentionPermissions(try answer(MentionPermissionsRequest.Response.self, "XEP-0513", "12").form)
        #expect(permissions?.count == 5)
        #expect(permissions?.audiences["individual"] == .participants)
        let room = try answer(RoomConfigurationRequest.Response.self, "XEP-0500", "1").form
        #expect(room["muc#roomconfig_slow_mode_duration"] != nil)
        // A room without options (XEP-0045 §10.2).
        #expect(try answer(RoomConfigurationRequest.Response.self, "XEP-0045", "158").form == DataForm(kind: .form))
        let proxy = try answer(ProxyRequest.Response.self, "XEP-0065", "8").hosts
        #expect(proxy.map(\.host) == ["24.24.24.1"] && proxy.map(\.port) == [7625])
        #expect(proxy.first?.address.description == "streamer.example.com")
        #expect(try answer(LegacyVCardRequest.Response.self, "XEP-0054", "2").card?.fullName == "Peter Saint-Andre")
        #expect(try answer(PrivateXMLRequest.Response.self, "XEP-0049", "2").element?.localName == "exodus")
        #expect(try answer(RosterRequest.Response.self, "RFC 6121", "§2.1.4").roster?.items.map(\.name) == ["Romeo"])
    }
}
