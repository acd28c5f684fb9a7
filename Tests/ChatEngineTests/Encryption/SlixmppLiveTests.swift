import ChatFixtures
import ChatStore
import Foundation
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient

@testable import ChatEngine

/// slixmpp-omemo is not in Debian: `HONGYAN_SLIXMPP` names a Python that has it.
@Suite(
    "OMEMO with another implementation", .timeLimit(.minutes(20)),
    .enabled(if: ProcessInfo.processInfo.environment["HONGYAN_SLIXMPP"] != nil))
struct SlixmppLiveTests {
    @Test("both read each message of the other, in each generation", arguments: ["both", "legacy", "current"])
    func talk(generations: String) async throws {
        let server = try await ServerKind.prosody13.shared()
        let names = [try await server.newAccount("romeo"), try await server.newAccount("juliet")]
        let scheme = generations == "legacy" ? "eu.siacs.conversations.axolotl" : "urn:xmpp:omemo:2"
        let python = ProcessInfo.processInfo.environment["HONGYAN_SLIXMPP"] ?? "python3"
        let peer = try OtherProgram("peer.py", by: python, names[1], on: server, [server.authorityFile, generations])
        defer { peer.stop() }
        _ = await peer.next("ready")
        let romeo = try await EncryptionLiveTests.person(names[0], on: server)
        let juliet = try JID(names[1].address)
        try await romeo.whileRunning {
            try await EncryptionLiveTests.waitUntilAnnounced([romeo])
            for number in 0..<4 {
                _ = try await romeo.account.send(.text(MessageText("number \(number)")), in: romeo.key(juliet))
                let seen = await peer.next("answered")
                #expect(
                    seen.contains { $0.contains("\"number \(number)\"") && $0.contains(scheme) }, "\(seen)")
                try await romeo.wait(in: romeo.key(juliet)) { messages in
                    messages.contains { $0.text.body == "NUMBER \(number)" }
                }
            }
        }
        let answers = try await romeo.timeline(with: juliet).filter { !$0.isOutgoing }
        #expect(answers.count == 4)
        for answer in answers {
            guard case .encrypted(scheme, _, .trusted) = answer.protection else {
                Issue.record("\(answer.protection)")
                continue
            }
        }
    }
}
