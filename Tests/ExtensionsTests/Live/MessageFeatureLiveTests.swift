import MessageFeatures
import ServerFixtures
import ServiceDiscovery
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Rich messages on real servers")
struct MessageFeatureLiveTests {
    @Test(
        "a displayed marker changes the stage to displayed, and is sent to no other user",
        arguments: LiveServer.allCases
    )
    func displayed(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let events = juliet.events(.messages)
            let token = try await romeo.send(.chat(to: try #require(await juliet.address), body: "seen?"))
            let message = try await events.firstMessage { $0.body == nil ? nil : $0 }
            #expect(token.stage < .displayed)
            let markers = try #require(juliet[DisplayedMarkers.self])
            #expect(try await markers.displayed(message, session: juliet) != nil)
            try await token.reached(.displayed)
        }
    }

    @Test(
        "messages have an origin-id equal to their id, and the supported features are announced",
        arguments: LiveServer.allCases)
    func identified(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let events = juliet.events(.messages)
            let receiver = try #require(await juliet.address)
            try await romeo.send(.chat(to: receiver, body: "x"))
            let message = try await events.firstMessage { $0.body == nil ? nil : $0 }
            let origin = try #require(try message.payload(OriginIdentifier.self))
            #expect(origin.id == message.id)
            let information = try await romeo[ServiceDiscovery.self]?.information(of: receiver)
            #expect(information?.features.isSuperset(of: MessageKinds.all.features) ?? false)
            #expect(information?.features.contains("urn:xmpp:chat-markers:0") ?? false)
        }
    }
}
