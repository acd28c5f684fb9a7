import EntityInformation
import MessageFeatures
import MessageHistory
import PublishSubscribe
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Displayed positions on real servers")
struct DisplayedPositionLiveTests {
    static let servers: [ServerKind] = [.prosody13, .ejabberd2412]

    @Test("a position displayed on one device is sent to the other, and found later", arguments: servers)
    func twoDevices(kind: ServerKind) async throws {
        try await kind.shared().withTwoDevices { phone, desk in
            let (mine, other) = (
                try #require(phone[DisplayedPositions.self]), try #require(desk[DisplayedPositions.self])
            )
            let own = try #require(await phone.address).bare
            let contact = try JID("friend@xmpp.test")
            let room = try JID("coven@conference.xmpp.test")
            #expect(await mine.isPopulated)
            #expect(await mine.all.isEmpty)
            let heard = other.events()
            // The server must query the interests of the other device before it sends it events.
            await withThrowingTaskGroup { group in
                group.addTask {
                    var number = 0
                    while !Task.isCancelled {
                        number += 1
                        try await mine.displayed(StanzaIdentifier("early-\(number)", by: own), in: contact)
                    }
                }
                _ = await heard.first { if case .moved(contact, _) = $0 { true } else { false } }
                group.cancelAll()
                while case .failure? = await group.nextResult() {}
            }
            let (newest, said) = (StanzaIdentifier("newest", by: own), StanzaIdentifier("said", by: room))
            try await mine.displayed(newest, in: contact)
            try await mine.displayed(said, in: room)
            _ = await heard.first { $0 == .moved(conversation: room, to: said) }
            #expect(await other.all == [contact: newest, room: said])
            try await other.fetch()
            #expect(await other.all == [contact: newest, room: said])
            let data = try #require(phone[PublishSubscribe.self])
            let node = NodeConfiguration(try await data.configurationForm(of: DisplayedPosition.node))
            #expect(node.accessModel == .whitelist)
            #expect(node.lastItem == .never)
            #expect(node.keepsItems == true)
        }
    }

    @Test("a contact can neither read nor write the positions", arguments: servers)
    func stranger(kind: ServerKind) async throws {
        try await kind.shared().withTwo { romeo, juliet in
            let (theirs, mine) = (try #require(await juliet.address), try #require(await romeo.address).bare)
            try await romeo[DisplayedPositions.self]?.displayed(StanzaIdentifier("1", by: mine), in: theirs.bare)
            let data = try #require(juliet[PublishSubscribe.self])
            await #expect(throws: ClientError.self) {
                try await data.items(of: DisplayedPosition.node, at: mine)
            }
            var message = Message(to: theirs, type: .headline)
            message.append(
                PublishSubscribeEvent.items(
                    node: DisplayedPosition.node,
                    published: [
                        PublishedItem(
                            id: mine.description,
                            payload: .init(DisplayedPosition(StanzaIdentifier("forged", by: theirs.bare))))
                    ],
                    retracted: []))
            try await romeo.send(message)
            _ = try await romeo.ping(theirs)
            #expect(await juliet[DisplayedPositions.self]?.all.isEmpty == true)
        }
    }

    @Test("the sender and the other devices are notified", arguments: servers)
    func telling(kind: ServerKind) async throws {
        try await kind.shared().withTwo { romeo, juliet in
            let (mine, theirs) = (try #require(await romeo.address), try #require(await juliet.address))
            let received = juliet.events(.messages)
            let token = try await romeo.send(.chat(to: theirs, body: "Hi. How are you?"))
            let message = try await received.firstMessage { $0.body == nil ? nil : $0 }
            let position = try #require(try message.payload(StanzaIdentifier.self))
            var marker = try #require(Message.displayedMarker(for: message))
            marker.to = mine.bare
            let positions = try #require(juliet[DisplayedPositions.self])
            try await positions.displayed(position, in: mine.bare, telling: marker)
            try await token.reached(.displayed)
            try await positions.fetch()
            #expect(await positions.all == [mine.bare: position])
        }
    }
}
