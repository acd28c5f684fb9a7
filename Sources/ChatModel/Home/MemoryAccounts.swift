public import ChatEngine
public import ChatStore
public import XMPPAddress
public import XMPPClient

/// What is kept of accounts, for as long as a program runs: for tests, and for programs that shall leave nothing behind.
public actor MemoryAccounts: AccountKeeping {
    public private(set) var kept: [JID: AccountAccess] = [:]
    public private(set) var passwords: [JID: String] = [:]

    private let media: MediaCache?

    /// - Parameter media: of all accounts; without it nothing can be sent but text.
    public init(media: MediaCache? = nil) { self.media = media }

    public func accesses() -> [AccountAccess] { kept.values.sorted { $0.address < $1.address } }
    public func save(_ access: AccountAccess) { kept[access.address] = access }
    public func remove(_ account: JID) {
        kept[account] = nil
        passwords[account] = nil
    }
    public func password(of account: JID) -> String? { passwords[account] }
    public func save(password: String, of account: JID) { passwords[account] = password }
    public func installation(of account: JID) -> Installation? { nil }
    public func openMedia(of account: JID, waiting: [QueuedMessage]) -> MediaCache? { media }
    public nonisolated func uploader(for media: MediaCache) -> any AttachmentUploader { NoUploader() }
}

private struct NoUploader: AttachmentUploader {
    func upload(
        _ attachment: Attachment, in session: Session, progress: @escaping @Sendable (Int) -> Void
    ) async throws(AttachmentFailure) -> String {
        throw AttachmentFailure(.noUploadService)
    }
}
