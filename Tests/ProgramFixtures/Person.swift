package import ServerFixtures

/// A user with an account, home folders, and the programs of this package.
package struct Person: Sendable {
    package let home: ProgramHome
    package let server: any PrivateServer
    package let account: Account

    /// A new account. Its password is not saved yet.
    package init(_ name: String, on server: PrivateProsody) async throws {
        try await self.init(name, onAny: server)
    }

    /// A user of an account that exists.
    package init(_ account: Account, on server: any PrivateServer) throws {
        self.server = server
        self.account = account
        home = try ProgramHome()
    }

    /// A new account on a server of any kind.
    package init(_ name: String, onAny server: any PrivateServer) async throws {
        self.server = server
        home = try ProgramHome()
        account = try await server.newAccount(name)
    }

    /// A user without an account.
    package init(newcomer name: String, on server: PrivateProsody) throws {
        self.server = server
        home = try ProgramHome()
        let number = String(UInt64.random(in: 0...UInt64.max), radix: 36)
        account = Account(username: "\(name)-\(number)", password: "secret \(number)", domain: server.domain)
    }

    package var address: String { account.address }

    /// The account, server and password for the command line.
    package func connection(password: String? = nil) throws -> [String] {
        let file = try home.write("password", (password ?? account.password) + "\n")
        return ["--jid", address, "--password-file", file] + place
    }

    package var place: [String] {
        ["--host", server.host, "--port", String(server.port), "--ca", server.certificates.authorityFile]
    }

    /// Runs a command of `hongyan` with this account to its end.
    ///
    /// A login turns encryption off unless it asks for some, so that tests can read what is on the wire and in archives.
    @discardableResult
    package func run(_ arguments: String..., expecting status: Int32 = 0) async throws -> Program.Result {
        let isPlain = arguments.first == "login" && !arguments.contains("--encryption")
        let words = arguments + (isPlain ? ["--encryption", "off"] : [])
        let result = try await Program("hongyan", words + connection(), home: home).result()
        guard result.status == status else {
            throw Program.Failure(description: "\(arguments): \(result.status)\n\(result.output)\(result.errors)")
        }
        return result
    }

    /// Runs `hongyan` with exactly these arguments.
    package func bare(_ arguments: [String], input: String? = nil, environment: [String: String] = [:]) async throws
        -> Program.Result
    {
        try await Program("hongyan", arguments, home: home, environment: environment, input: input).result()
    }

    package func start(_ arguments: String...) throws -> Program {
        try Program("hongyan", arguments + connection(), home: home)
    }

    /// Starts `listen` and returns when it is online.
    package func listen(_ arguments: String...) async throws -> Program {
        let program = try Program("hongyan", ["listen", "--json"] + arguments + connection(), home: home)
        try await program.waitForOutput("online") { $0.contains("\"state\":\"online\"") }
        return program
    }

    /// Starts the chat in a terminal.
    package func chat(_ arguments: String..., columns: UInt16 = 80, rows: UInt16 = 24) throws -> Program {
        try Program("hongyan", ["chat"] + arguments + connection(), home: home, size: (columns, rows))
    }

    package func befriend(_ other: Person) async throws {
        try await run("add", other.address)
        try await other.run("accept", address)
        try await run("accept", other.address)
    }
}
