/// Why a password could not be stored, read or removed.
public struct CredentialError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error. Paths are absolute, reasons are texts of the system.
    public enum Code: Sendable, Equatable {
        /// The account is empty or contains U+0000, or the password contains U+0000.
        case invalidText
        /// The timeout expired. The operation may still complete.
        case timedOut
        /// The calling task was cancelled. The operation may still complete.
        case cancelled
        /// The secret service refused.
        case serviceFailed(reason: String)
        /// The keyring is locked and the user did not unlock it.
        case locked
        /// Neither `XDG_DATA_HOME` nor `HOME` names an absolute path.
        case noDataFolder
        /// The folder of the file cannot be created or opened, or belongs to another user.
        case folderUnusable(path: String, reason: String)
        /// Users other than its owner may read or write the file, so its content may no longer be secret.
        case openToOthers(path: String)
        /// The file belongs to another user.
        case foreignOwner(path: String)
        /// At the path is a symbolic link, a folder, a device or something else that is not followed.
        case notAFile(path: String)
        /// The file does not have the format that this program writes, or is too long.
        case unreadable(path: String)
        /// The system refused to read or write the file.
        case fileFailed(path: String, reason: String)
    }

    /// The kind of error.
    public let code: Code

    public init(_ code: Code) { self.code = code }

    /// A description in English.
    public var description: String {
        switch code {
        case .invalidText: "The account or the password contains a character that cannot be stored."
        case .timedOut: "The password store did not respond in time."
        case .cancelled: "The request for the password was cancelled."
        case .serviceFailed(let reason): "The secret service refused: \(reason)."
        case .locked: "The keyring is locked."
        case .noDataFolder: "There is no home folder for the password file."
        case .folderUnusable(let path, let reason): "The folder \(path) cannot be used for passwords: \(reason)."
        case .openToOthers(let path):
            "Others can read \(path), so it is not used; run \"chmod 600 \(path)\" and change the passwords in it."
        case .foreignOwner(let path): "\(path) belongs to another user, so it is not used."
        case .notAFile(let path): "\(path) is not a regular file, so it is not used."
        case .unreadable(let path): "\(path) contains something other than passwords of this program."
        case .fileFailed(let path, let reason): "\(path) cannot be read or written: \(reason)."
        }
    }
}
