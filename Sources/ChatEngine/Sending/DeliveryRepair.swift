internal import ChatStore
internal import MessageFeatures
internal import MessageHistory
internal import XMPPAddress
internal import XMPPClient

/// Repairs lost messages: those that the server acknowledged but no receiver confirmed. A crashing node of a cluster
/// can lose them, or lose them on the way to the receiver. They are sent again with the same origin-id.
actor DeliveryRepair {
    private let context: AccountContext
    private let archive: ArchiveReader
    /// Messages that were sent again because the archive did not have them.
    private var repaired: Set<MessageID> = []
    /// The archive preferences that the server reported in this session; the inner `nil` if it does not report them.
    private var preferences: ArchivePreferences??
    /// Conversations for which the archive was searched in this session without knowing whether it stores them.
    private var searched: Set<ConversationKey> = []

    /// The maximum difference between the clocks of this device and the server, in milliseconds.
    private static let clockDifference: Int64 = 3_600_000
    /// The maximum age of messages to repair, in milliseconds; older ones were checked often enough.
    private static let repairAge: Int64 = 7 * 24 * 3_600_000
    private static let pageSize = 100
    private static let maximumPages = 20

    init(_ context: AccountContext, archive: ArchiveReader) {
        self.context = context
        self.archive = archive
    }

    func run(in session: Session) async {
        preferences = nil
        searched = []
        while (try? await Task.sleep(for: context.policy.confirmationTime)) != nil {
            if await session.isOnline { await check(in: session) }
        }
    }

    private func check(in session: Session) async {
        guard let doubtful = try? await doubtful() else { return }
        await sendAgain(doubtful.overtaken)
        for (key, messages) in doubtful.unarchived {
            // A missing message only proves a loss if the archive stores our messages. Its preferences, or a message of
            // ours in it, show that it does; in the first session of an account it may still be empty.
            let isKept = await archiveKeeps(key.address, in: session)
            if isKept == false || isKept == nil && !searched.insert(key).inserted { continue }
            guard let first = messages.map(\.time).min(), await look(for: key.address, since: first, in: session)
            else { continue }
            if isKept == nil, await !archive.keepsOwn { continue }
            let ids = messages.map(\.id)
            let missing = try? await context.store.read { reader throws(StoreError) in
                var missing: [MessageID] = []
                for id in ids where try reader.message(id)?.archiveReference == nil { missing.append(id) }
                return missing
            }
            await sendAgain(missing ?? [])
        }
    }

    /// Whether the archive stores messages to a contact; `nil` if that is unknown, and has to be determined by a query.
    private func archiveKeeps(_ peer: JID, in session: Session) async -> Bool? {
        if await archive.keepsOwn { return true }
        guard let source = session[MessageArchive.self], let capabilities = try? await source.capabilities(),
            capabilities.isAvailable
        else { return false }
        if preferences == nil {
            do throws(ArchiveError) {
                preferences = .some(try await source.preferences())
            } catch {
                guard error.code == .notSupported || error.code == .forbidden else { return false }
                preferences = .some(nil)
            }
        }
        guard let known = preferences ?? nil else { return nil }
        return known.keeps(peer, isContact: context.recorder.people.subscription(of: peer) != nil)
    }

    /// Each message is sent again only once while the program runs: an account whose messages are never confirmed must
    /// not send them endlessly.
    private func sendAgain(_ ids: [MessageID]) async {
        guard !ids.isEmpty else { return }
        repaired.formUnion(ids)
        await context.save { writer throws(StoreError) in
            for id in ids where try writer.message(id)?.state == .sentToServer { try writer.sendAgain(id) }
        }
    }

    /// Messages without a receipt: those that were not found in the archive, and those in the archive whose receiver
    /// confirmed a later message. Of the latter, the message or its receipt was lost. Because of the same origin-id,
    /// the receiver recognises it as the same message.
    private func doubtful() async throws(StoreError)
        -> (unarchived: [ConversationKey: [StoredMessage]], overtaken: [MessageID])
    {
        let milliseconds = Int64(context.policy.confirmationTime.components.seconds) * 1000
        let newest = context.now().advanced(by: -milliseconds)
        let (id, known) = (context.id, repaired)
        return try await context.store.read { reader throws(StoreError) in
            var unarchived: [ConversationKey: [StoredMessage]] = [:]
            var overtaken: [MessageID] = []
            let time = newest.advanced(by: -Self.repairAge)...newest
            for message in try reader.unconfirmed(of: id, sentIn: time) where !known.contains(message.id) {
                // Of a message of another device that could not be decrypted, only that device has the content.
                guard !message.protection.isNotOpened else { continue }
                guard let key = try reader.conversation(message.conversation)?.key, key.kind == .direct else {
                    continue
                }
                if message.archiveReference == nil {
                    unarchived[key, default: []].append(message)
                } else {
                    let later = try reader.timeline(
                        of: message.conversation, .after(message.position), limit: Self.pageSize)
                    if later.contains(where: { $0.isOutgoing && $0.state == .delivered }) {
                        overtaken.append(message.id)
                    }
                }
            }
            return (unarchived, overtaken)
        }
    }

    /// Loads a conversation from the archive, from a time on.
    ///
    /// - Returns: whether all of it was loaded.
    private func look(for peer: JID, since time: MessageTime, in session: Session) async -> Bool {
        guard let source = session[MessageArchive.self] else { return false }
        let (address, start) = (context.address, time.advanced(by: -Self.clockDifference))
        let filter = ArchiveFilter(
            with: peer, start: Timestamp(millisecondsSince1970: start.millisecondsSince1970))
        var position = MessageHistory.ArchivePosition.oldest(Self.pageSize)
        for _ in 0..<Self.maximumPages {
            do {
                let page = try await source.page(filter: filter, page: position)
                let query = StoredArchiveQuery(
                    .forward, anchor: Self.cursor(of: position), isLimitedByTime: true)
                try await archive.receive(page, of: address, with: peer, answering: query, in: session)
                if page.isComplete { return true }
                guard let newest = page.newestID else { return false }
                position = .after(newest, Self.pageSize)
            } catch {
                return false
            }
        }
        return false
    }

    private static func cursor(of position: MessageHistory.ArchivePosition) -> String? {
        if case .after(let id, _) = position { id } else { nil }
    }
}
