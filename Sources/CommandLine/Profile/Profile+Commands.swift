internal import ChatStore
internal import JSONRPC
internal import TerminalApp
internal import UserProfile

extension Profile {
    static let option = OptionParser.Option(
        "profile", value: "FOLDER", "use this folder for conversations instead of the default")

    init(_ options: OptionParser.Result) {
        self.init(folder: options["profile"])
    }

    /// Opens the store while `body` runs.
    ///
    /// - Throws: ``CommandError`` with ``ExitStatus/profileInUse`` if another program has it open, and with
    ///   ``ExitStatus/store`` if it cannot be used.
    nonisolated(nonsending) func withStore<Result>(
        for access: Access, _ body: (SQLiteStore) async throws -> Result
    ) async throws -> Result {
        let store = try await open(for: access)
        if let salvage = store.report.salvage { StandardOutput.report(salvage.message(at: storePath)) }
        do {
            let result = try await body(store)
            await store.close()
            return result
        } catch {
            await store.close()
            throw error
        }
    }
}

extension Profile {
    private static let holderPause = Duration.milliseconds(50)

    /// Opens the store, or asks the program that has it open, so that an account has one session.
    ///
    /// - Parameters:
    ///   - ask: may be called again if the program ends before it has answered.
    ///   - body: called at most once.
    nonisolated(nonsending) func withHolder<Result>(
        _ ask: (ProfileClient) async throws -> Result, orOpen body: (SQLiteStore) async throws -> Result
    ) async throws -> Result {
        var wait = HolderWait(now: .now)
        while true {
            var isOpen = false
            do {
                return try await withStore(for: .writing) { store in
                    isOpen = true
                    return try await body(store)
                }
            } catch ProfileFailure.store(let error, let path) where !isOpen && error.code == .inUse {
                guard wait.mayContinue(for: SQLiteStore.holder(of: path), now: .now) else {
                    throw ProfileFailure.store(error, path: path)
                }
            }
            if let client = ProfileClient.connect(to: self) {
                defer { client.close() }
                do {
                    return try await ask(client)
                } catch let fault as JSONRPCError where fault == .disconnected && wait.mayContinueAfterEnd(now: .now) {
                    // The next one answers, or this program opens the store.
                } catch let fault as JSONRPCError where fault == .unknownMethod && wait.mayContinue(now: .now) {
                    // A command that runs only briefly.
                }
            }
            // There is no notification when a lock is released.
            try await Task.sleep(for: Self.holderPause)
        }
    }
}

/// How long a program waits for those that use the profile before it: each of them has the whole time.
struct HolderWait {
    /// The timeout for a program that uses the profile and does not respond, because it starts or ends. On a busy computer
    /// both take seconds.
    static let timeout = Duration.seconds(10)
    /// The number of programs that may end before they have responded: as many as one program serves, because each of them
    /// may be the next one that uses the profile.
    static let lostLimit = ProfileSocket.clientLimit
    /// The number of holders that each have the whole time: each program that waits here can hold the profile once, and each of them can
    /// be started again. Without a limit, programs that take turns would keep this one waiting for ever.
    static let holderLimit = 2 * lostLimit

    private var holder: Int32?
    private var changes = 0
    private var end: ContinuousClock.Instant
    private var lost = 0

    init(now: ContinuousClock.Instant) { end = now + Self.timeout }

    /// Whether the program may wait for the one that has the store open, by the number of its process.
    mutating func mayContinue(for next: Int32?, now: ContinuousClock.Instant) -> Bool {
        if let next, next != holder, changes < Self.holderLimit {
            if holder != nil { changes += 1 }
            holder = next
            end = now + Self.timeout
        }
        return mayContinue(now: now)
    }

    func mayContinue(now: ContinuousClock.Instant) -> Bool { now < end }

    /// Whether the program may go on after a program that it has asked has ended without an answer.
    mutating func mayContinueAfterEnd(now: ContinuousClock.Instant) -> Bool {
        guard lost < Self.lostLimit else { return false }
        lost += 1
        end = now + Self.timeout
        return true
    }
}

extension Invocation {
    var profile: Profile { Profile(options) }
}
