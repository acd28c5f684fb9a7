internal import ChatStore
internal import TerminalApp
internal import UserProfile

extension Profile {
    static let option = OptionParser.Option(
        "profile", value: "FOLDER", "use this folder for conversations instead of the default")

    init(_ options: OptionParser.Result) {
        self.init(folder: options["profile"])
    }

    /// Opens the store for as long as `body` runs.
    ///
    /// - Throws: ``CommandError`` with ``ExitStatus/profileInUse`` where another program has it open, and with
    ///   ``ExitStatus/store`` where it cannot serve.
    nonisolated(nonsending) func withStore<Result>(
        for access: Access, _ body: (SQLiteStore) async throws -> Result
    ) async throws -> Result {
        let store = try await open(for: access)
        if let salvage = store.report.salvage { StandardOutput.report(salvage.words(at: storePath)) }
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
    /// How long to wait for a program that has the profile open and does not answer, because it begins or ends.
    private static let holderTimeout = Duration.seconds(10)
    private static let holderPause = Duration.milliseconds(50)
    /// How many programs may end before they have answered: as many as one program serves, for each of those may come for one thing
    /// and have the profile open next.
    private static let lostHolders = ProfileSocket.clientLimit

    /// Opens the store, or asks the program that has it open, so that an account has one session.
    ///
    /// - Parameters:
    ///   - ask: may be called again if the program ends before it has answered.
    ///   - body: is called at most once.
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
                // Another program has it.
            }
            if let client = ProfileClient.connect(to: self) {
                defer { client.close() }
                do {
                    return try await ask(client)
                } catch let fault as ProfileFault where fault == .disconnected && lost < Self.lostHolders {
                    lost += 1
                    end = .now + Self.holderTimeout
                } catch let fault as ProfileFault where fault == .unknownMethod && .now < end {
                    // A command that is there for a moment only.
                }
            }
            // Nothing tells when a lock is free.
            try await Task.sleep(for: Self.holderPause)
        }
    }
}

extension Invocation {
    var profile: Profile { Profile(options) }
}
