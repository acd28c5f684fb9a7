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
                try await Self.sendKeys(3, from: romeo, to: juliet)
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

    @Test(
        "many pages with nothing to show are not read without the user, who can go on, also before a text with its archive id",
        arguments: AccountLiveTests.servers, [true, false])
    func empty(kind: ServerKind, hasArchiveID: Bool) async throws {
        let server = try await kind.shared()
        var policy = ChatAccountPolicy()
        policy.history.pageSize = 1
        // Nothing is requested in the background.
        policy.history.reachesBack = false
        let juliet = try await Person(try await server.newAccount("juliet"), on: server, policy: policy)
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        try await romeo.whileRunning {
            try await Person.waitUntilOnline([romeo])
            // More than the page that she requests at her login.
            try await Self.sendKeys(25, from: romeo, to: juliet)
            try await juliet.whileRunning {
                try await Person.waitUntilOnline([juliet])
                // From then on the id that the archive has given to what comes is believed.
                if hasArchiveID { await eventually { juliet.account.context.recorder.believesOwnArchive } }
                try await romeo.write("Shall I hear more?", to: juliet)
                try await juliet.wait(for: romeo) { $0.count == 1 }
                var answers: [OlderHistory] = []
                while answers.last != .nothingMore, answers.count < 60 {
                    answers.append(await juliet.account.loadOlder(in: juliet.key(romeo.address)))
                }
                #expect(answers.last == .nothingMore)
                // The first page may bring the archive id of the text.
                let pause = try #require(answers.firstIndex(of: .notNow), "\(answers)")
                #expect((20...21).contains(pause))
                #expect(answers.count { $0 == .arrived } > 20)
            }
        }
    }

    /// Sends messages that are archived and not shown.
    private static func sendKeys(_ count: Int, from sender: Person, to receiver: Person) async throws {
        let session = try #require(sender.account.session)
        for number in 0..<count {
            var key = Message(to: receiver.address, type: .chat, id: "key \(number)")
            key.payloads.append(try XMLElement(parsing: "<key xmlns='urn:example:key'/>"))
            key.payloads.append(try XMLElement(parsing: "<store xmlns='urn:xmpp:hints'/>"))
            try await session.send(key)
        }
        try await session.ping()
    }
}
