import Synchronization
import Testing
import XMPPAddress
import XMPPStanzas

@testable import XMPPClient

@Suite("Log of a session", .timeLimit(.minutes(20)))
struct SessionLogTests {
    /// The lines that a program would write to a file.
    private final class Lines: Sendable {
        private let lines = Mutex<[(level: SessionLog.Level, text: String)]>([])
        var all: [String] { lines.withLock { $0.map(\.text) } }
        var levels: Set<SessionLog.Level> { lines.withLock { Set($0.map(\.level)) } }
        func add(_ level: SessionLog.Level, _ text: String) { lines.withLock { $0.append((level, text)) } }
    }

    /// Logs in, sends a request and a message and receives one, with logging at a level.
    private func talk(_ level: SessionLog.Level, to lines: Lines) async throws {
        let server = MemoryServer()
        let configuration = try server.account("alice") {
            $0.add { SessionLog($0, level) { lines.add($0, $1) } }
        }
        try await Client(configuration).run { session in
            let inbox = session.events(.messages)
            _ = try await session.request(Ping())
            let token = try await session.send(
                Message(to: try JID("bob@xmpp.test"), type: .chat, id: "17", body: "for Bob alone"))
            try await token.reached(.acknowledged)
            try await server.send(
                "<message type='chat' id='a&#10;b' from='carol@xmpp.test/phone'><body>for Alice</body></message>",
                to: "alice")
            #expect(await inbox.message()?.body == "for Alice")
        }
    }

    @Test(
        "S3-7: the level determines what is logged, and nothing private is below the one of the XML",
        arguments: [SessionLog.Level.failures, .steps, .stanzas])
    func levels(level: SessionLog.Level) async throws {
        let lines = Lines()
        try await talk(level, to: lines)
        #expect(lines.levels.isSubset(of: SessionLog.Level.allCases.filter { $0 <= level }))
        for line in lines.all {
            for word in ["secret of", "alice", "bob", "carol", "for Bob", "for Alice", "\n"] {
                #expect(!line.contains(word), "\(line)")
            }
        }
        switch level {
        case .failures: #expect(lines.all.isEmpty, "\(lines.all)")
        case .steps, .stanzas, .wire:
            #expect(lines.all.first == "connecting")
            #expect(lines.all.contains { $0.hasPrefix("logging in with SCRAM-") } && lines.all.contains("online"))
            #expect(lines.all.last == "the session is over")
            let said = ["sends message chat 17 [body]", "received message chat a b [body]"]
            #expect(said.allSatisfy { lines.all.contains($0) == (level == .stanzas) }, "\(lines.all)")
            let question = lines.all.contains {
                $0.hasPrefix("sends iq get ") && $0.hasSuffix(" [{urn:xmpp:ping}ping]")
            }
            let answer = lines.all.contains { $0.hasPrefix("received iq result ") }
            #expect((question, answer) == (level == .stanzas, level == .stanzas), "\(lines.all)")
        }
    }

    @Test("rejected claims of an archive are logged without the address of a user")
    func refused() async throws {
        let lines = Lines()
        let server = MemoryServer()
        let configuration = try server.account("alice") { $0.add { SessionLog($0, .failures) { lines.add($0, $1) } } }
        try await Client(configuration).run { session in
            await session.reportRefusal(of: 3, in: try JID("lair@rooms.test"), reason: "not said in this room to all")
        }
        #expect(lines.all == ["refused 3 messages in an archive at rooms.test: not said in this room to all"])
    }

    @Test("S3-7, S1-20: the reason of a failed login is logged, the password is not")
    func failure() async throws {
        let lines = Lines()
        let server = MemoryServer()
        var configuration = try server.account("alice") {
            $0.add { SessionLog($0, .failures) { lines.add($0, $1) } }
        }
        configuration.credentials.password = "not the secret"
        let error = await #expect(throws: ClientError.self) { try await Client(configuration).run { _ in } }
        let sentence = error?.message ?? ""
        #expect(lines.all == ["the login failed: \(sentence)", "the session is over: \(sentence)"])
        #expect(!lines.all.joined().contains("not the secret"))
    }
}
