internal import XMPPAddress

/// How much others can make this device store without any act of the person. What is above a limit goes, the oldest first.
///
/// What was dropped stays in the account's archive on the server.
enum StorageLimits {
    /// Rows of one stranger: messages, and the corrections and reactions of them. Nobody reads more without an answer.
    static let strangerRows = 500
    /// Bytes of text and previews of one stranger: some forty thousand words.
    static let strangerBytes = 256 << 10
    /// Conversations of strangers in one account; all of them together can hold 64 MiB.
    static let strangers = 256
    /// Corrections, retractions and reactions that wait for their message in one conversation: ten pages of an archive, which
    /// brings what is about a message before the message itself.
    static let waitingRows = 1024
    /// Bytes of text that waits in one conversation.
    static let waitingBytes = 1 << 20

    /// Counting costs as much as what is there, so it is done again only after so many bytes came: a conversation can be above its
    /// limit by that.
    static let countedEvery = 64 << 10
    /// What a row costs beside its text, in bytes.
    static let rowBytes = 256
    /// So many conversations can be above the limit of strangers before they are counted again.
    static let strangersCountedEvery = 16
}

/// One row of a conversation and the bytes of its texts and previews.
package struct RowSize: Equatable, Sendable {
    let id: MessageID
    let bytes: Int

    package init(id: MessageID, bytes: Int) {
        self.id = id
        self.bytes = bytes
    }
}

/// How much may still come to a place before what is there is counted again.
package struct GrowthAllowance: Sendable {
    enum Place: Hashable, Sendable {
        case stranger(ConversationID)
        case waiting(ConversationID)
        case strangers(AccountID)
    }

    /// So many places are remembered; one that is forgotten is counted again.
    private static let places = 1024

    private var left: [Place: Int] = [:]

    package init() {}

    /// True for the first amount that comes to a place, and again after every `interval`.
    mutating func mustCount(_ place: Place, adding amount: Int, every interval: Int) -> Bool {
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
    /// Drops the oldest of what others have made this device store beyond ``StorageLimits``.
    ///
    /// - Parameter record: the row that has just come.
    func keepLimits(after record: MessageRecord, isWaiting: Bool, in key: ConversationKey) throws(StoreError) {
        let conversation = record.conversation
        let size = StorageLimits.rowBytes + (record.body?.utf8.count ?? 0)
        if isWaiting,
            growth.mustCount(.waiting(conversation), adding: size, every: StorageLimits.countedEvery)
        {
            try trim(
                rowSizes(of: conversation, onlyWaiting: true), rows: StorageLimits.waitingRows,
                bytes: StorageLimits.waitingBytes)
        }
        guard key.kind != .room, !record.isOutgoing,
            growth.mustCount(.stranger(conversation), adding: size, every: StorageLimits.countedEvery),
            try isStranger(conversation)
        else { return }
        try trim(
            rowSizes(of: conversation, onlyWaiting: false), rows: StorageLimits.strangerRows,
            bytes: StorageLimits.strangerBytes)
        if growth.mustCount(.strangers(key.account), adding: 1, every: StorageLimits.strangersCountedEvery) {
            let others = try strangers(of: key.account).filter { $0 != conversation }
            for stranger in others.dropFirst(StorageLimits.strangers - 1) { try removeConversation(stranger) }
        }
    }

    /// Keeps the newest row in any case.
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
            // It can have gone together with its message.
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
