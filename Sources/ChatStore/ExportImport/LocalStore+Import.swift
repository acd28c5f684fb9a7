internal import Foundation
internal import XMPPAddress

extension LocalStore {
    /// Lines that are imported in one transaction.
    private static var importBatch: Int { 500 }

    /// Imports lines of ``export(_:)`` into the store; a message that is already stored is not added again.
    ///
    /// Nothing is sent: messages that were waiting to be sent are imported as not sent. Lines before an invalid line
    /// are imported; the import can be repeated.
    ///
    /// - Throws: `invalidImport` with the number of the line.
    public func importLines(_ lines: some AsyncSequence<String, any Error> & Sendable) async throws(StoreError)
        -> ImportReport
    {
        var report = ImportReport()
        var batch: [TransferLine] = []
        var number = 0
        do {
            for try await line in lines {
                number += 1
                if line.isEmpty { continue }
                batch.append(try Self.decode(line, number: number))
                if batch.count == Self.importBatch {
                    try await take(batch, into: &report)
                    batch = []
                }
            }
        } catch let error as StoreError {
            // Valid lines before it are imported.
            try await take(batch, into: &report)
            throw error
        } catch {
            try await take(batch, into: &report)
            throw StoreError(.system, "Reading the lines to import failed: \(error).")
        }
        try await take(batch, into: &report)
        return report
    }

    private static func decode(_ line: String, number: Int) throws(StoreError) -> TransferLine {
        guard let decoded = try? JSONDecoder().decode(TransferLine.self, from: Data(line.utf8)) else {
            throw StoreError(.invalidImport, "Line \(number) of the import cannot be decoded.")
        }
        if case .header(let version) = decoded, version > TransferLine.version {
            throw StoreError(.tooNew, "The import was written by a newer version of this program.")
        }
        return decoded
    }

    private func take(_ batch: [TransferLine], into report: inout ImportReport) async throws(StoreError) {
        guard !batch.isEmpty else { return }
        let added = try await write { store throws(StoreError) in
            guard let storage = store as? any RecordStorage else {
                preconditionFailure("the store passes a transaction of another module")
            }
            var report = ImportReport()
            for line in batch { try storage.take(line, into: &report) }
            return report
        }
        report.added += added.added
        report.known += added.known
    }
}

extension RecordStorage {
    func take(_ line: TransferLine, into report: inout ImportReport) throws(StoreError) {
        switch line {
        case .header: break
        case .account(let address, let isEnabled, let displayName):
            let isNew = try account(address) == nil
            let id = try addAccount(address)
            // Settings of this device are not changed by an import.
            if isNew, var account = try accounts().first(where: { $0.id == id }) {
                account.isEnabled = isEnabled
                account.displayName = displayName
                try update(account)
            }
        case .contact(let contact, let address):
            let account = try addAccount(address)
            if try !contacts(of: account).contains(where: { $0.address == contact.address }) {
                try save(contact, of: account)
            }
        case .room(let room, let address):
            let account = try addAccount(address)
            if try !rooms(of: account).contains(where: { $0.address == room.address }) { try save(room, of: account) }
        case .conversation(let transfer, let settings):
            let key = try key(of: transfer)
            if try conversation(key) == nil { try update(settings, of: openConversation(key)) }
        case .draft(let transfer, let body, let time):
            let conversation = try openConversation(key(of: transfer))
            if try draft(in: conversation) == nil {
                try saveDraft(Draft(body: body, time: time), in: conversation)
            }
        case .read(let transfer, let references):
            let conversation = try openConversation(key(of: transfer))
            let account = try requireKey(of: conversation).account
            for reference in references {
                let known = try records(for: reference, in: conversation, account: account)
                if let message = known.first(where: { $0.kind == .text && $0.conversation == conversation }) {
                    return try markRead(upTo: message.id)
                }
            }
        case .message(let message): try take(message, into: &report)
        }
    }

    private func key(of transfer: TransferConversation) throws(StoreError) -> ConversationKey {
        ConversationKey(account: try addAccount(transfer.account), address: transfer.address, kind: transfer.kind)
    }

    private func take(_ message: TransferMessage, into report: inout ImportReport) throws(StoreError) {
        let key = try key(of: message.conversation)
        let conversation = try openConversation(key)
        var copy = MessageCopy(
            route: .archive, sender: message.sender, occupantID: message.occupantID,
            stay: message.stay.map { OccupantStay(rawValue: $0) }, isOutgoing: message.isOutgoing,
            wireID: message.wireID, originID: message.originID, archiveReferences: message.archiveReferences,
            time: message.time, timeSource: message.timeSource, content: message.content,
            protection: message.protection ?? .none)
        try dropForeignArchiveReferences(&copy, key: key, conversation: conversation)
        if try find(copy, key: key, conversation: conversation) != nil {
            report.known += 1
            return
        }
        report.added += 1
        copy = copy.withoutUnprovedCorrection(in: key.kind)
        var record = Self.record(of: copy, conversation: conversation)
        record.orderTime = message.orderTime
        record.unreadable = message.unreadable ?? []
        record.orderRank = message.orderRank
        record.state =
            message.state.isUnsent
            ? .failed(FailureReason(.notSent, condition: "imported")) : message.state
        if message.isRetracted { record = record.erased }
        let attachments = message.isRetracted ? [] : message.content.text?.attachments ?? []
        record.take(attachments)
        try noteOrderTime(record.orderTime, in: conversation)
        record.id = try insert(record)
        if record.hasAttachments { try save(attachments, of: record.id) }
        for name in message.archiveReferences.dropFirst() { try add(name, to: record) }
        if let text = try searchText(of: record) { try searchTextChanged(of: record, from: nil, to: text) }
        _ = try settle(record, names: message.archiveReferences, key: key)
    }
}
