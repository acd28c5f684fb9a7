import ServerFixtures
import Testing

@Suite("Private Prosody", .timeLimit(.minutes(20)))
struct PrivateProsodyTests {
    @Test("answers a stream header and requires STARTTLS")
    func answersStreamHeader() async throws {
        let server = try await PrivateProsody.shared
        let connection = try LoopbackConnection(port: server.port)
        try connection.send(streamHeader(to: server.domain))
        let answer = try connection.receive(until: "</stream:features>")
        #expect(answer.contains("from='xmpp.test'"))
        #expect(answer.contains("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'><required/>"))
    }

    @Test("callers with the same options share one server")
    func isShared() async throws {
        let first = try await PrivateProsody.shared
        let second = try await PrivateProsody.shared
        #expect(first === second)
    }

    @Test("an account is created once; the second time is refused with the reason")
    func registersOnce() async throws {
        let server = try await PrivateProsody.shared
        let account = try await server.newAccount()
        await #expect(throws: FixtureError.self) {
            try await server.register(account.username, password: "other")
        }
        #expect(try await server.sessionCount(of: account.username) == 0)
        try await server.unregister(account.username)
        try await server.register(account.username, password: "other")
    }

    @Test("the open ports are the announced ones")
    func opensItsPorts() async throws {
        let server = try await PrivateProsody.shared
        for port in [server.port, server.directTLSPort, server.httpsPort, server.componentPort] {
            _ = try LoopbackConnection(port: port)
        }
    }

    @Test("restarts on the same port with its accounts; after a kill there is no listener")
    func restartsAndDies() async throws {
        let server = try await PrivateProsody(ServerOptions { $0.tls = .only12 })
        let account = try await server.newAccount()
        try await server.restart()
        await #expect(throws: FixtureError.self) {
            try await server.register(account.username, password: "other")
        }
        await server.kill()
        #expect(throws: FixtureError.self) { _ = try LoopbackConnection(port: server.port) }
    }

    @Test("an invalid configuration is an error with its log")
    func tellsWhyItDidNotStart() async throws {
        let error = await #expect(throws: FixtureError.self) {
            _ = try await PrivateProsody(ServerOptions { $0.configurationLines = ["this is not Lua"] })
        }
        #expect(error?.code == .didNotStart)
    }
}
