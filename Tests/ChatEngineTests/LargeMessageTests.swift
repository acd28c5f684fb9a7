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

    /// The state of the large message. Its place is open: the archive gives the next one a time in whole seconds.
    private static func large(_ messages: [StoredMessage]) -> MessageState? {
        messages.first { $0.text.body != "after" }?.state
    }

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
                        && Self.large(messages)
                            == .failed(FailureReason(.notSent, condition: FailureReason.tooLong))
                        && messages.contains {
                            $0.text.body == "after"
                                && [.sentToServer, .delivered, .displayed].contains($0.state)
                        }
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
                    Self.large(messages)
                        == .failed(FailureReason(.notSent, condition: FailureReason.connectionEnded))
                }
            }
        }
    }
}
