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

extension Invocation {
    var profile: Profile { Profile(options) }
}
