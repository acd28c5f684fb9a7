internal import Automation
internal import ChatStore
internal import Glibc
internal import JSONRPC
internal import Localization
internal import TerminalApp
internal import UserProfile
internal import XMPPAddress
internal import XMPPClient

extension Command {
    static let serve = Command(
        name: "serve", summary: "let programs use the accounts: JSON-RPC on standard input and output",
        options: AvailabilityOptions.options + [
            .init("socket", "only on the socket of the profile, as a service, not on standard input and output"),
            .init("mcp", "speak the Model Context Protocol, for a model; it may do only what the next options allow"),
            .init("allow", value: "ADDRESS", "the model may read and write in this conversation; can be repeated"),
            .init("read", value: "ADDRESS|all", "it may read this conversation, or all; can be repeated"),
            .init("manage", "it may change contacts, rooms and the send queue"),
            .init("files", value: "FOLDER", "it may send files from this folder"),
            .init("rate", value: "NUMBER", "it may send that many messages a minute (10)"),
            .init("log-text", "write the sent texts into the activity log, too"),
        ], usesProfile: true
    ) { invocation in
        try invocation.requireNoArguments()
        guard invocation.connection.trust != .ask, invocation.connection.passwordFile != "-" else {
            throw CommandError.usage(
                localized("serve asks nothing on the terminal, and standard input is for requests."))
        }
        let isService = invocation.options.has("socket")
        let policy = try invocation.policyOfModel()
        guard policy == nil || !isService else {
            throw CommandError.usage(
                localized("The Model Context Protocol is spoken on standard input and output only."))
        }
        let log = ActivityLog(invocation.profile)
        try await invocation.profile.withHolder { client in
            // An older program, or a short command, has no methods for programs.
            _ = try await client.call("accounts.list", .null)
            guard !isService else {
                throw CommandError(
                    .profileInUse, localized("Another program has the profile open and serves its socket already."))
            }
            if let policy {
                let service = MCPService(policy, log) { method, parameters throws(JSONRPCError) in
                    try await client.call(method, parameters)
                }
                return await StandardStreams.serve(service.methods)
            }
            guard await StandardStreams.relay(to: invocation.profile) || Task.isCancelled else {
                throw CommandError(.connection, localized("The program that has the profile open has ended."))
            }
        } orOpen: { store in
            try await serve(invocation, in: store, isService: isService) { service in
                guard let policy else { return service.methods.map(\.profileMethod) }
                return MCPService(policy, log) { method, parameters throws(JSONRPCError) in
                    try await service.call(method, parameters)
                }.methods
            }
        }
    }

    /// - Parameter streams: the methods on standard input and output.
    private static func serve(
        _ invocation: Invocation, in store: SQLiteStore, isService: Bool,
        _ streams: (AutomationService) -> [ProfileMethod]
    ) async throws {
        let accounts = try await ServedAccounts(invocation, in: store)
        let service = AutomationService(invocation.profile, store, isStarting: true) { accounts.all }
        let methods = streams(service)
        let socket = ProfileSocket(
            invocation.profile, accounts.methods + service.methods.map(\.profileMethod))
        guard socket != nil || !isService else {
            throw CommandError.failed(localized("The socket in %@ cannot be created.", invocation.profile.folder))
        }
        let system = SystemService()
        system.ready(accounts.all.map(\.address.description).joined(separator: ", "))
        let life = BackgroundTask { try await accounts.run() }
        let hasFailed = await withTaskGroup(of: Bool.self) { group in
            if !isService {
                group.addTask {
                    await StandardStreams.serve(methods)
                    return false
                }
            }
            group.addTask { await life.wait() }
            group.addTask {
                await system.watch(store)
                return false
            }
            // The first to end is the input, the last account, or this program.
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        system.stopping()
        socket?.close()
        // A stopped service resumes later, so its contacts do not see it leave.
        if ProgramSignals.first == SIGTERM { await accounts.suspend() }
        life.cancel()
        let result = await life.result
        await accounts.release()
        // Accounts that were disconnected here have not failed.
        if hasFailed { try result.get() }
    }
}

extension Invocation {
    /// What a model may do; `nil` if the client is a program.
    fileprivate func policyOfModel() throws(CommandError) -> MCPPolicy? {
        let names = ["allow", "read", "manage", "files", "rate", "log-text"]
        guard options.has("mcp") else {
            if let name = names.first(where: options.has) {
                throw .usage(localized("--%@ is for --mcp; programs may do everything.", name))
            }
            return nil
        }
        var policy = MCPPolicy()
        policy.allowed = try addresses("allow")
        policy.readsAll = options.all("read").contains("all")
        policy.readable = try addresses("read")
        policy.manages = options.has("manage")
        policy.logsText = options.has("log-text")
        if let folder = options["files"] {
            guard let path = realpath(folder, nil) else {
                throw .usage(localized("There is no folder %@.", folder))
            }
            defer { free(path) }
            policy.files = String(cString: path)
        }
        if let text = options["rate"] {
            guard let number = Int(text), (1...1000).contains(number) else {
                throw .usage(localized("“%@” is not a number of messages.", text))
            }
            policy.sendsPerMinute = number
        }
        return policy
    }

    private func addresses(_ name: String) throws(CommandError) -> Set<JID> {
        var addresses: Set<JID> = []
        for text in options.all(name) where text != "all" || name != "read" {
            guard let address = try? JID(text.trimmed), address.local != nil else {
                throw .usage(localized("“%@” is not an address; write it as user@domain.", TerminalText.harmless(text)))
            }
            addresses.insert(address)
        }
        return addresses
    }
}
