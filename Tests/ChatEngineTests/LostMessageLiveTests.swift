import ChatEngine
import ChatFixtures
import ChatStore
import ServerFixtures
import Testing
import XMPPAddress

@Suite("Messages that a server has acknowledged and lost", .timeLimit(.minutes(20)))
struct LostMessageLiveTests {
    @Test("they are sent again, also in the first session of an account, and arrive once")
    func firstSession() async throws {
        let server = try await PrivateProsody(ServerOptions { $0.addedModules = ["fixture_loss"] })
        var policy = ChatAccountPolicy()
        policy.confirmationTime = .seconds(1)
        let romeo = try await Person(try await server.newAccount("romeo"), on: server, policy: policy)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await Person.waitUntilOnline([romeo, juliet])
                // This is the first message of the account: no other message in the archive shows that sent messages
                // are archived.
                try await romeo.write("lost on the way", to: juliet)
                try await juliet.wait(for: romeo) { $0.map(\.text.body) == ["lost on the way"] }
            }
        }
        #expect(try await romeo.timeline(with: juliet.address).count == 1)
    }
}
