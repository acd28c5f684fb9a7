public import ChatModel
public import ChatStore
public import CredentialStore
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
    /// How a damaged store was repaired, for the user.
    public func message(at path: String) -> String {
        let kept = localized(
            "%@ was damaged. What could be read was saved; the damaged file is now %@.", path, setAside)
        guard !incomplete.isEmpty else { return kept }
        return kept + " " + localized("Not all could be read of: %@", incomplete.sorted().joined(separator: ", "))
    }
}

extension Wording {
    /// Where a password was saved.
    public static func storedPassword(in store: CredentialStore) -> String {
        switch store.kind {
        case .secretService: localized("The password is stored in the keyring of the desktop.")
        case .file(let path) where store.isFallback:
            localized("No keyring is running; the password is stored in %@, which only you can read.", path)
        case .file(let path): localized("The password is stored in %@, which only you can read.", path)
        }
    }

    /// Why a password could not be saved, found or removed.
    public static func failure(_ error: CredentialError) -> String {
        switch error.code {
        case .invalidText: localized("The account or the password contains a character that cannot be stored.")
        case .timedOut: localized("The password store did not answer in time.")
        case .cancelled: localized("It was cancelled.")
        case .serviceFailed: localized("The keyring refused it.")
        case .locked: localized("The keyring is locked. Unlock it and try again.")
        case .noDataFolder: localized("There is no home folder to store the password in.")
        case .folderUnusable(let path, _): localized("The folder %@ cannot be used for passwords.", path)
        case .openToOthers(let path):
            localized(
                "Others can read %@, so it is not used; run “chmod 600” on it and change the passwords in it.", path)
        case .foreignOwner(let path): localized("%@ belongs to another user, so it is not used.", path)
        case .notAFile(let path): localized("%@ is not an ordinary file, so it is not used.", path)
        case .unreadable(let path): localized("%@ contains something other than passwords of this program.", path)
        case .fileFailed(let path, _): localized("%@ cannot be read or written.", path)
        }
    }
}
