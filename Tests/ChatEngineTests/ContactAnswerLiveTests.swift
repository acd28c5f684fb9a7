import ChatEngine
import ChatFixtures
import ChatStore
import ServerFixtures
import Testing
import XMPPAddress

@Suite("Answers to contact requests", .timeLimit(.minutes(20)))
struct ContactAnswerLiveTests {
    /// The first answer that an account is told of.
    private static func answer(
        to person: Person, _ events: AsyncStream<ChatAccountEvent>
    ) async -> (ContactAnswer, JID)? {
        for await event in events { if case .answer(let answer, let address) = event { return (answer, address) } }
        return nil
    }

    @Test(
        "who asked is told; the greeting is the first message of the conversation, once",
        arguments: AccountLiveTests.servers)
    func accepted(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Person.waitUntilOnline([romeo, juliet])
                let events = romeo.account.events()
                _ = try await romeo.account.contacts.add(juliet.address, message: "from the feast")
                await Person.until(juliet.account) { await juliet.account.contacts.requests.count == 1 }
                try await juliet.account.contacts.acceptRequest(of: romeo.address)
                let told = await Self.answer(to: romeo, events)
                #expect(told?.0 == .accepted)
                #expect(told?.1 == juliet.address)
                try await juliet.wait(for: romeo) { $0.map(\.text.body) == ["from the feast"] }
                #expect(try await juliet.timeline(with: romeo.address).allSatisfy { !$0.isOutgoing })
            }
        }
    }

    @Test("who asked is told of a refusal")
    func declined() async throws {
        let server = try await ServerKind.prosody13.shared()
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Person.waitUntilOnline([romeo, juliet])
                let events = romeo.account.events()
                _ = try await romeo.account.contacts.add(juliet.address)
                await Person.until(juliet.account) { await juliet.account.contacts.requests.count == 1 }
                try await juliet.account.contacts.declineRequest(of: romeo.address)
                let told = await Self.answer(to: romeo, events)
                #expect(told?.0 == .declined)
                #expect(told?.1 == juliet.address)
            }
        }
    }
}
