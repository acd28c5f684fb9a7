import ChatFixtures
import ChatStore
import ServerFixtures
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import ChatEngine

@Suite("Older messages from real archives", .timeLimit(.minutes(10)))
struct OlderHistoryLiveTests {
    @Test(
        "what is not shown before the first message of a conversation is requested once, not for ever",
        arguments: AccountLiveTests.servers)
    func invisible(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        try await juliet.whileRunning {
            try await romeo.whileRunning {
                try await Person.waitUntilOnline([juliet, romeo])
                // Her archive was empty at her login, so all of it is known only by what comes.
                let session = try #require(romeo.account.session)
                for number in 0..<3 {
                    var key = Message(to: juliet.address, type: .chat, id: "key \(number)")
                    key.payloads.append(try XMLElement(parsing: "<key xmlns='urn:example:key'/>"))
                    key.payloads.append(try XMLElement(parsing: "<store xmlns='urn:xmpp:hints'/>"))
                    try await session.send(key)
                }
                try await romeo.write("Shall I hear more?", to: juliet)
                try await juliet.wait(for: romeo) { $0.count == 1 }
                var answers: [OlderHistory] = []
                while answers.last != .nothingMore, answers.count < 5 {
                    answers.append(await juliet.account.loadOlder(in: juliet.key(romeo.address)))
                }
                #expect(answers.last == .nothingMore)
                #expect(answers.count <= 2)
                #expect(try await juliet.timeline(with: romeo.address).count == 1)
            }
        }
    }
}
