import HostileFixtures
import ProgramFixtures
import ServerFixtures
import Testing

/// Security review, P and L: the desktop under attack.
@Suite("The desktop under attack", .timeLimit(.minutes(5)))
struct HostileDesktopTests {
    @Test("P1, P2, P5, L2: the desktop stays online, stores later messages, and works after a restart")
    func poison() async throws {
        let server = try await PrivateProsody(HostileComponent.options())
        let component = try await HostileComponent(domain: "evil1.test", to: server)
        let victim = try await DesktopPerson("vic", onAny: server)
        let (address, user) = (victim.person.address, victim.person.account.username)
        for session in 1...2 {
            let program = try victim.start()
            try await Self.wait(for: "the login") { try await server.sessionCount(of: user) == 1 }
            for poison in Poison.all where ["P1", "P2", "P3", "P8"].contains(poison.id) {
                try await component.send(poison.message(from: component.stranger, to: address))
                try await component.send(poison.presence(from: component.stranger + "/r", to: address))
            }
            for (number, piece) in ["x", "\n", "> "].enumerated() {
                let body = "long " + String(repeating: piece, count: 100_000 / piece.utf8.count)
                try await component.send(
                    Scene.message(component.stranger + "/r", to: address, body, id: "l\(session)-\(number)"))
            }
            let marker = "behind-it-\(session)"
            try await component.send(Scene.message(component.stranger + "/r", to: address, marker))
            try await program.poll("the message behind", seconds: 60) { victim.hasStored(marker) }
            #expect(try await server.sessionCount(of: user) == 1)
            _ = try await victim.quit(program)
        }
    }

    private static func wait(for description: String, until condition: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + HostileLine.timeout
        while try await !condition() {
            guard ContinuousClock.now < deadline else { throw HostileFailure("There was no \(description).") }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}
