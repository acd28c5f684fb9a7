internal import Glibc
internal import JSONRPC
internal import Localization
internal import TerminalApp
internal import UserProfile
internal import XMPPAddress
internal import XMPPClient

extension Command {
    static let load = Command(
        name: "load", synopsis: "[--compare FIRST SECOND]",
        summary: "measure a server that you operate, with many sessions",
        options: [
            .init("accounts", value: "FILE", "the accounts, one ADDRESS PASSWORD on a line"),
            .init("mix", value: "FILE", "what to do, as JSON: sessions, seconds, rate, mix, bytes"),
            .init("seed", value: "NUMBER", "the same number gives the same load"),
            .init("i-operate-this-server", "you are the operator of the server, and the accounts are yours"),
            .init("token", value: "TOKEN", "the operator has allowed this token in the host-meta file of the domain"),
            .init("compare", "compare the reports of two runs instead"),
            .init(
                "worse", value: "NUMBER", "with --compare, fail if a latency of the second is that many times as long"),
        ]
    ) { invocation in
        if invocation.options.has("compare") { return try compare(invocation) }
        try invocation.requireNoArguments()
        let (mix, accounts) = try invocation.loadSettings()
        try await invocation.requirePermission(for: accounts)
        raiseDescriptorLimit()
        let connection = invocation.connection
        let seed = try invocation.seed()
        let proxy = try connection.proxy()
        let run = LoadRun(mix, accounts, seed: seed) { account in
            var configuration = ClientConfiguration(address: account.address, password: account.password)
            configuration.host = connection.host
            configuration.port = connection.port
            if connection.usesDirectTLS { configuration.encryption = .directTLS }
            configuration.trust = connection.trustPolicy()
            configuration.proxy = proxy
            configuration.reconnection = .brief
            connection.log?.attach(to: &configuration)
            if let seconds = connection.timeout {
                configuration.loginTimeout = .seconds(seconds)
                configuration.requestTimeout = .seconds(seconds)
            }
            return configuration
        }
        let report = await run.run { step in
            switch step {
            case .loggedIn(let count): StandardOutput.report(localized("%@ accounts have logged in.", String(count)))
            case .running(let second) where second.isMultiple(of: 10):
                StandardOutput.report(localized("%@ s of %@ s", String(second), String(mix.seconds)))
            case .running: break
            }
        }
        invocation.show(report.text, json: report.json)
        guard report.online > 0 else { throw CommandError(.connection, localized("No account could log in.")) }
    }

    private static func compare(_ invocation: Invocation) throws {
        guard invocation.arguments.count == 2 else {
            throw CommandError.usage(localized("Give two reports to compare."))
        }
        let reports = try invocation.arguments.map { path in
            try LoadReport(parsing: FileFolder.read(path, limit: reportBytes))
        }
        let comparison = LoadComparison(reports[0], reports[1])
        invocation.show(comparison.text, json: comparison.json)
        guard let text = invocation.options["worse"] else { return }
        guard let limit = Double(text), limit > 0 else {
            throw CommandError.usage(localized("“%@” is not a number.", text))
        }
        if comparison.worst > limit {
            throw CommandError.failed(
                localized("A latency is %@ times as long as before.", LoadComparison.text(comparison.worst)))
        }
    }

    private static let reportBytes = 4 << 20

    /// Each session has a connection.
    private static func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}

extension Invocation {
    private static let accountBytes = 8 << 20
    private static let mixBytes = 64 << 10

    /// The mix and the accounts that it needs.
    fileprivate func loadSettings() throws -> (LoadMix, [LoadAccount]) {
        guard connection.address == nil, connection.passwordFile == nil, connection.identity == nil else {
            throw CommandError.usage(localized("The accounts of a load are those of --accounts."))
        }
        guard connection.trust != .ask else {
            throw CommandError.usage(localized("A load cannot ask about certificates."))
        }
        guard let path = options["accounts"] else {
            throw CommandError.usage(localized("Which accounts? Give --accounts."))
        }
        var mix = LoadMix()
        if let path = options["mix"] { mix = try LoadMix(parsing: FileFolder.read(path, limit: Self.mixBytes)) }
        let accounts = try LoadAccount.read(FileFolder.read(path, limit: Self.accountBytes))
        if options["mix"] == nil { mix.sessions = min(mix.sessions, accounts.count) }
        guard accounts.count >= mix.sessions, mix.sessions > 1 else {
            throw CommandError.failed(
                localized(
                    "The mix needs %@ accounts; there are %@.", String(max(2, mix.sessions)), String(accounts.count)))
        }
        return (mix, Array(accounts.prefix(mix.sessions)))
    }

    /// Refuses a load that the operator of the server has not allowed.
    fileprivate func requirePermission(for accounts: [LoadAccount]) async throws {
        let domains = Set(accounts.map(\.address.domain))
        guard domains.count == 1, let domain = domains.first else {
            throw CommandError.usage(localized("All accounts of a load are on one server."))
        }
        if options.has("i-operate-this-server") { return }
        guard let token = options["token"] else {
            throw CommandError.usage(
                localized(
                    "A load is an attack unless the operator of %@ allows it: give --i-operate-this-server, or --token.",
                    domain))
        }
        // The permission is for the servers that the domain names.
        guard connection.host == nil, connection.port == nil else {
            throw CommandError.usage(localized("With --token the server is the one that the domain names."))
        }
        try await LoadPermission.check(token, domain, connection.trustPolicy(), connection.proxy())
    }

    fileprivate func seed() throws(CommandError) -> UInt64 {
        guard let text = options["seed"] else { return UInt64.random(in: 1...999_999) }
        guard let number = UInt64(text) else { throw .usage(localized("“%@” is not a number.", text)) }
        return number
    }
}

extension LoadAccount {
    /// Reads lines with an address and a password; empty lines and those that begin with `#` are skipped.
    static func read(_ bytes: [UInt8]) throws(CommandError) -> [LoadAccount] {
        var accounts: [LoadAccount] = []
        var seen: Set<JID> = []
        let lines = String(decoding: bytes, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (number, line) in lines.enumerated() {
            let text = String(line).trimmed
            guard !text.isEmpty, !text.hasPrefix("#") else { continue }
            let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: true)
            guard parts.count == 2, let address = try? JID(String(parts[0])), address.local != nil,
                seen.insert(address.bare).inserted
            else {
                throw .failed(
                    localized("Line %@ of the accounts is not ADDRESS PASSWORD, or is there twice.", String(number + 1))
                )
            }
            accounts.append(LoadAccount(address: address.bare, password: String(parts[1]).trimmed))
        }
        return accounts
    }
}
