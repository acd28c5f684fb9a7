import EntityInformation
import Profiles
import PublishSubscribe
import Roster
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Profiles on real servers")
struct ProfilesLiveTests {
    /// A picture of one pixel: servers parse a published picture before they convert it into a vCard.
    private static let picture: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
        0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1F, 0x15, 0xC4, 0x89, 0x00, 0x00, 0x00,
        0x0D, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9C, 0x63, 0xF8, 0xCF, 0xC0, 0xF0, 0x1F, 0x00, 0x05, 0x00, 0x01, 0xFF,
        0x89, 0x99, 0x3D, 0x1D, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]

    @Test(
        "an avatar reaches the other device with the published bytes",
        arguments: LiveServer.allCases)
    func avatar(kind: LiveServer) async throws {
        try await kind.server.withTwoDevices { phone, desk in
            let (mine, other) = (try #require(phone[Profiles.self]), try #require(desk[Profiles.self]))
            let own = try #require(await phone.address).bare
            #expect(try await other.avatar(of: own) == nil)
            let avatar = Avatar(Self.picture, mediaType: "image/png", width: 1, height: 1)
            try await mine.publish(avatar)
            #expect(try await other.avatar(of: own)?.bytes == avatar.bytes)
            try await mine.removeAvatar()
            // The event of the publication may still be in transit when the server has answered.
            try await withDeadline {
                while try await mine.avatar(of: own) != nil { try await Task.sleep(for: .milliseconds(20)) }
            }
        }
    }

    @Test("a picture that is too large is not published", arguments: LiveServer.allCases)
    func tooLarge(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, _ in
            let large = Avatar([UInt8](repeating: 1, count: Avatar.publishLimit + 1), mediaType: "image/png")
            let error = await #expect(throws: ProfileError.self) { try await romeo[Profiles.self]?.publish(large) }
            #expect(error?.code == .tooLarge)
        }
    }

    @Test("vCards in both forms are written, and read by others", arguments: LiveServer.allCases)
    func cards(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let (mine, other) = (try #require(romeo[Profiles.self]), try #require(juliet[Profiles.self]))
            let account = try #require(await romeo.address).bare
            var card = LegacyVCard(fullName: "Romeo Montague", nickname: "Romeo")
            card.url = "https://montague.example/romeo"
            try await mine.publish(card)
            let read = try #require(try await other.legacyCard(of: account))
            #expect(read.fullName == "Romeo Montague")
            #expect(read.url == "https://montague.example/romeo")
            var modern = VCard(fullName: "Romeo M.")
            modern.emails = ["romeo@montague.example"]
            try await mine.publish(modern)
            #expect(try await mine.card(of: account)?.emails == ["romeo@montague.example"])
        }
    }

    @Test(
        "an event with a name and an avatar from a stranger's device changes no profile", arguments: LiveServer.allCases
    )
    func forged(kind: LiveServer) async throws {
        try await kind.server.withTwo { romeo, juliet in
            let target = try #require(await juliet.address)
            var message = Message(to: target, type: .headline)
            message.append(
                PublishSubscribeEvent.items(
                    node: ProfileNickname.node,
                    published: [PublishedItem(id: "current", payload: .init(ProfileNickname("Mallory")))], retracted: []
                ))
            try await romeo.send(message)
            _ = try await romeo.ping(target)
            let profiles = try #require(juliet[Profiles.self])
            #expect(await profiles.nickname(of: target) == nil)
            #expect(await profiles.nickname(of: try #require(await romeo.address)) == nil)
        }
    }
}
