/// Why a file could not be sent or fetched.
public struct FileSharingError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Equatable {
        case noUploadService
        case tooLarge
        case quotaExceeded
        case refused
        case insecureAddress
        case transferFailed
        case wrongSize
        case wrongHash
        case notBase64
        case empty
        case unreadable
    }

    public var code: Code
    /// One sentence that says what happened and what to do.
    public var description: String

    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    static var empty: FileSharingError {
        FileSharingError(.empty, "The file is empty, so there is nothing to send.")
    }

    static var notBase64: FileSharingError {
        FileSharingError(.notBase64, "The medium inside the message is damaged: its text is not Base64.")
    }

    static var noUploadService: FileSharingError {
        FileSharingError(
            .noUploadService,
            "The server has no upload service (XEP-0363), and the file is too large to travel inside a message.")
    }

    static func tooLarge(size: UInt64, limit: UInt64) -> FileSharingError {
        FileSharingError(.tooLarge, "The file has \(size) bytes; at most \(limit) bytes can be sent this way.")
    }
}
