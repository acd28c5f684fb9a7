import ChatEngine
import ChatFixtures
import ChatStore
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient

/// A message that is too large for the server fails, and its account continues.
@Suite("Messages too large for the server", .timeLimit(.minutes(20)))
struct LargeMessageTests {
    static let servers: [ServerKind] = [.prosody012, .ejabberd2301]

    @Test(
        "P13: a large message left in the queue by an older release fails at the first start", arguments: servers)
    func poisonedQueue(kind: ServerKind) async throws {
        let server = try await kind.shared()
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        try await romeo.write(String(repeating: "&", count: 60_000), to: juliet)
        try await romeo.write("after", to: juliet)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await juliet.wait(for: romeo) { $0.map(\.text.body) == ["after"] }
                try await romeo.wait(for: juliet) { messages in
                    messages.count == 2
                        && messages[0].state == .failed(FailureReason(.notSent, condition: FailureReason.tooLong))
                        && [.sentToServer, .delivered, .displayed].contains(messages[1].state)
                }
            }
        }
    }

    @Test(
        "a message that the server rejects by closing the stream fails, and the next one is sent", arguments: servers)
    func unannouncedLimit(kind: ServerKind) async throws {
        let server = try await kind.shared(ServerOptions { $0.stanzaSizeLimit = 20_000 })
        let romeo = try await Person(try await server.newAccount("romeo"), on: server)
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        try await romeo.whileRunning {
            try await juliet.whileRunning {
                try await romeo.write(String(repeating: "a", count: 100_000), to: juliet)
                try await romeo.write("after", to: juliet)
                try await juliet.wait(for: romeo) { $0.map(\.text.body) == ["after"] }
                try await romeo.wait(for: juliet) { messages in
                    messages.first?.state
                        == .failed(FailureReason(.notSent, condition: FailureReason.connectionEnded))
                }
            }
        }
    }
}
