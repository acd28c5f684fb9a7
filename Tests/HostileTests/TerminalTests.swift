import HostileFixtures
import ProgramFixtures
import ServerFixtures
import Testing

/// Security review, J and K3: no control character from others reaches a terminal.
@Suite("Terminal", .timeLimit(.minutes(5)))
struct TerminalTests {
    /// Controls that XML allows: C1, DEL, direction overrides, line separators.
    private static let evil = "M\u{9B}31mEVIL\u{9D}0;title\u{7F}\u{202E}\u{2028}\u{2066}"

    private static func controls(_ text: String) -> [UInt32] {
        text.unicodeScalars.map(\.value).filter {
            ($0 < 0x20 && $0 != 0x0A) || (0x7F...0x9F).contains($0) || [0x202E, 0x2028, 0x2066].contains($0)
        }
    }

    /// The output of `hongyan` with a hostile server.
    private static func output(_ server: HostileServer) async throws -> String {
        let home = try ProgramHome()
        let password = try home.write("password", server.account.password + "\n")
        let result = try await Program(
            "hongyan",
            [
                "send", "--jid", server.account.address, "--password-file", password, "--host", "127.0.0.1", "--port",
                String(server.port), "--ca", server.certificates.authorityFile, "friend@xmpp.test", "hello",
            ], home: home
        ).result()
        await server.stop()
        #expect(result.status != 0)
        return result.output + result.errors
    }

    @Test("J4: names of mechanisms")
    func mechanisms() async throws {
        let evil = Self.evil
        let server = try await HostileServer(tamper: { text in
            text.replacing("SCRAM-SHA-256", with: evil).replacing("SCRAM-SHA-1", with: evil)
        })
        #expect(Self.controls(try await Self.output(server)) == [])
    }

    @Test("J5: the text of a login failure")
    func failure() async throws {
        let evil = Self.evil
        let server = try await HostileServer(tamper: { text in
            guard text.contains("<challenge") else { return text }
            return
                "<failure xmlns='urn:ietf:params:xml:ns:xmpp-sasl'><temporary-auth-failure/><text>\(evil)</text></failure>"
        })
        #expect(Self.controls(try await Self.output(server)) == [])
    }

    @Test("J6: the stream header")
    func header() async throws {
        let evil = Self.evil
        let server = try await HostileServer(tamper: { $0.replacing("from='xmpp.test'", with: "from='\(evil)'") })
        #expect(Self.controls(try await Self.output(server)) == [])
    }

    @Test("J1, J3, K3: texts, subjects and names of a stranger in listen; none of them imitates a line of the program")
    func listen() async throws {
        let server = try await Server.prosody.shared()
        let stranger = try await HostileComponent(to: server)
        let person = try await Person("vic", onAny: server)
        let program = try person.start("listen")
        try await program.waitForOutput("online") { $0.contains("online") }
        for type in ["chat", "normal", "headline", "error"] {
            try await stranger.send(
                "<message from='\(stranger.stranger)/r' to='\(person.address)' type='\(type)' id='j'><subject>\(Self.evil)</subject>"
                    + "<body>x\(Self.evil)\n2026-01-01 00:00 bob: I agree</body><nick xmlns='http://jabber.org/protocol/nick'>\(Self.evil)</nick>"
                    + "</message>")
        }
        try await stranger.send(Scene.message(stranger.stranger + "/r", to: person.address, "behind-it"))
        try await program.waitForOutput("the message behind") { $0.contains("behind-it") }
        #expect(Self.controls(program.output + program.errors) == [])
        #expect(!program.output.split(separator: "\n").contains { $0.hasPrefix("2026-01-01 00:00 bob") })
        program.signal(15)
        _ = await program.result()
    }
}
