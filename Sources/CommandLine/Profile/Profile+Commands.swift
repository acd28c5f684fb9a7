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
    /// The timeout for a program that uses the profile and does not respond, because it starts or ends.
    private static let holderTimeout = Duration.seconds(10)
    private static let holderPause = Duration.milliseconds(50)
    /// The number of programs that may end before they have responded: as many as one program serves, because each of them
    /// may be the next one that uses the profile.
    private static let lostHolders = ProfileSocket.clientLimit

    /// Opens the store, or asks the program that has it open, so that an account has one session.
    ///
    /// - Parameters:
    ///   - ask: may be called again if the program ends before it has answered.
    ///   - body: called at most once.
    nonisolated(nonsending) func withHolder<Result>(
        _ ask: (ProfileClient) async throws -> Result, orOpen body: (SQLiteStore) async throws -> Result
    ) async throws -> Result {
        var end = ContinuousClock.now + Self.holderTimeout
        var lost = 0
        while true {
            var isOpen = false
            do {
                return try await withStore(for: .writing) { store in
                    isOpen = true
                    return try await body(store)
                }
            } catch ProfileFailure.store(let error, _) where !isOpen && error.code == .inUse && .now < end {
                // Another program uses it.
            }
            if let client = ProfileClient.connect(to: self) {
                defer { client.close() }
                do {
                    return try await ask(client)
                } catch let fault as JSONRPCError where fault == .disconnected && lost < Self.lostHolders {
                    lost += 1
                    end = .now + Self.holderTimeout
                } catch let fault as JSONRPCError where fault == .unknownMethod && .now < end {
                    // A command that runs only briefly.
                }
            }
            // There is no notification when a lock is released.
            try await Task.sleep(for: Self.holderPause)
        }
    }
}

extension Invocation {
    var profile: Profile { Profile(options) }
}
