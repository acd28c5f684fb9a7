public import ChatStore
public import XMPPClient

/// Uploads the content of attachments.
public protocol AttachmentUploader: Sendable {
    /// Uploads one attachment and returns its address.
    ///
    /// - Parameter progress: called from time to time with 0 to 100, on any thread.
    /// - Throws: ``AttachmentFailure``.
    func upload(
        _ attachment: Attachment, in session: Session, progress: @escaping @Sendable (Int) -> Void
    ) async throws(AttachmentFailure) -> String
}

/// Why an attachment could not be uploaded or downloaded; `Wording` has the messages.
public struct AttachmentFailure: Error, Sendable, Hashable {
    /// The raw value is written to programs and to the store (`FailureReason.condition`).
    public enum Code: String, Sendable, CaseIterable {
        case noUploadService = "no-upload"
        case uploadFailed = "upload-failed"
        case quotaExceeded = "quota-exceeded"
        case tooLarge = "too-large"
        case fileGone = "file-gone"
        case messageGone = "message-gone"
        case wrongContent = "wrong-content"
        case notStored = "not-kept"
        case notDownloaded = "not-fetched"
        case offline
        case cancelled
        /// The contact, or the contact's program, does not want it.
        case declined
        /// The contact has not answered the offer.
        case noAnswer = "no-answer"
        /// The transfer from device to device has ended before the file was complete.
        case interrupted
        /// The server does not take it, and no program of the contact receives files directly.
        case noDirectTransfers = "no-direct-transfers"
        /// The server does not take it, and sent directly it would not be encrypted, as its conversation is.
        case onlyInClear = "only-in-clear"
        /// It could not be encrypted or decrypted; ``AttachmentFailure/protection`` is the reason.
        case notProtected = "not-sealed"
    }

    public var code: Code
    /// Whether it may succeed later: the message stays in the queue.
    public var isTemporary: Bool
    /// Why it could not be encrypted or decrypted.
    public var protection: ProtectionError.Code?

    /// The value in the store: `not-sealed:` is followed by the code of the protection.
    public var condition: String { protection.map { FailureReason.notSealed + $0.rawValue } ?? code.rawValue }

    public init(_ code: Code, isTemporary: Bool = false) {
        self.code = code
        self.isTemporary = isTemporary
    }
}

/// What happens to a file of a queued message.
public enum FileSendingStep: Sendable, Hashable {
    /// It is uploaded: 0 to 100 percent.
    case uploading(Int)
    /// The server takes no such file. It goes to a device of the contact as soon as one is online.
    case awaitingContact
    /// It is offered to a device of the contact, whose user has not answered yet.
    case offered
    /// It goes to a device of the contact: 0 to 100 percent.
    case transferring(Int)

    /// How much is done, 0 to 100; `nil` while it waits.
    public var percent: Int? {
        switch self {
        case .uploading(let percent), .transferring(let percent): percent
        case .awaitingContact, .offered: nil
        }
    }
}

/// What happens to the files of an account's queued messages.
///
///     for await step in account.uploads.values(of: message, at: 0) { ring.show(step?.percent) }
public final class UploadProgress: Sendable {
    private let states = FileStates<FileSendingStep>()

    public init() {}

    /// What happens to a file; `nil` if it is not being sent.
    public func step(of message: MessageID, at index: Int) -> FileSendingStep? { states.state(of: message, at: index) }

    /// The current step and its changes until the task is cancelled; a slow observer gets the latest.
    public func values(of message: MessageID, at index: Int) -> AsyncStream<FileSendingStep?> {
        states.values(of: message, at: index)
    }

    /// - Parameter step: `nil` when the file is sent or has failed.
    func show(_ step: FileSendingStep?, of message: MessageID, at index: Int) {
        states.show(step, of: message, at: index)
    }
}
