/// Why a password could not be kept, found or removed.
public struct CredentialError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong; paths are absolute, reasons are the system's own words.
    public enum Code: Sendable, Equatable {
        /// The account is empty or holds U+0000, or the password holds U+0000.
        case invalidText
        /// There was no answer in time. What was asked for may still happen.
        case timedOut
        /// The calling task was cancelled. What was asked for may still happen.
        case cancelled
        /// The secret service refused.
        case serviceFailed(reason: String)
        /// The keyring is locked and the person did not unlock it.
        case locked
        /// Neither `XDG_DATA_HOME` nor `HOME` names an absolute folder.
        case noDataFolder
        /// The folder of the file cannot be made or opened, or is no folder of this user's.
        case folderUnusable(path: String, reason: String)
        /// Others than its owner may read or write the file, so what is in it is no secret any more.
        case openToOthers(path: String)
        /// The file belongs to another user.
        case foreignOwner(path: String)
        /// In the file's place is a symbolic link, a folder, a device or something else that is not followed.
        case notAFile(path: String)
        /// The file is not in the form that this program writes, or longer than it may be.
        case unreadable(path: String)
        /// The system refused to read or write the file.
        case fileFailed(path: String, reason: String)
    }

    /// What went wrong.
    public let code: Code

    public init(_ code: Code) { self.code = code }

    /// The error as a sentence for a person.
    public var description: String {
        switch code {
        case .invalidText: "The account or the password holds a character that cannot be kept."
        case .timedOut: "The place where passwords are kept did not answer in time."
        case .cancelled: "The password was no longer asked for."
        case .serviceFailed(let reason): "The secret service refused: \(reason)."
        case .locked: "The keyring is locked."
        case .noDataFolder: "There is no home folder to keep the password in."
        case .folderUnusable(let path, let reason): "The folder \(path) cannot be used for passwords: \(reason)."
        case .openToOthers(let path):
            "Others can read \(path), so it is not used; run \"chmod 600 \(path)\" and change the passwords in it."
        case .foreignOwner(let path): "\(path) belongs to another user, so it is not used."
        case .notAFile(let path): "\(path) is not an ordinary file, so it is not used."
        case .unreadable(let path): "\(path) holds something else than passwords of this program."
        case .fileFailed(let path, let reason): "\(path) cannot be read or written: \(reason)."
        }
    }
}
