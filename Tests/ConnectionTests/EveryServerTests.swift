import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Every server", .timeLimit(.minutes(20)))
struct EveryServerTests {
    @Test("an account is created, logs in, and a message is received", arguments: ServerKind.allCases)
    func echo(kind: ServerKind) async throws {
        let server = try await kind.shared()
        #expect(server.kind == kind)
        let account = try await server.newAccount("echo")
        try await Client(try server.configuration(account, resource: "here")).run { session in
            let inbox = EventInbox(session.events(.messages))
            try await session.send(Presence())
            try await session.send(.chat(to: try JID("\(account.address)/here"), body: "Привет 😀 <&>"))
            #expect(await inbox.body() == "Привет 😀 <&>")
        }
    }
}
