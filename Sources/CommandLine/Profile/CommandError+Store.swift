internal import ChatModel
internal import ChatStore
internal import Localization
internal import UserProfile

extension CommandError {
    init(profile failure: ProfileFailure) {
        switch failure {
        case .store(let error, let path): self.init(store: error, at: path)
        case .folder: self.init(.store, failure.message)
        case .accountsUnreadable, .accountsUnwritable: self.init(.failed, failure.message)
        }
    }

    /// What `body` gives; what it could not do with the profile becomes the reason why the command ends.
    static func inProfile<Result>(
        _ body: () throws(ProfileFailure) -> Result
    ) throws(CommandError) -> Result {
        do throws(ProfileFailure) {
            return try body()
        } catch {
            throw CommandError(profile: error)
        }
    }

    /// What the store could not do, as a message in the person's language.
    ///
    /// - Parameter path: the file, where it is known.
    init(store error: StoreError, at path: String? = nil) {
        let file = path ?? "chat.db"
        switch error.code {
        case .inUse, .busy:
            self.init(
                .profileInUse,
                localized(
                    "Another program has %@ open; close that one first, or use another folder with --profile.", file))
        case .tooNew:
            self.init(
                .store,
                localized(
                    "%@ was written by a newer version of this program; use that one, or another --profile.", file))
        case .invalidRequest, .invalidImport: self.init(.failed, Self.oneLine(error.description))
        case .closed: self.init(.failed, localized("Interrupted."))
        default: self.init(.store, Wording.failure(error, at: file))
        }
    }
}
