public import ChatStore
public import XMPPAddress

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
