import ChatFixtures
import ChatStore
import ChatStoreTesting
import Foundation
import GroupChat
import MessageHistory
import OMEMO
import PublishSubscribe
import ServerFixtures
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient

@testable import ChatEngine

/// Debian's profanity, which has the legacy generation of OMEMO; `Scripts/packages omemo` installs it.
@Suite(
    "OMEMO with profanity", .timeLimit(.minutes(10)),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/profanity")))
struct ProfanityLiveTests {
    static let scheme = "eu.siacs.conversations.axolotl"

    private static func isRead(_ message: StoredMessage, _ text: String) -> Bool {
        guard case .encrypted(scheme, _, .trusted) = message.protection else { return false }
        return message.text.body == text && !message.isOutgoing
    }

    /// Profanity that is online with keys.
    static func profanity(
        _ name: ServerFixtures.Account, on server: RunningServer, _ folder: SpareFolder
    ) async throws -> OtherProgram {
        if server.kind.isProsody {
            // It expects error codes of 2003, and announces no device if the account has no list and there are none.
            let other = try await Person(name, on: server)
            try await other.whileRunning {
                try await Person.waitUntilOnline([other])
                let data = try #require(other.account.session?[PublishSubscribe.self])
                try await data.publish(
                    OMEMODeviceList(.legacy, devices: []), id: "current", in: OMEMOGeneration.legacy.devicesNode,
                    configuration: .publicData)
            }
        }
        let peer = try OtherProgram("profanity.py", name, on: server, [folder.path])
        #expect(await peer.next("ready").last == "ready")
        return peer
    }

    @Test(
        "the first message and later ones are read in both directions, also after either side was offline",
        arguments: AccountLiveTests.servers)
    func talk(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let names = [try await server.newAccount("romeo"), try await server.newAccount("juliet")]
        let (store, keyring, folder) = (MemoryStore(), TestIdentities(), try SpareFolder())
        let peer = try await Self.profanity(names[1], on: server, folder)
        defer { peer.stop() }
        let juliet = try JID(names[1].address)
        func romeo() async throws -> Person {
            try await EncryptionLiveTests.person(
                names[0], on: server, store: store, identities: keyring, policy: .always)
        }
        let first = try await romeo()
        try await first.whileRunning {
            try await EncryptionLiveTests.waitUntilAnnounced([first])
            _ = try await first.account.send(.text(MessageText("nightingale 夜莺")), in: first.key(juliet))
            #expect(await peer.next("nightingale").last?.contains("nightingale 夜莺") == true)
            for line in ["/msg \(names[0].address)", "/omemo start", "it is the lark 云雀"] { try peer.type(line) }
            try await first.wait(in: first.key(juliet)) { $0.contains { Self.isRead($0, "it is the lark 云雀") } }
            try peer.type("/disconnect")
            #expect(await peer.next("done /disconnect").last == "done /disconnect")
            _ = try await first.account.send(.text(MessageText("while you were away")), in: first.key(juliet))
            try await first.wait(in: first.key(juliet)) { $0.allSatisfy { $0.state != .queued } }
            try peer.type("/connect \(names[1].address)")
            #expect(await peer.next("while you were away").last?.contains("while you were away") == true)
        }
        // It has forgotten the devices, and requests those of a stranger only at the start of a session.
        for line in ["/msg \(names[0].address)", "/omemo end", "/omemo start", "and while you were"] {
            try peer.type(line)
        }
        let second = try await romeo()
        try await second.whileRunning {
            try await second.wait(in: second.key(juliet)) { $0.contains { Self.isRead($0, "and while you were") } }
        }
    }

    @Test(
        "the first message waits for a receiver who is offline, in both directions",
        arguments: AccountLiveTests.servers)
    func offline(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let names = [
            try await server.newAccount("romeo"), try await server.newAccount("juliet"),
            try await server.newAccount("mercutio"),
        ]
        let (store, keyring, folder) = (MemoryStore(), TestIdentities(), try SpareFolder())
        let peer = try await Self.profanity(names[1], on: server, folder)
        defer { peer.stop() }
        let juliet = try JID(names[1].address)
        func mercutio() async throws -> Person {
            try await EncryptionLiveTests.person(
                names[2], on: server, store: store, identities: keyring, policy: .always)
        }
        let absent = try await mercutio()
        try await absent.whileRunning { try await EncryptionLiveTests.waitUntilAnnounced([absent]) }
        for line in ["/msg \(names[2].address)", "/omemo start", "ask for me tomorrow 明天"] { try peer.type(line) }
        #expect(await peer.next("ask for me").last?.contains("ask for me tomorrow 明天") == true)
        try peer.type("/disconnect")
        #expect(await peer.next("done /disconnect").last == "done /disconnect")
        let back = try await mercutio()
        try await back.whileRunning {
            try await back.wait(in: back.key(juliet)) { $0.contains { Self.isRead($0, "ask for me tomorrow 明天") } }
        }
        let romeo = try await EncryptionLiveTests.person(names[0], on: server, policy: .always)
        try await romeo.whileRunning {
            try await EncryptionLiveTests.waitUntilAnnounced([romeo])
            _ = try await romeo.account.send(.text(MessageText("nightingale 夜莺")), in: romeo.key(juliet))
            try await romeo.wait(in: romeo.key(juliet)) { $0.count == 1 && $0.allSatisfy { $0.state != .queued } }
        }
        try peer.type("/connect \(names[1].address)")
        #expect(await peer.next("nightingale").last?.contains("nightingale 夜莺") == true)
    }

    @Test(
        "in a room of members both read each other, and neither a member without keys nor the archive has the text",
        arguments: AccountLiveTests.servers)
    func room(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let names = [
            try await server.newAccount("romeo"), try await server.newAccount("juliet"),
            try await server.newAccount("benvolio"),
        ]
        let folder = try SpareFolder()
        let peer = try await Self.profanity(names[1], on: server, folder)
        defer { peer.stop() }
        let romeo = try await EncryptionLiveTests.person(names[0], on: server, policy: .always)
        let benvolio = try await Person(names[2], on: server)
        let room = try JID("tomb-\(names[0].username)@\(server.conferenceDomain)")
        let keys = [RoomLiveTests.key(romeo, room), RoomLiveTests.key(benvolio, room)]
        let texts = ["nightingale 夜莺", "it is the lark 云雀"]
        try await romeo.whileRunning {
            try await benvolio.whileRunning {
                try await EncryptionLiveTests.waitUntilAnnounced([romeo])
                try await Person.waitUntilOnline([benvolio])
                try await EncryptionLiveTests.enterPrivate(room, romeo, benvolio)
                let chat = try #require(romeo.account.session?[GroupChat.self]?.room(room))
                try await chat.setAffiliation(.member, of: try JID(names[1].address))
                try peer.type("/join \(room)")
                #expect(await peer.next("done /join").last == "done /join \(room)")
                let sent = try await romeo.account.send(.text(MessageText(texts[0])), in: keys[0])
                #expect(await peer.next(texts[0]).last?.contains(texts[0]) == true)
                for line in ["/omemo start", texts[1]] { try peer.type(line) }
                try await romeo.wait(in: keys[0]) { messages in
                    messages.contains { Self.isRead($0, texts[1]) }
                        && messages.contains { $0.id == sent && $0.state != .queued }
                }
                try await benvolio.wait(in: keys[1]) { $0.count >= texts.count }
                let archive = try #require(benvolio.account.session?[MessageArchive.self])
                @Sendable func archived() async throws -> [String] {
                    try await archive.page(in: room, page: .newest(50)).messages
                        .compactMap { $0.message.map { XMLElement($0).description } }
                }
                await eventually { (try? await archived().count { $0.contains(Self.scheme) }) == texts.count }
                let stored = try await archived()
                #expect(stored.count { $0.contains(Self.scheme) } == texts.count)
                let seen = try await benvolio.timeline(in: keys[1]).map(\.text.body) + stored
                #expect(!seen.contains { $0.contains("nightingale") || $0.contains("lark") })
            }
        }
        let shown = try await romeo.timeline(in: keys[0])
        #expect(shown.map(\.text.body) == texts)
        #expect(
            shown.first?.protection
                == .encrypted(
                    scheme: Self.scheme, device: romeo.account.encryption?.fingerprint, trust: .verified))
    }
}
