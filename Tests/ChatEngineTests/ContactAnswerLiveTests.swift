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
                #expect(try await romeo.answers(of: juliet) == [.contactAccepted])
                try await juliet.account.contacts.remove(romeo.address)
                try await romeo.until { try await romeo.answers(of: juliet) == [.contactAccepted, .contactEnded] }
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
                #expect(try await romeo.answers(of: juliet) == [.contactDeclined])
            }
        }
    }

    @Test("who was offline when a contact accepted is told at the next connection, in a program that was started again")
    func meanwhile() async throws {
        let server = try await ServerKind.prosody13.shared()
        let name = try await server.newAccount("romeo")
        let romeo = try await Person(name, on: server)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        try await juliet.whileRunning {
            try await romeo.whileRunning {
                try await Person.waitUntilOnline([romeo, juliet])
                _ = try await romeo.account.contacts.add(juliet.address)
                await Person.until(juliet.account) { await juliet.account.contacts.requests.count == 1 }
                try await romeo.until {
                    try await romeo.store.read { store throws(StoreError) in
                        try store.contacts(of: romeo.id).map(\.isPending) == [true]
                    }
                }
            }
            try await juliet.account.contacts.acceptRequest(of: romeo.address)
            let again = try await Person(name, on: server, store: romeo.store)
            try await again.whileRunning {
                try await again.until { try await again.answers(of: juliet) == [.contactAccepted] }
            }
        }
    }
}

extension Person {
    /// What the conversation tells of the answers of a contact.
    fileprivate func answers(of other: Person) async throws -> [ConversationNotice.Kind] {
        let key = key(other.address)
        return try await store.read { reader throws(StoreError) in
            guard let id = try reader.conversation(key) else { return [] }
            return try reader.notices(of: id, in: .allTime).map(\.notice.kind)
        }
    }

    /// Returns when something is true of the store.
    fileprivate func until(_ isTrue: () async throws -> Bool) async throws {
        let changes = store.changes()
        if try await isTrue() { return }
        for await _ in changes where try await isTrue() { return }
    }
}
