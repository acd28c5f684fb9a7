internal import MessagePayloads
internal import TransportLayer
internal import XMLStreaming
internal import XMPPClient

/// Why a file could not be sent or downloaded.
public struct FileSharingError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Code: Sendable, Hashable, CaseIterable {
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
    /// What happened and what to do, in English.
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

    /// Converts the failure of a request or a message, including the errors of an upload service (XEP-0363 §7).
    init(_ error: ClientError, size: UInt64 = 0) {
        guard let refusal = error.stanzaError else {
            self.init(.transferFailed, error.description)
            return
        }
        if let detail = refusal.applicationCondition, detail.isNamed(Self.tooLargeName) {
            let limit = detail.firstChild(Self.limitName).flatMap { UInt64($0.text) } ?? 0
            self = .tooLarge(size: size, limit: limit)
        } else if refusal.condition == .resourceConstraint {
            self.init(.quotaExceeded, "The server accepts no more files from this account for now; try again later.")
        } else {
            self.init(.refused, "The server refused the file: \(error.description)")
        }
    }

    /// Converts the failure of a file inside a message.
    init(_ error: FileOfferError) {
        self =
            switch error {
            case .empty: .empty
            case .notBase64: .notBase64
            case .tooLarge(let size, let limit): .tooLarge(size: size, limit: limit)
            }
    }

    /// Converts the failure of a transfer.
    init(_ error: TransportError) {
        self.init(error.code == .tooLarge ? .tooLarge : .transferFailed, error.description)
    }

    private static let tooLargeName = XMLName("file-too-large", UploadSlotRequest.name.namespace)
    private static let limitName = XMLName("max-file-size", UploadSlotRequest.name.namespace)
}
