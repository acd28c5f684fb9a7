public import ChatStore
public import XMPPAddress

/// How much was downloaded without a question, by who sent it: a contact whose account was taken over must not fill the disk.
public struct DownloadBudget: Sendable {
    /// How many bytes of one sender are downloaded in an hour without a question: 200 MiB, two of the largest files.
    public static let bytesPerHour: Int64 = 200 << 20
    /// How many files of one sender are downloaded in an hour without a question: one each half minute.
    public static let filesPerHour = 120
    /// Of how many senders this is remembered; above it, that of all of them counts as one's.
    static let senderLimit = 1024

    /// What was begun. Give it to ``finished(_:bytes:)``.
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
    ///   - sender: the person, or the room.
    ///   - bytes: as announced; where nothing was, the most that would be downloaded.
    /// - Returns: `nil` if the budget of this hour does not allow it.
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

    /// - Parameter bytes: how many there were; 0 for a download that failed.
    public mutating func finished(_ download: Download, bytes: Int64) {
        guard download.hour == hour, var account = accounts[download.sender] else { return }
        account.bytes += min(bytes, Self.bytesPerHour) - download.bytes
        accounts[download.sender] = account
    }
}

extension StoreReader {
    /// Whether files in a conversation are downloaded without a question: those of contacts, and of conversations and rooms
    /// in which the person has written. A download tells the host that the sender has chosen the address of this device,
    /// and that the message has arrived.
    public func downloadsUnasked(in key: ConversationKey) throws(StoreError) -> Bool {
        if key.kind == .direct, try contact(key.address, of: key.account) != nil { return true }
        guard let conversation = try conversation(key) else { return false }
        return try hasWritten(in: conversation)
    }
}
