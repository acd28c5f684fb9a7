public import ChatEngine
public import ChatStore
internal import Foundation
internal import TransportLayer
internal import Waiting
public import XMPPAddress

/// The downloads of one account: a few at a time, and one per attachment, however many views show it.
@MainActor
public final class AttachmentDownloads {
    private struct Key: Hashable {
        let message: MessageID
        let index: Int
    }

    private struct Reference { weak var download: AttachmentDownload? }

    /// The number of parallel downloads; more would only slow each other down.
    public static let parallelLimit = 3
    /// Larger files are downloaded only on request: 5 MiB.
    public static let automaticLimit: Int64 = 5 << 20

    public let fetcher: AttachmentFetcher
    /// What happens to the files of queued messages.
    let uploads: UploadProgress?
    private let now: @Sendable () -> MessageTime
    private var known: [Key: Reference] = [:]
    private var budget = DownloadBudget()
    private let places = AsyncLock(limit: parallelLimit)

    public init(
        _ fetcher: AttachmentFetcher, uploads: UploadProgress? = nil,
        now: @escaping @Sendable () -> MessageTime = { MessageTime.now }
    ) {
        self.fetcher = fetcher
        self.uploads = uploads
        self.now = now
    }

    /// The download of an attachment; the same object as long as it is retained.
    public func download(of message: MessageID, at index: Int = 0, attachment: Attachment) -> AttachmentDownload {
        let key = Key(message: message, index: index)
        if let download = known[key]?.download { return download }
        if known.count > 256 { known = known.filter { $0.value.download != nil } }
        let download = AttachmentDownload(message, index, attachment, self)
        known[key] = Reference(download: download)
        return download
    }

    /// The file, if it is on this device. What it is is known then, even if it is here because of another message.
    func find(_ download: AttachmentDownload) async -> (path: String, isNew: Bool)? {
        if let found = await fetcher.find(download.index, of: download.message) { return found }
        return await fetcher.path(of: download.attachment).map { ($0, false) }
    }

    /// Whether a file that is not here can be requested.
    func isObtainable(_ download: AttachmentDownload) async -> Bool {
        if await fetcher.isObtainable(download.index, of: download.message) { return true }
        return download.attachment.url != nil
    }

    func fetch(
        _ download: AttachmentDownload, limit: Int64, progress: @escaping HTTPClient.ProgressHandler
    ) async -> Result<(path: String, isNew: Bool), AttachmentFailure> {
        await places.lock()
        defer { places.leave() }
        guard !Task.isCancelled else {
            return .failure(AttachmentFailure(.cancelled, isTemporary: true))
        }
        download.beganFetching()
        do throws(AttachmentFailure) {
            return .success(
                try await fetcher.bring(download.index, of: download.message, limit: limit, progress: progress))
        } catch {
            return .failure(error)
        }
    }

    /// Determines the duration, without delaying the download.
    func measure(_ download: AttachmentDownload, at path: String) async {
        await fetcher.measureSound(download.index, of: download.message, at: path)
    }

    // MARK: Automatic downloads

    /// The sender whose budget an automatic download is charged to: the other side of the conversation; `nil` if the
    /// user has to start it.
    func automaticDownloadSender(of download: AttachmentDownload) async -> JID? {
        let (id, store) = (download.message, fetcher.store)
        let sender = try? await store.read { reader throws(StoreError) -> JID? in
            guard let message = try reader.message(id),
                let key = try reader.conversation(message.conversation)?.key
            else { return nil }
            if message.isOutgoing { return key.address }
            return try reader.downloadsAutomatically(in: key) ? key.address : nil
        }
        return sender ?? nil
    }

    func beginAutomatic(_ attachment: Attachment, of sender: JID) -> DownloadBudget.Download? {
        budget.begin(sender, bytes: attachment.size ?? Self.automaticLimit, now: now())
    }

    func finishedAutomatic(
        _ download: DownloadBudget.Download, _ result: Result<(path: String, isNew: Bool), AttachmentFailure>
    ) async {
        var size: Int64 = 0
        if case .success(let content) = result, content.isNew { size = await Self.size(of: content.path) }
        budget.finished(download, bytes: size)
    }

    private nonisolated static func size(of path: String) async -> Int64 {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? NSNumber)?.int64Value ?? 0
    }
}

/// Limits the automatic downloads per sender: a contact whose account was taken over must not fill the disk.
public struct DownloadBudget: Sendable {
    /// Bytes downloaded automatically per sender and hour: 200 MiB, two of the largest files.
    public static let bytesPerHour: Int64 = 200 << 20
    /// Files downloaded automatically per sender and hour: one every 30 seconds.
    public static let filesPerHour = 120
    /// The number of senders that are tracked; above it, all share one budget.
    static let senderLimit = 1024

    /// A started download, to be passed to ``finished(_:bytes:)``.
    public struct Download: Sendable {
        let sender: JID?
        let hour: Int64
        let bytes: Int64
    }

    private struct Account: Sendable {
        var files = 0
        var bytes: Int64 = 0
    }

    private var hour: Int64 = 0
    private var accounts: [JID?: Account] = [:]

    public init() {}

    /// - Parameters:
    ///   - sender: the contact or the room.
    ///   - bytes: the announced size; without one, the largest size that would be downloaded.
    /// - Returns: `nil` if it exceeds the budget of this hour.
    public mutating func begin(_ sender: JID, bytes: Int64, now: MessageTime) -> Download? {
        let current = now.millisecondsSince1970 / 3_600_000
        if current != hour { (hour, accounts) = (current, [:]) }
        let key: JID? = accounts[sender.bare] != nil || accounts.count < Self.senderLimit ? sender.bare : nil
        var account = accounts[key] ?? Account()
        let bytes = max(0, min(bytes, Self.bytesPerHour))
        guard account.files < Self.filesPerHour, account.bytes + bytes <= Self.bytesPerHour else { return nil }
        account.files += 1
        account.bytes += bytes
        accounts[key] = account
        return Download(sender: key, hour: hour, bytes: bytes)
    }

    /// - Parameter bytes: the actual size; 0 if the download failed.
    public mutating func finished(_ download: Download, bytes: Int64) {
        guard download.hour == hour, var account = accounts[download.sender] else { return }
        account.bytes += min(bytes, Self.bytesPerHour) - download.bytes
        accounts[download.sender] = account
    }
}

extension StoreReader {
    /// Whether files in a conversation are downloaded automatically: those from contacts, and in conversations and
    /// rooms in which the user has written. A download reveals this device's IP address to a host that the sender
    /// chose, and that the message has arrived.
    public func downloadsAutomatically(in key: ConversationKey) throws(StoreError) -> Bool {
        if key.kind == .direct, try contact(key.address, of: key.account) != nil { return true }
        guard let conversation = try conversation(key) else { return false }
        return try hasWritten(in: conversation)
    }
}
