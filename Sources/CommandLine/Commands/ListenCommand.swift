internal import ChatEngine
internal import ChatStore
internal import Glibc
internal import JSONRPC
internal import Localization
internal import Synchronization
internal import TerminalApp
internal import UserProfile
internal import XMPPAddress
internal import XMPPClient

extension Command {
    static let listen = Command(
        name: "listen", summary: "stay online and print what happens, one line for each event",
        options: AvailabilityOptions.options + [
            .init("count", value: "NUMBER", "end after that many messages, pictures, voice messages and files"),
            .init(
                "fetch", value: "contacts|all|none",
                "whose pictures, voice messages and files are downloaded (contacts)"),
            .init("rooms", "join the rooms of the account, and report their messages too"),
        ], usesProfile: true
    ) { invocation in
        try invocation.requireNoArguments()
        let availability = try AvailabilityOptions(invocation.options)
        let fetching = try invocation.fetching()
        let output = LineOutput(
            try invocation.count(), isJSON: invocation.isJSON, includesRooms: invocation.options.has("rooms"))
        let profile = invocation.profile
        try await profile.withHolder { client in
            try await listen(client, output)
        } orOpen: { store in
            let signIn = try await SignIn(invocation.connection)
            let folder = try FileFolder(account: signIn.address, in: profile)
            let listener = Listener(fetching, folder: folder, joinsRooms: output.includesRooms) { output.show($0) }
            let online = try await OnlineAccount(
                signIn, in: store, profile, isLasting: true, policy: availability.policy, listener: listener)
            let shown = availability.presence
            await online.account.setPresence(OwnPresence(show: shown.show, status: shown.status))
            try await listen(online, listener, output)
        }
    }

    /// Listens through the program that uses the profile.
    private static func listen(_ client: ProfileClient, _ output: LineOutput) async throws {
        let call = Task { () -> Bool in
            try await client.call("listen", [String: String]()) { (line: ListenedLine) in output.show(line) }
        }
        let watch = Task {
            await output.waitForEnd()
            call.cancel()
        }
        defer { watch.cancel() }
        do {
            _ = try await withTaskCancellationHandler {
                try await call.value
            } onCancel: {
                call.cancel()
            }
        } catch let fault as JSONRPCError {
            if output.isOver || Task.isCancelled { return }
            throw fault
        }
    }

    @inline(never)
    private static func listen(_ online: OnlineAccount, _ listener: Listener, _ output: LineOutput) async throws {
        let system = SystemService()
        system.ready(online.account.address.description)
        let life = BackgroundTask { try await online.run() }
        await withTaskGroup(of: Void.self) { group in
            group.addTask { _ = await life.wait() }
            group.addTask { await listener.fetchFiles() }
            group.addTask { await system.watch(online.account.store) }
            group.addTask {
                await output.waitForEnd()
                // Received messages are processed completely, including their receipts.
                try? await online.account.settle()
            }
            // The first task to end is that of the session, or the one that has counted enough lines.
            await group.next()
            group.cancelAll()
        }
        system.stopping()
        // A stopped service resumes later.
        if system.isManaged, ProgramSignals.first == SIGTERM { await online.suspend() } else { life.cancel() }
        let result = await life.result
        await online.close()
        if !Task.isCancelled, !output.isOver { try result.get() }
    }
}

/// Prints lines up to a number of them.
private final class LineOutput: Sendable {
    private struct State {
        /// The remaining number of lines; `nil` is unlimited.
        var remaining: Int?
        /// The tasks that wait for the end, each with a separate stream: cancelling one ends its stream.
        var waiting: [AsyncStream<Void>.Continuation] = []
    }

    private let isJSON: Bool
    let includesRooms: Bool
    private let state: Mutex<State>

    init(_ count: Int?, isJSON: Bool, includesRooms: Bool) {
        self.isJSON = isJSON
        self.includesRooms = includesRooms
        state = Mutex(State(remaining: count))
    }

    var isOver: Bool { state.withLock { $0.remaining == 0 } }

    func show(_ line: ListenedLine) {
        if line.isInRoom == true, !includesRooms { return }
        let ended = state.withLock { state -> [AsyncStream<Void>.Continuation] in
            guard state.remaining != 0 else { return [] }
            StandardOutput.writeLine(isJSON ? line.json : line.text)
            guard line.isCounted, let number = state.remaining else { return [] }
            state.remaining = number - 1
            return number == 1 ? state.waiting : []
        }
        for waiting in ended { waiting.finish() }
    }

    /// Returns when the number is reached, or the task is cancelled.
    func waitForEnd() async {
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let isOver = state.withLock { state -> Bool in
            state.waiting.append(continuation)
            return state.remaining == 0
        }
        if isOver { continuation.finish() }
        for await _ in stream {}
    }
}

extension Invocation {
    fileprivate func fetching() throws(CommandError) -> Listener.Fetching {
        let choice = options["fetch"] ?? "contacts"
        guard let fetching = Listener.Fetching(word: choice) else {
            throw .usage(localized("“%@” is not a value of --fetch; use contacts, all or none.", choice))
        }
        return fetching
    }

    fileprivate func count() throws(CommandError) -> Int? {
        guard let text = options["count"] else { return nil }
        guard let number = Int(text), number > 0 else {
            throw .usage(localized("“%@” is not a number of messages.", text))
        }
        return number
    }
}
