public import ChatModel
public import CredentialStore
internal import Localization

extension Wording {
    /// Why a password could not be kept, found or removed.
    public static func failure(_ error: CredentialError) -> String {
        switch error.code {
        case .invalidText: localized("The account or the password holds a character that cannot be kept.")
        case .timedOut: localized("The place where passwords are kept did not answer in time.")
        case .cancelled: localized("It was cancelled.")
        case .serviceFailed: localized("The keyring refused it.")
        case .locked: localized("The keyring is locked. Unlock it and try again.")
        case .noDataFolder: localized("There is no home folder to keep the password in.")
        case .folderUnusable(let path, _): localized("The folder %@ cannot be used for passwords.", path)
        case .openToOthers(let path):
            localized(
                "Others can read %@, so it is not used; run “chmod 600” on it and change the passwords in it.", path)
        case .foreignOwner(let path): localized("%@ belongs to another user, so it is not used.", path)
        case .notAFile(let path): localized("%@ is not an ordinary file, so it is not used.", path)
        case .unreadable(let path): localized("%@ holds something else than passwords of this program.", path)
        case .fileFailed(let path, _): localized("%@ cannot be read or written.", path)
        }
    }
}
