internal import ChatModel
public import ChatStore
internal import Localization

/// Why a profile or the list of accounts cannot be used.
public enum ProfileFailure: Error, Sendable, Equatable {
    /// The folder cannot be created.
    case folder(String)
    /// The store at `path` cannot be opened; `inUse` if another program has it open.
    case store(StoreError, path: String)
    /// The list of accounts exists and cannot be read.
    case accountsUnreadable(String)
    case accountsUnwritable(String)

    /// The message in the user's language, without advice that applies to only one of the programs.
    public var message: String {
        switch self {
        case .folder(let path): localized("The folder %@ cannot be created.", path)
        case .accountsUnreadable(let path):
            localized("The list of accounts in %@ cannot be read; repair or remove it.", path)
        case .accountsUnwritable(let path): localized("The list of accounts cannot be written to %@.", path)
        case .store(let error, let path): Wording.failure(error, at: path)
        }
    }
}

extension SalvageReport {
    /// What was done about a damaged store, for the user.
    public func words(at path: String) -> String {
        let kept = localized(
            "%@ was damaged. What could be read was saved; the damaged file is now %@.", path, setAside)
        guard !incomplete.isEmpty else { return kept }
        return kept + " " + localized("Not all could be read of: %@", incomplete.sorted().joined(separator: ", "))
    }
}
