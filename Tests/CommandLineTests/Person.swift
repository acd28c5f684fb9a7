import ServerFixtures
import Testing

/// A person with a computer of its own: account, home folders, and the programs of this package.
struct Person: Sendable {
    let home: ProgramHome
    let server: any PrivateServer
    let account: Account

    /// An account that exists, used by nobody else. Its password is not kept yet.
    init(_ name: String, on server: PrivateProsody) async throws {
        self.server = server
        home = try ProgramHome()
        account = try await server.newAccount(name)
    }

    /// A person without an account.
    init(newcomer name: String, on server: PrivateProsody) throws {
        self.server = server
        home = try ProgramHome()
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        account = Account(username: "\(name)-\(number)", password: "secret \(number)", domain: server.domain)
    }

    var address: String { account.address }

    /// Account, server and password for the command line.
    func connection(password: String? = nil) throws -> [String] {
        let file = try home.write("password", (password ?? account.password) + "\n")
        return ["--jid", address, "--password-file", file] + place
    }

    var place: [String] {
        ["--host", server.host, "--port", String(server.port), "--ca", server.certificates.authorityFile]
    }

    /// Runs a command of `hongyan` with this person's account to its end.
    @discardableResult
    func run(_ arguments: String..., expecting status: Int32 = 0) async throws -> Program.Result {
        let result = try await Program("hongyan", arguments + connection(), home: home).result()
        #expect(result.status == status, "\(arguments): \(result.output)\(result.errors)")
        return result
    }

    /// Runs `hongyan` with these words and no others.
    func bare(_ arguments: [String], input: String? = nil, environment: [String: String] = [:]) async throws
        -> Program.Result
    {
        try await Program("hongyan", arguments, home: home, environment: environment, input: input).result()
    }

    func start(_ arguments: String...) throws -> Program {
        try Program("hongyan", arguments + connection(), home: home)
    }

    /// Starts `listen` and returns when it is online.
    func listen(_ arguments: String...) async throws -> Program {
        let program = try Program("hongyan", ["listen", "--json"] + arguments + connection(), home: home)
        try await program.waitForOutput("online") { $0.contains("\"state\":\"online\"") }
        return program
    }

    /// Starts the conversation in a terminal.
    func chat(_ arguments: String..., columns: UInt16 = 80, rows: UInt16 = 24) throws -> Program {
        try Program("hongyan", ["chat"] + arguments + connection(), home: home, size: (columns, rows))
    }

    func befriend(_ other: Person) async throws {
        try await run("add", other.address)
        try await other.run("accept", address)
        try await run("accept", other.address)
    }
}
