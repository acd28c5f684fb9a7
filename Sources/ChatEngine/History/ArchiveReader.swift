internal import ChatStore
internal import MessageFeatures
internal import MessageHistory
internal import MessageSemantics
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// Reads pages of archives and stores them: what an archive may hold, what its messages mean, and which receipts are owed for them.
actor ArchiveReader {
    private let context: AccountContext
    /// How many messages archives have brought, since the program began, that they may not hold, by archive; none was stored.
    private(set) var refusedItems: [JID: Int] = [:]
    /// The archive was seen to keep what this account sends, so what it does not have was lost.
    private(set) var keepsOwn = false

    init(_ context: AccountContext) { self.context = context }

    /// Stores a page of an archive, and gives the receipts for what came by it and by no other way.
    ///
    /// - Parameters:
    ///   - query: what was asked for.
    ///   - peer: with whom it was narrowed to.
    func receive(
        _ page: MessageHistory.ArchivePage, of archive: JID, with peer: JID?, answering query: StoredArchiveQuery,
        in session: Session
    ) async throws(StoreError) {
        var step = ProtectionStep(context.recorder.protector)
        let (items, receiptsWanted) = await read(page, of: archive, &step)
        let stored = StoredArchivePage(
            archive: archive, with: peer, query: query, items: items, isComplete: page.isComplete)
        let (id, oldest) = (context.id, context.now().advanced(by: -Self.receiptAge))
        let owed = try await step.store(of: id, in: context.store) { writer throws(StoreError) in
            let owed = try Self.receiptsOwed(
                for: items.filter { receiptsWanted.contains($0.id) && $0.time > oldest }, in: writer)
            try writer.receive(stored, account: id)
            return owed
        }
        let hasOwn = items.contains { item in
            if case .message(let copy, _)? = item.content { copy.isOutgoing } else { false }
        }
        if hasOwn { context.recorder.people.wrote() }
        guard context.policy.tellsReceipts else { return }
        for receipt in owed where await session.mayLearnPresence(receipt.receiver) {
            var message = Message(to: receipt.receiver, type: .chat)
            message.append(DeliveryReceipt(messageID: receipt.id))
            _ = try? await session.send(message)
        }
    }

    /// No sender waits any more for a receipt of what is a week old, in milliseconds.
    private static let receiptAge: Int64 = 7 * 24 * 3_600_000

    /// To whom a receipt is owed for which message, of those whose senders ask for one.
    private static func receiptsOwed(
        for items: [ArchiveItem], in reader: any StoreReader
    ) throws(StoreError) -> [(receiver: JID, id: String)] {
        var owed: [(receiver: JID, id: String)] = []
        for item in items {
            // Only for texts: a retraction or a reaction is no message that was read, and whether it is new cannot be told. What could
            // not be opened was not delivered.
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

    /// What the messages of a page mean, and which of their senders ask for a receipt.
    private func read(
        _ page: MessageHistory.ArchivePage, of archive: JID, _ step: inout ProtectionStep
    ) async -> (items: [ArchiveItem], receiptsWanted: Set<String>) {
        var reader = context.recorder.reader
        var items: [ArchiveItem] = []
        var receiptsWanted: Set<String> = []
        var refused: [ArchiveAuthority.Refusal: Int] = [:]
        // In front of the first stamp that can be read stands what is not newer than it.
        var time = MessageTime(
            millisecondsSince1970: page.messages.lazy.compactMap(\.stamp).first?.millisecondsSince1970 ?? 0)
        for archived in page.messages {
            // A stamp that cannot be read stands where it stood.
            if let stamp = archived.stamp { time = MessageTime(millisecondsSince1970: stamp.millisecondsSince1970) }
            var content: ArchiveItem.Content?
            if let message = archived.message, let reason = refusal(of: message, in: archive) {
                // Its place stays, so that the page proves what it proves.
                refused[reason, default: 0] += 1
            } else if let message = archived.message {
                let arrival = MessageReader.Arrival(.archive, time: time, timeSource: .archive)
                let opened = await step.open(message, by: reader.route(of: message, arrival, archive: archive))
                reader.keptContents = await context.recorder.keepContents(of: CollectionOfOne(opened.message))
                content = reader.read(opened, arrival).first?.archived(of: context.id)
                if opened.message.payloads.contains(DeliveryReceiptRequest.name) { receiptsWanted.insert(archived.id) }
                if case .message(let copy, _)? = content, copy.isOutgoing, archive == context.address {
                    keepsOwn = true
                }
            }
            items.append(ArchiveItem(id: archived.id, time: time, content: content))
        }
        await report(refused, in: archive)
        return (items, receiptsWanted)
    }

    /// An archive can write any message in any user's name, so it is believed only about its own conversation.
    private func refusal(of message: Message, in archive: JID) -> ArchiveAuthority.Refusal? {
        let places = context.places
        return ArchiveAuthority.refusal(of: message, in: archive, account: context.address) { places[$0] != nil }
    }

    /// Reports to the log of the session, and to the person once per room archive. Our own archive may hold messages of rooms that
    /// were left; that is nothing to report to a person.
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
