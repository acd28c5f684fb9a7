import Blocking
import EntityInformation
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Blocking on real servers")
struct BlockingLiveTests {
    @Test("messages of a blocked user do not arrive until the user is unblocked", arguments: LiveServer.allCases)
    func blocking(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let list = try #require(romeo[Blocking.self])
            #expect(await list.isPopulated)
            let (mine, theirs) = (try #require(await romeo.address), try #require(await juliet.address))
            let messages = romeo.events(.messages)
            try await list.block(theirs.bare)
            #expect(await list.blocked == [theirs.bare])
            #expect(await list.isBlocked(theirs))
            try await juliet.send(.chat(to: mine, body: "not heard"))
            // Once the server has answered, it has processed the message.
            _ = try await juliet.ping()
            try await list.unblock(theirs.bare)
            #expect(await list.blocked.isEmpty)
            try await juliet.send(.chat(to: mine, body: "heard"))
            #expect(try await messages.firstMessage { $0.body } == "heard")
        }
    }

    @Test("the other device of the account is notified of blocks", arguments: LiveServer.allCases)
    func devices(kind: LiveServer) async throws {
        try await kind.server.withTwoDevices { phone, desk in
            let stranger = try JID("stranger@example.org")
            let events = try #require(desk[Blocking.self]).events()
            try await phone[Blocking.self]?.block(stranger)
            _ = await events.first { $0 == .blocked([stranger]) }
            #expect(await desk[Blocking.self]?.blocked == [stranger])
            try await phone[Blocking.self]?.unblockAll()
            _ = await events.first { $0 == .unblocked([stranger]) }
            #expect(await desk[Blocking.self]?.blocked.isEmpty == true)
        }
    }

    @Test("a push from a stranger is refused and changes nothing", arguments: LiveServer.allCases)
    func forgedPush(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let target = try #require(await juliet.address)
            let victim = try JID("friend@xmpp.test")
            try await juliet[Blocking.self]?.block(victim)
            for forge in [
                { _ = try await romeo.request(BlockRequest([BlockedItem(target.domainJID)]), to: target) },
                { _ = try await romeo.request(UnblockRequest([]), to: target) },
            ] {
                let error = await #expect(throws: ClientError.self) { try await forge() }
                #expect(error?.stanzaError?.condition == .serviceUnavailable)
            }
            #expect(await juliet[Blocking.self]?.blocked == [victim])
        }
    }
}
