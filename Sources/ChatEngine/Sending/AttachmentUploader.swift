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

/// Why an attachment could not be uploaded.
public struct AttachmentFailure: Error, Sendable, Hashable {
    /// It may work later: the message stays in the queue.
    public var isTemporary: Bool
    /// A word for programs, such as `file-gone` or `too-large`.
    public var condition: String
    /// A sentence for a person.
    public var text: String

    public init(isTemporary: Bool, condition: String, text: String) {
        self.isTemporary = isTemporary
        self.condition = condition
        self.text = text
    }
}
