internal import XMPPAddress

/// How much others can make this device store without an action of the user. Above a limit the oldest rows are removed.
///
/// Removed messages remain in the account's archive on the server.
enum StorageLimits {
    /// Rows of one stranger: messages with their corrections and reactions. No user reads more without replying.
    static let strangerRows = 500
    /// Bytes of text and previews of one stranger: about forty thousand words.
    static let strangerBytes = 256 << 10
    /// Conversations with strangers in one account; all of them together can take 64 MiB.
    static let strangers = 256
    /// Corrections, retractions and reactions that wait for their message in one conversation: ten pages of an archive,
    /// which can bring them before their message.
    static let waitingRows = 1024
    /// Bytes of waiting text in one conversation.
    static let waitingBytes = 1 << 20

    /// Notices in one conversation: more than anybody reads, and an account with changing keys can cause them.
    static let notices = 100

    /// Counting takes time in proportion to the stored rows, so it is repeated only after this many bytes; a
    /// conversation can exceed its limit by that much.
    static let recountInterval = 64 << 10
    /// The overhead of a row in bytes.
    static let rowBytes = 256
    /// The number of conversations by which the limit of strangers can be exceeded before they are counted again.
    static let strangerRecountInterval = 16
}

/// The size of a row: the bytes of its texts and previews.
package struct RowSize: Equatable, Sendable {
    let id: MessageID
    let bytes: Int

    package init(id: MessageID, bytes: Int) {
        self.id = id
        self.bytes = bytes
    }
}

/// How much may still be added to a place before it is counted again.
package struct GrowthAllowance: Sendable {
    package enum Place: Hashable, Sendable {
        case stranger(ConversationID)
        case waiting(ConversationID)
        case strangers(AccountID)
    }

    /// The maximum number of remembered places; the others are counted again.
    private static let places = 1024

    private var left: [Place: Int] = [:]

    package init() {}

    /// `true` for the first amount that is added to a place, and again after every `interval`.
    package mutating func needsRecount(_ place: Place, adding amount: Int, every interval: Int) -> Bool {
        if let rest = left[place], rest > amount {
            left[place] = rest - amount
            return false
        }
        if left[place] == nil, left.count >= Self.places { left = [:] }
        left[place] = interval
        return true
    }
}

extension RecordStorage {
    /// Removes the oldest rows that others have caused beyond ``StorageLimits``.
    ///
    /// - Parameter record: the row that was just inserted.
    func enforceLimits(after record: MessageRecord, isWaiting: Bool, in key: ConversationKey) throws(StoreError) {
        let conversation = record.conversation
        let size = StorageLimits.rowBytes + (record.body?.utf8.count ?? 0)
        if isWaiting,
            needsRecount(.waiting(conversation), adding: size, every: StorageLimits.recountInterval)
        {
            try trim(
                rowSizes(of: conversation, onlyWaiting: true), rows: StorageLimits.waitingRows,
                bytes: StorageLimits.waitingBytes)
        }
        guard key.kind != .room, !record.isOutgoing,
            needsRecount(.stranger(conversation), adding: size, every: StorageLimits.recountInterval),
            try isStranger(conversation)
        else { return }
        try trim(
            rowSizes(of: conversation, onlyWaiting: false), rows: StorageLimits.strangerRows,
            bytes: StorageLimits.strangerBytes)
        if needsRecount(.strangers(key.account), adding: 1, every: StorageLimits.strangerRecountInterval) {
            let others = try strangers(of: key.account).filter { $0 != conversation }
            for stranger in others.dropFirst(StorageLimits.strangers - 1) { try removeConversation(stranger) }
        }
    }

    /// Removes the oldest rows above the limits, but never the newest row.
    ///
    /// - Parameter sizes: newest first.
    private func trim(_ sizes: [RowSize], rows: Int, bytes: Int) throws(StoreError) {
        var (kept, sum) = (0, 0)
        for size in sizes {
            sum += size.bytes
            guard kept == 0 || kept < rows && sum <= bytes else { break }
            kept += 1
        }
        for size in sizes.dropFirst(kept).reversed() {
            // It can have been removed together with its message.
            guard let record = try record(size.id) else { continue }
            // Without its retraction a message would be shown again, as an empty one.
            if record.kind == .retraction, let target = record.target, let retracted = try self.record(target) {
                try remove(retracted)
            } else {
                try remove(record)
            }
        }
    }
}
