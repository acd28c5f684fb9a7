internal import ChatStore
internal import MessageFeatures
internal import MessageHistory
internal import MessageSemantics
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// Reads and stores archive pages: checks what an archive may contain, parses its messages, and determines the receipts
/// to send.
actor ArchiveReader {
    private let context: AccountContext
    /// The number of messages rejected since the program started because the archive may not contain them, by archive.
    private(set) var refusedItems: [JID: Int] = [:]
    /// Whether the archive has contained an outgoing message, so that a missing one was lost.
    private(set) var keepsOwn = false

    init(_ context: AccountContext) { self.context = context }

    /// Stores a page of an archive, and sends receipts for messages that arrived only by it.
    ///
    /// - Parameters:
    ///   - query: the query of the page.
    ///   - peer: the contact to which the query was limited.
    func receive(
        _ page: MessageHistory.ArchivePage, of archive: JID, with peer: JID?, answering query: StoredArchiveQuery,
        in session: Session
    ) async throws(StoreError) {
        var step = ProtectionStep(context.recorder.protector)
        let (items, receiptsWanted) = await read(page, of: archive, &step)
        let (id, oldest) = (context.id, context.now().advanced(by: -Self.receiptAge))
        let owed = try await step.store(of: id, in: context.store) { writer throws(StoreError) in
            let owed = try Self.receiptsOwed(
                for: items.filter { receiptsWanted.contains($0.id) && $0.time > oldest }, in: writer)
            let known = try items.map { item throws(StoreError) -> ArchiveItem in
                guard case .message(let copy, let key)? = item.content, try !writer.concernsSomething(copy, in: key)
                else { return item }
                return ArchiveItem(id: item.id, time: item.time, content: nil)
            }
            let stored = StoredArchivePage(
                archive: archive, with: peer, query: query, items: known, isComplete: page.isComplete)
            try writer.receive(stored, account: id)
            return owed
        }
        let hasOwn = items.contains { item in
            if case .message(let copy, _)? = item.content { copy.isOutgoing } else { false }
        }
        if hasOwn { context.recorder.people.wrote() }
        guard context.policy.tellsReceipts else { return }
        for receipt in owed where await session.mayLearnPresence(receipt.receiver) {
            _ = try? await session.send(Message.receipt(for: receipt.id, to: receipt.receiver, type: .chat))
        }
    }

    /// In milliseconds: receipts for older messages are not useful.
    private static let receiptAge: Int64 = 7 * 24 * 3_600_000

    /// The receipts to send, for messages whose senders requested one.
    private static func receiptsOwed(
        for items: [ArchiveItem], in reader: any StoreReader
    ) throws(StoreError) -> [(receiver: JID, id: String)] {
        var owed: [(receiver: JID, id: String)] = []
        for item in items {
            // Only for texts: a retraction or a reaction is not a message that was read, and whether it is new is
            // unknown. A message that could not be opened was not delivered.
            guard case .message(let copy, let key)? = item.content, case .text = copy.content, key.kind == .direct,
                !copy.isOutgoing, !copy.protection.isNotOpened, let wireID = copy.wireID
            else { continue }
            if let conversation = try reader.conversation(key),
                try reader.message(.sent(id: wireID), in: conversation) != nil
            {
                continue
            }
            owed.append((copy.sender, wireID))
        }
        return owed
    }

    /// The meanings of the messages of a page, and which of their senders request a receipt.
    private func read(
        _ page: MessageHistory.ArchivePage, of archive: JID, _ step: inout ProtectionStep
    ) async -> (items: [ArchiveItem], receiptsWanted: Set<String>) {
        var reader = context.recorder.reader
        var items: [ArchiveItem] = []
        var receiptsWanted: Set<String> = []
        var refused: [ArchiveAuthority.Refusal: Int] = [:]
        // Items before the first valid timestamp are not newer than it.
        var time = MessageTime(
            millisecondsSince1970: page.messages.lazy.compactMap(\.stamp).first?.millisecondsSince1970 ?? 0)
        for archived in page.messages {
            // An item with an invalid timestamp gets that of the item before.
            if let stamp = archived.stamp { time = MessageTime(millisecondsSince1970: stamp.millisecondsSince1970) }
            var content: ArchiveItem.Content?
            if let message = archived.message, let reason = refusal(of: message, in: archive) {
                // It keeps its position, so that the page proves its interval.
                refused[reason, default: 0] += 1
            } else if let message = archived.message {
                let arrival = MessageReader.Arrival(.archive, time: time, timeSource: .archive)
                let opened = await step.open(message, by: reader.route(of: message, arrival, archive: archive))
                reader.keptContents = await context.recorder.keepContents(of: CollectionOfOne(opened.message))
                content = reader.read(opened, arrival).first?.archived(of: context.id)
                if opened.message.requestsReceipt { receiptsWanted.insert(archived.id) }
                if case .message(let copy, _)? = content, copy.isOutgoing, archive == context.address {
                    keepsOwn = true
                }
            }
            items.append(ArchiveItem(id: archived.id, time: time, content: content))
        }
        await report(refused, in: archive)
        return (items, receiptsWanted)
    }

    /// An archive could forge messages of any user, so it is trusted only for its own conversation.
    private func refusal(of message: Message, in archive: JID) -> ArchiveAuthority.Refusal? {
        let occupancies = context.occupancies
        return ArchiveAuthority.refusal(of: message, in: archive, account: context.address) { occupancies[$0] != nil }
    }

    /// Reports to the session's log, and once per room archive to the user. Our own archive may contain messages of
    /// rooms that were left, which is nothing to report to a user.
    private func report(_ refused: [ArchiveAuthority.Refusal: Int], in archive: JID) async {
        guard !refused.isEmpty else { return }
        if archive != context.address, refusedItems[archive] == nil {
            context.events.post(.problem(.forgedArchive(archive)))
        }
        for (reason, count) in refused.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            refusedItems[archive, default: 0] += count
            await context.session?.reportRefusal(of: count, in: archive, reason: reason.rawValue)
        }
    }
}
