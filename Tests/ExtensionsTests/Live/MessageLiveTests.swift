import EntityInformation
import MessageFeatures
import ServerFixtures
import ServiceDiscovery
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Messages and information on real servers")
struct MessageLiveTests {
    @Test(
        "S0-43, S0-50, S0-90, S1-33: a message arrives with its text, and its token becomes delivered",
        arguments: LiveServer.allCases)
    func receipt(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let events = juliet.events(.messages)
            let receiver = try #require(await juliet.address)
            let token = try await romeo.send(.chat(to: receiver, body: "你好 <&> \u{1F426}"))
            let body = try await events.firstMessage { $0.body }
            #expect(body == "你好 <&> \u{1F426}")
            try await token.reached(.delivered)
            #expect(token.stage >= .delivered)
        }
    }

    @Test("S0-9: the server sets the sender, and a forged sender is not forwarded", arguments: LiveServer.allCases)
    func sender(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let events = juliet.events(.messages)
            try await romeo.send(.chat(to: try #require(await juliet.address), body: "x"))
            let from = try await events.firstMessage { $0.from }
            #expect(from == (await romeo.address))
        }
    }

    @Test("a message to an unknown address is returned and its token fails", arguments: LiveServer.allCases)
    func bounced(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, _ in
            let nobody = try JID("nobody-\(UInt32.random(in: 0...UInt32.max))@xmpp.test")
            let token = try await romeo.send(.chat(to: nobody, body: "x"))
            await #expect(throws: ClientError.self) { try await token.reached(.delivered) }
        }
    }

    @Test("a receipt from a third user confirms nothing", arguments: LiveServer.allCases)
    func forgedReceipt(kind: LiveServer) async throws {
        let server = try await kind.server
        let mallory = Client(try server.configuration(try await server.newAccount("mallory")))
        try await server.withTwo { romeo, juliet in
            let receiver = try #require(await juliet.address)
            let sender = try #require(await romeo.address)
            let events = romeo.events(.messages)
            // Without a body no receipt is requested, so the real receiver sends none.
            let token = try await romeo.send(Message(to: receiver, type: .chat, id: "m1"))
            try await mallory.run { forger in
                var message = Message(to: sender, type: .chat, body: "done")
                message.append(DeliveryReceipt(messageID: "m1"))
                try await forger.send(message)
                _ = try await events.firstMessage { $0.body }
            }
            #expect(token.stage < .delivered)
        }
    }

    @Test("chat states are received (XEP-0085)", arguments: LiveServer.allCases)
    func chatStates(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let events = juliet.events(.messages)
            let receiver = try #require(await juliet.address)
            var message = Message(to: receiver, type: .chat)
            message.payloads.append(ChatState.composing)
            try await romeo.send(message)
            #expect(try await events.firstMessage { $0.chatState } == .composing)
        }
    }

    @Test("ping, software version, time and features of server and contact", arguments: LiveServer.allCases)
    func information(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let other = try #require(await juliet.address)
            #expect(try await romeo.ping() > .zero)
            #expect(try await romeo.ping(other) > .zero)
            let version = try await romeo.request(SoftwareVersionRequest(), to: other)
            #expect(version == SoftwareVersion(softwareName: "Test", version: "1"))
            #expect(try await romeo.time(of: other) == testTime)
            let discovery = try #require(romeo[ServiceDiscovery.self])
            let information = try await discovery.information(of: other)
            #expect(
                information.features.isSuperset(
                    of: ["urn:xmpp:ping", "jabber:iq:version", "urn:xmpp:time", "urn:xmpp:receipts"]))
            #expect(information.hasIdentity(category: "client", type: "pc"))
            let server = try await discovery.information(of: other.domainJID)
            #expect(server.hasIdentity(category: "server", type: "im"))
        }
    }
}
