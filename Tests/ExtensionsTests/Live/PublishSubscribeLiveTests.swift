import EntityInformation
import MessageFeatures
import PublishSubscribe
import ServerFixtures
import ServiceDiscovery
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Publishing on real servers")
struct PublishSubscribeLiveTests {
    /// Each test uses a separate node: servers cache the capabilities that they have seen.
    private let node = "urn:example:hongyan:\(UInt32.random(in: 0...UInt32.max))"

    /// Announces an interest and returns when the server knows it.
    private func announce(on session: Session) async throws {
        let sending = session.events(.sending)
        try await session[PublishSubscribe.self]?.addInterest(in: node)
        for await batch in sending {
            for case .sent(let token) in batch {
                guard case .iq(let iq) = token.stanza, let payload = iq.payload,
                    let told = try? DiscoveryInformation(from: payload), told.features.contains(node + "+notify")
                else { continue }
                // The server answers in order, so it has read the response to its query before.
                _ = try await session.ping()
                return
            }
        }
    }

    private func payload(_ text: String) -> XMLElement {
        XMLElement(XMLName("entry", "urn:example:hongyan"), text: text)
    }

    @Test("S3-26: private data reach the other device and no other user", arguments: LiveServer.allCases)
    func privateData(kind: LiveServer) async throws {
        let server = try await kind.server
        let stranger = Client(try server.configuration(try await server.newAccount("mallory")))
        try await server.withTwoDevices { phone, desk in
            let (mine, other) = (try #require(phone[PublishSubscribe.self]), try #require(desk[PublishSubscribe.self]))
            let notices = other.notices()
            try await announce(on: desk)
            let id = try await mine.publish(payload("one"), id: "a", in: node, configuration: .privateList)
            #expect(id == "a")
            let own = try #require(await phone.address).bare
            let notice = await notices.first { $0.event.node == node }
            #expect(notice?.service == own)
            // Prosody also says who published it.
            guard case .items(node, let published, [])? = notice?.event else {
                Issue.record("no items: \(String(describing: notice))")
                return
            }
            #expect(published.map(\.id) == ["a"])
            #expect(published.map(\.payload) == [payload("one")])
            try await mine.publish(payload("two"), id: "b", in: node, configuration: .privateList)
            let page = try await other.items(of: node)
            #expect(Set(page.items.compactMap(\.id)) == ["a", "b"])
            #expect(try await other.items(of: node, ids: ["a"]).items.map(\.payload) == [payload("one")])
            try await stranger.run { mallory in
                let data = try #require(mallory[PublishSubscribe.self])
                await #expect(throws: ClientError.self) { try await data.items(of: node, at: own) }
            }
            try await mine.retract("a", from: node)
            // ejabberd 23.01 does not notify the account's other devices of a retraction.
            if kind == .prosody {
                _ = await notices.first { $0.event == .items(node: node, published: [], retracted: ["a"]) }
            }
            #expect(try await other.items(of: node).items.map(\.id) == ["b"])
        }
    }

    @Test("a public node is made private before private data are published", arguments: LiveServer.allCases)
    func precondition(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, _ in
            let data = try #require(romeo[PublishSubscribe.self])
            try await data.createNode(node, configuration: .publicData)
            #expect(NodeConfiguration(try await data.configurationForm(of: node)).accessModel == .open)
            try await data.publish(payload("secret"), id: "a", in: node, configuration: .privateList)
            #expect(NodeConfiguration(try await data.configurationForm(of: node)).accessModel == .whitelist)
            #expect(try await data.items(of: node).items.map(\.id) == ["a"])
        }
    }

    @Test("subscribing, and all events of a node", arguments: LiveServer.allCases)
    func subscribing(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let (mine, other) = (
                try #require(romeo[PublishSubscribe.self]), try #require(juliet[PublishSubscribe.self])
            )
            let service = try #require(await romeo.address).bare
            var configuration = NodeConfiguration.publicData
            configuration.itemLimit = .count(10)
            configuration.notifiesOfDeletion = true
            configuration.lastItem = .never
            #expect(try await mine.createNode(node, configuration: configuration) == node)
            let notices = other.notices()
            #expect(try await other.subscribe(to: node, at: service).state ?? .subscribed == .subscribed)
            try await mine.publish(payload("one"), id: "a", in: node)
            let first = await notices.first { if case .items = $0.event { true } else { false } }
            #expect(first?.service == service)
            try await mine.purgeNode(node)
            #expect(try await other.items(of: node, at: service).items.isEmpty)
            try await mine.removeNode(node)
            _ = await notices.first { if case .removed(node, _) = $0.event { true } else { false } }
            let error = await #expect(throws: ClientError.self) { try await mine.items(of: node) }
            #expect(error?.isItemNotFound == true)
        }
    }

    @Test("affiliations of a node, its subscribers, and the options of a subscription", arguments: ServerKind.allCases)
    func access(kind: ServerKind) async throws {
        try await kind.shared().withTwo { romeo, juliet in
            let (mine, other) = (
                try #require(romeo[PublishSubscribe.self]), try #require(juliet[PublishSubscribe.self])
            )
            let own = try #require(await romeo.address).bare
            // On Prosody only its administrators create nodes at a service, on ejabberd accounts have no affiliations.
            let service = kind.isProsody ? own : try JID("pubsub.xmpp.test")
            let guest = try #require(await juliet.address).bare
            var open = NodeConfiguration.publicData
            open.others = kind.isProsody ? [:] : ["pubsub#publish_model": ["publishers"]]
            try await mine.createNode(node, at: service, configuration: open)
            #expect(try await mine.members(of: node, at: service) == [NodeMember(node: node, account: own, .owner)])
            if !kind.isProsody {
                #expect(try await mine.affiliations(at: service, node: node).map(\.affiliation) == [.owner])
            }
            await #expect(throws: ClientError.self) { try await other.publish(payload("no"), in: node, at: service) }
            try await mine.setAffiliation(.publisher, of: guest, to: node, at: service)
            let members = try await mine.members(of: node, at: service)
            #expect(members.first { $0.account == guest }?.affiliation == .publisher)
            try await other.publish(payload("yes"), id: "a", in: node, at: service)
            #expect(try await mine.items(of: node, at: service).items.map(\.id) == ["a"])

            try await other.subscribe(to: node, at: service)
            #expect(
                try await mine.subscribers(of: node, at: service).contains {
                    $0.address == guest && $0.state == .subscribed
                })
            if kind.isProsody {
                // The services of ejabberd have no options for nodes without a hierarchy.
                _ = try await other.optionsForm(of: node, at: service)
                var options = SubscriptionOptions()
                options.includesBody = true
                try await other.setOptions(options, of: node, at: service)
                let read = SubscriptionOptions(try await other.optionsForm(of: node, at: service))
                #expect(read.includesBody == true)
            }
            try await mine.setSubscription(.none, of: guest, to: node, at: service)
            #expect(
                try await !mine.subscribers(of: node, at: service).contains {
                    $0.address == guest && $0.state == .subscribed
                })
            try await mine.setAffiliation(.outcast, of: guest, to: node, at: service)
            await #expect(throws: ClientError.self) { try await other.items(of: node, at: service) }
        }
    }

    @Test("a message of a device in the form of an event is ignored", arguments: LiveServer.allCases)
    func forgedEvent(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let target = try #require(await juliet.address)
            let data = try #require(juliet[PublishSubscribe.self])
            let notices = data.notices()
            var message = Message(to: target, type: .headline)
            message.append(
                PublishSubscribeEvent.items(node: node, published: [PublishedItem(id: "evil")], retracted: []))
            try await romeo.send(message)
            _ = try await romeo.ping(target)
            try await announce(on: juliet)
            try await data.publish(payload("good"), id: "good", in: node, configuration: .privateList)
            guard case .items(_, let published, _)? = await notices.first(where: { _ in true })?.event else {
                Issue.record("there was no event")
                return
            }
            #expect(published.map(\.id) == ["good"])
        }
    }
}
