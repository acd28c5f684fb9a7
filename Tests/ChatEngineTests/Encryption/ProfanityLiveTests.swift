import ChatFixtures
import ChatStore
import ChatStoreTesting
import Foundation
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient

@testable import ChatEngine

/// Debian's profanity, which has the legacy generation of OMEMO; `Scripts/packages omemo` installs it.
@Suite(
    "OMEMO with profanity", .timeLimit(.minutes(10)),
    .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/profanity")))
struct ProfanityLiveTests {
    private static let scheme = "eu.siacs.conversations.axolotl"

    private static func isRead(_ message: StoredMessage, _ text: String) -> Bool {
        guard case .encrypted(scheme, _, .trusted) = message.protection else { return false }
        return message.text.body == text && !message.isOutgoing
    }

    @Test("the first message and later ones are read in both directions, also after either side was offline")
    func talk() async throws {
        // With Prosody profanity announces no device unless another program did so before: it expects error codes of 2003.
        let server = try await ServerKind.ejabberd2412.shared()
        let names = [try await server.newAccount("romeo"), try await server.newAccount("juliet")]
        let (store, keyring, folder) = (MemoryStore(), TestIdentities(), try SpareFolder())
        let peer = try OtherProgram("profanity.py", names[1], on: server, [folder.path])
        defer { peer.stop() }
        #expect(await peer.next("ready").last == "ready")
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
}
