import EntityInformation
import MessageFeatures
import Profiles
import PublishSubscribe
import Roster
import ServerFixtures
import ServiceDiscovery
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import Roster

@Suite("What strangers can find out, on real servers")
struct StrangerLiveTests {
    /// Returns when `receiver` has handled everything that was sent to it: requests are answered in order.
    private func settle(_ session: Session, with receiver: JID) async throws {
        _ = try? await session.request(DiscoveryItemsRequest(node: nil), to: receiver)
    }

    @Test("a stranger gets no receipt, a peer to whom the user has written does", arguments: LiveServer.allCases)
    func receipts(kind: LiveServer) async throws {
        try await kind.server.withTwo(knowEachOther: false) { romeo, juliet in
            let (sender, receiver) = (try #require(await romeo.address), try #require(await juliet.address))
            let answers = romeo.events(.messages)
            for type in [Message.Kind.chat, .normal, .headline] {
                for body in [nil, "x"] {
                    var message = Message(to: receiver, type: type, id: "\(type)-\(body ?? "")", body: body)
                    message.append(DeliveryReceiptRequest())
                    try await romeo.send(message)
                }
            }
            try await settle(romeo, with: receiver)
            let answered = juliet.events(.messages)
            try await juliet.send(.chat(to: sender.bare, body: "who is there?"))
            let first = try await answers.firstMessage { $0 }
            #expect(first.body == "who is there?", "Nothing came before it.")

            var last = Message(to: receiver, type: .headline, id: "silent")
            last.append(DeliveryReceiptRequest())
            try await romeo.send(last)
            var asked = Message(to: receiver, type: .chat, id: "asked", body: "me")
            asked.append(DeliveryReceiptRequest())
            try await romeo.send(asked)
            _ = try await answered.firstMessage { $0.body == "me" ? true : nil }
            let receipt = try await answers.firstMessage { try $0.payload(DeliveryReceipt.self) }
            #expect(receipt.messageID == "asked", "A headline without a text never gets a receipt.")
        }
    }

    @Test(
        "the response to a stranger's request is that of an address that does not exist",
        arguments: LiveServer.allCases)
    func requests(kind: LiveServer) async throws {
        try await kind.server.withTwo(knowEachOther: false) { romeo, juliet in
            let receiver = try #require(await juliet.address)
            let absent = try JID(local: receiver.local, domain: receiver.domain, resource: "nobody")
            let events = romeo.events(.iqs)
            func answer(_ iq: IQ, to address: JID) async throws -> String {
                var iq = iq
                iq.to = address
                let id = "x\(UInt32.random(in: 0...UInt32.max))"
                iq.id = id
                try await romeo.send(iq)
                for await batch in events {
                    for case .iq(let answer) in batch where answer.id == id {
                        #expect(answer.from == address)
                        var writer = XMLWriter()
                        var bare = answer
                        // Prosody adds a language to each client stanza without one, and to none of its own.
                        (bare.from, bare.id, bare.language) = (nil, nil, kind == .prosody ? nil : bare.language)
                        bare.encode(to: &writer)
                        return String(decoding: writer.bytes, as: UTF8.self)
                    }
                }
                throw DeadlinePassed()
            }
            let requests = [
                IQ(Ping()), IQ(SoftwareVersionRequest()), IQ(EntityTimeRequest()),
                IQ(DiscoveryInformationRequest(node: nil)),
                IQ(DiscoveryItemsRequest(node: nil)), IQ(RosterRequest(version: nil)),
            ]
            var foreign = IQ(Ping())
            foreign.language = "de"
            for request in requests + [foreign] {
                let (present, gone) = (try await answer(request, to: receiver), try await answer(request, to: absent))
                #expect(present == gone)
                #expect(present.contains("service-unavailable"))
            }
            // Peers that see our presence get an answer.
            let receiving = try #require(await romeo.address)
            try await juliet.send(Presence(to: receiving))
            try await juliet.ping()
            #expect(try await answer(IQ(SoftwareVersionRequest()), to: receiver).contains("jabber:iq:version"))
        }
    }

    @Test("nothing that a stranger announces is stored", arguments: LiveServer.allCases)
    func announcements(kind: LiveServer) async throws {
        try await kind.server.withTwo(knowEachOther: false) { romeo, juliet in
            let (sender, receiver) = (try #require(await romeo.address), try #require(await juliet.address))
            let hash = String(repeating: "a", count: 40)
            for _ in 0..<50 {
                var presence = Presence(to: receiver, status: String(repeating: "x", count: 2000))
                presence.append(AvatarUpdate(.hash(hash)))
                try await romeo.send(presence)
            }
            var event = Message(to: receiver, type: .headline)
            event.append(
                PublishSubscribeEvent.items(
                    node: ProfileNickname.node,
                    published: [PublishedItem(id: "current", payload: .init(ProfileNickname("Mallory")))], retracted: []
                ))
            try await romeo.send(event)
            try await settle(romeo, with: receiver)
            let (roster, profiles) = (try #require(juliet[Roster.self]), try #require(juliet[Profiles.self]))
            #expect(await roster.presenceCount == 0)
            #expect(await profiles.avatarID(of: sender) == nil)
            #expect(await profiles.nickname(of: sender) == nil)
        }
    }
}
