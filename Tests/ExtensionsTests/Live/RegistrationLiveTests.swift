import AccountRegistration
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Registration on real servers")
struct RegistrationLiveTests {
    private func newAccount(_ server: any PrivateServer) -> Account {
        Account(
            username: "new-\(String(UInt64.random(in: 0...UInt64.max), radix: 36))", password: "pässwörd 密码",
            domain: server.domain)
    }

    @Test(
        "S0-32, S0-78, S1-19, S2-19: an account is created and can log in", arguments: LiveServer.allCases)
    func register(kind: LiveServer) async throws {
        let server = try await kind.server
        let client = Client(try server.configuration(newAccount(server)))
        try await withDeadline {
            try await client.registerAccount()
            try await client.run { session in
                #expect(await session.isOnline)
            }
        }
    }

    @Test("S0-33, S2-20: a user name that is in use is refused with a message", arguments: LiveServer.allCases)
    func taken(kind: LiveServer) async throws {
        let server = try await kind.server
        let client = Client(try server.configuration(try await server.newAccount()))
        let error = await #expect(throws: RegistrationError.self) {
            try await withDeadline { try await client.registerAccount() }
        }
        #expect(error?.code == .nameTaken)
        #expect(error?.description.contains("choose another") == true)
    }

    @Test("a server without registration reports that")
    func notOffered() async throws {
        let server = try await PrivateProsody.shared(ServerOptions { $0.allowsRegistration = false })
        let client = Client(try server.configuration(newAccount(server)))
        let error = await #expect(throws: RegistrationError.self) {
            try await withDeadline { try await client.registerAccount() }
        }
        #expect(error?.code == .notOffered)
    }

    @Test("the password can be changed and the account cancelled", arguments: LiveServer.allCases)
    func changeAndCancel(kind: LiveServer) async throws {
        let server = try await kind.server
        let account = try await server.newAccount()
        let client = Client(try server.configuration(account))
        try await withDeadline {
            try await client.run { try await $0.changePassword(to: "another one") }
            let changed = Account(username: account.username, password: "another one", domain: account.domain)
            let second = Client(try server.configuration(changed))
            try? await second.run { try await $0.cancelAccount() }
            let error = await #expect(throws: ClientError.self) { try await second.run { _ in } }
            #expect(error?.code == .authenticationFailed)
        }
    }
}
