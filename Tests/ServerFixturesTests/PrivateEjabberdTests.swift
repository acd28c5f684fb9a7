import ServerFixtures
import Testing

@Suite("Private ejabberd", .timeLimit(.minutes(20)))
struct PrivateEjabberdTests {
    @Test("answers a stream header and requires STARTTLS")
    func answersStreamHeader() async throws {
        let server = try await PrivateEjabberd.shared
        let connection = try LoopbackConnection(port: server.port)
        try connection.send(streamHeader(to: server.domain))
        let answer = try connection.receive(until: "</stream:features>")
        #expect(answer.contains("from='xmpp.test'"))
        #expect(answer.contains("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/>"))
    }

    @Test("an account is created once; the second time is refused with the reason")
    func registersOnce() async throws {
        let server = try await PrivateEjabberd.shared
        let account = try await server.newAccount()
        await #expect(throws: FixtureError.self) {
            try await server.register(account.username, password: "other")
        }
    }

    @Test("accounts survive a restart; after a kill there is no listener")
    func restartsAndDies() async throws {
        let server = try await PrivateEjabberd(
            ServerOptions {
                $0.tls = .only12
                $0.passwordStore = .plain
            })
        let account = try await server.newAccount()
        try await server.restart()
        await #expect(throws: FixtureError.self) {
            try await server.register(account.username, password: "other")
        }
        await server.kill()
        #expect(throws: FixtureError.self) { _ = try LoopbackConnection(port: server.port) }
    }
}

/// The opening of a client's stream, before any encryption.
func streamHeader(to domain: String) -> String {
    "<?xml version='1.0'?><stream:stream to='\(domain)' version='1.0' xmlns='jabber:client' "
        + "xmlns:stream='http://etherx.jabber.org/streams'>"
}
