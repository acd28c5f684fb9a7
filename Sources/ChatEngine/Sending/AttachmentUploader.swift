public import ChatStore
public import XMPPClient

/// Brings the content of attachments to where others can fetch it.
public protocol AttachmentUploader: Sendable {
    /// Uploads one attachment and returns its address.
    ///
    /// - Parameter progress: called now and then with 0 to 100, from any thread.
    /// - Throws: ``AttachmentFailure``.
    func upload(
        _ attachment: Attachment, in session: Session, progress: @escaping @Sendable (Int) -> Void
    ) async throws(AttachmentFailure) -> String
}

/// Why an attachment could not be uploaded or downloaded: `Wording` has the sentences.
public struct AttachmentFailure: Error, Sendable, Hashable {
    /// The word is what programs read and the store keeps (`FailureReason.condition`).
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
        /// It could not be sealed or opened; ``AttachmentFailure/protection`` says why.
        case notProtected = "not-sealed"
    }

    public var code: Code
    /// It may work later: the message stays in the queue.
    public var isTemporary: Bool
    /// Why it could not be sealed or opened.
    public var protection: ProtectionError.Code?

    /// The word that the store keeps of it: `not-sealed:` is followed by the code of the protection.
    public var condition: String { protection.map { FailureReason.notSealed + $0.rawValue } ?? code.rawValue }

    public init(_ code: Code, isTemporary: Bool = false) {
        self.code = code
        self.isTemporary = isTemporary
    }
}
