internal import Foundation
internal import XMPPAddress

extension LocalStore {
    /// Rows that are read at a time, so that an export of any size needs little memory and blocks nothing for long.
    private static var exportBatch: Int { 500 }

    /// Exports everything that the user has written, read and set, as JSON lines in UTF-8 that each end with a line
    /// feed: accounts, contacts, rooms, conversations, then messages by age. All versions of a text are included. What
    /// can be requested again is not: capabilities, avatars, sessions and archive intervals. Links to encrypted files are
    /// without their keys: such a file that was not downloaded before cannot be opened after an import.
    ///
    ///     {"header":{"version":1}}
    ///     {"account":{"address":"juliet@capulet.example","isEnabled":true}}
    ///
    /// - Parameter write: called with many lines at a time.
    public func export(_ write: @Sendable ([UInt8]) async throws(StoreError) -> Void) async throws(StoreError) {
        let people = try await read { store throws(StoreError) in try Self.people(in: store) }
        try await write(people)
        var last: MessageID?
        while true {
            let start = last
            let batch = try await read { store throws(StoreError) in try Self.messages(after: start, in: store) }
            guard let end = batch.last else { break }
            try await write(batch.lines)
            last = end
        }
        try await write(try await read { store throws(StoreError) in try Self.readPositions(in: store) })
    }

    private static func storage(_ store: any StoreReader) throws(StoreError) -> any RecordStorage {
        guard let storage = store as? any RecordStorage else {
            preconditionFailure("the store passes a transaction of another module")
        }
        return storage
    }

    private static func encode(_ lines: [TransferLine]) throws(StoreError) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var bytes: [UInt8] = []
        for line in lines {
            guard let data = try? encoder.encode(line) else {
                throw StoreError(.invalidRequest, "A value in the store cannot be encoded as JSON.")
            }
            bytes += data
            bytes.append(UInt8(ascii: "\n"))
        }
        return bytes
    }

    private static func people(in store: any StoreReader) throws(StoreError) -> [UInt8] {
        var lines: [TransferLine] = [.header(version: TransferLine.version)]
        for account in try store.accounts() {
            let address = account.address
            lines.append(
                .account(address: address, isEnabled: account.isEnabled, displayName: account.displayName))
            lines += try store.contacts(of: account.id).map { .contact($0, account: address) }
            lines += try store.rooms(of: account.id).map { .room($0, account: address) }
        }
        let accounts = Dictionary(uniqueKeysWithValues: try store.accounts().map { ($0.id, $0.address) })
        for conversation in try store.conversations() {
            guard let account = accounts[conversation.key.account] else { continue }
            let key = TransferConversation(
                account: account, address: conversation.key.address, kind: conversation.key.kind)
            lines.append(.conversation(key, settings: conversation.settings))
            if let draft = conversation.draft { lines.append(.draft(key, body: draft.body, time: draft.time)) }
        }
        return try encode(lines)
    }

    private static func messages(
        after start: MessageID?, in store: any StoreReader
    ) throws(StoreError) -> (lines: [UInt8], last: MessageID?) {
        let storage = try storage(store)
        let records = try storage.allRecords(after: start, limit: exportBatch)
        var lines: [TransferLine] = []
        for record in records {
            guard let conversation = try key(of: record.conversation, in: storage) else { continue }
            let text = try storage.ownText(of: record).withoutFileKeys
            let content: MessageContent
            switch (record.kind, record.targetReference) {
            case (.correction, let target?): content = .correction(of: target, text)
            case (.retraction, let target?): content = .retraction(of: target)
            case (.reactions, let target?): content = .reactions(to: target, record.emojis)
            default: content = .text(text)
            }
            lines.append(
                .message(
                    TransferMessage(
                        conversation: conversation, sender: record.sender, occupantID: record.occupantID,
                        stay: record.stay?.rawValue, isOutgoing: record.isOutgoing, wireID: record.wireID,
                        originID: record.originID,
                        archiveReferences: try storage.archiveReferences(of: record), time: record.time,
                        timeSource: record.timeSource, orderTime: record.orderTime, orderRank: record.orderRank,
                        state: record.state, content: content, isRetracted: record.isRetracted,
                        protection: record.protection == .none ? nil : record.protection,
                        unreadable: record.unreadable.isEmpty ? nil : record.unreadable)))
        }
        return (try encode(lines), records.last?.id)
    }

    private static func readPositions(in store: any StoreReader) throws(StoreError) -> [UInt8] {
        let storage = try storage(store)
        var lines: [TransferLine] = []
        for conversation in try store.conversations() {
            guard let key = try key(of: conversation.id, in: storage),
                let message = try storage.readMessage(in: conversation.id), let record = try storage.record(message)
            else { continue }
            let names = try storage.archiveReferences(of: record).map { TargetReference.archived($0) }
            lines.append(.read(key, upTo: names + record.sentReferences))
        }
        return try encode(lines)
    }

    private static func key(
        of conversation: ConversationID, in storage: any RecordStorage
    ) throws(StoreError) -> TransferConversation? {
        guard let key = try storage.key(of: conversation), let account = try storage.address(of: key.account) else {
            return nil
        }
        return TransferConversation(account: account, address: key.address, kind: key.kind)
    }
}

/// One line of an exported store. It contains complete addresses and references, so that each line can be read alone.
enum TransferLine: Codable, Equatable {
    case header(version: Int)
    case account(address: JID, isEnabled: Bool, displayName: String?)
    case contact(StoredContact, account: JID)
    case room(StoredRoom, account: JID)
    case conversation(TransferConversation, settings: ConversationSettings)
    case message(TransferMessage)
    /// Everything up to this message was read.
    case read(TransferConversation, upTo: [TargetReference])
    case draft(TransferConversation, body: String, time: MessageTime)

    static let version = 1
}

struct TransferConversation: Codable, Hashable {
    var account: JID
    var address: JID
    var kind: ConversationKey.Kind
}

/// A message, correction, retraction or set of reactions as it was received.
struct TransferMessage: Codable, Equatable {
    var conversation: TransferConversation
    var sender: JID
    var occupantID: String?
    var stay: Int64?
    var isOutgoing: Bool
    var wireID: String?
    var originID: String?
    var archiveReferences: [ArchiveReference]
    var time: MessageTime
    var timeSource: TimeSource
    var orderTime: MessageTime
    var orderRank: Int64
    var state: MessageState
    var content: MessageContent
    /// Whether the text was retracted; the retraction itself may not be stored any more.
    var isRetracted: Bool
    /// `nil` for one that was not protected.
    var protection: MessageProtection?
    /// `nil` if all devices can decrypt it.
    var unreadable: [ProtectionError.Recipient]?
}

/// The result of an import.
public struct ImportReport: Sendable, Equatable {
    /// Messages, corrections, retractions and reactions that were new.
    public internal(set) var added = 0
    /// Those that were already stored.
    public internal(set) var known = 0
}

extension MessageText {
    fileprivate var withoutFileKeys: MessageText {
        var text = self
        text.body = body.withoutFileKeys
        for index in text.attachments.indices {
            text.attachments[index].url = text.attachments[index].url?.withoutFileKeys
        }
        return text
    }
}
