internal import ChatStore
internal import MessageFeatures
internal import MessageHistory
internal import XMPPAddress
internal import XMPPClient

extension ChatAccount {
    /// Looks after messages that the server has acknowledged and nobody has confirmed: a node of a cluster that dies can lose
    /// them, or lose them on their way to the receiver. They are sent again, under the same origin-id.
    func checkDeliveries() async {
        while (try? await Task.sleep(for: policy.confirmationTime)) != nil {
            guard let session, await session.isOnline else { continue }
            await checkDeliveriesOnce(in: session)
        }
    }

    private func checkDeliveriesOnce(in session: Session) async {
        guard let doubtful = try? await doubtful() else { return }
        await sendAgain(doubtful.overtaken)
        for (key, messages) in doubtful.unarchived {
            // An archive that keeps nothing of ours proves nothing by not having it. What it says that it keeps, or what is found in it,
            // shows that it does; in the first session of an account it has perhaps nothing yet.
            let isKept = await archiveKeeps(key.address, in: session)
            if isKept == false || isKept == nil && !searched.insert(key).inserted { continue }
            guard let first = messages.map(\.time).min(), await look(for: key.address, since: first, in: session),
                isKept ?? archiveKeepsOwn
            else { continue }
            let ids = messages.map(\.id)
            let missing = try? await store.read { reader throws(StoreError) in
                var missing: [MessageID] = []
                for id in ids where try reader.message(id)?.archiveReference == nil { missing.append(id) }
                return missing
            }
            await sendAgain(missing ?? [])
        }
    }

    /// Whether the archive keeps what is said to somebody; `nil` if that is not known, so that it is found out by looking.
    private func archiveKeeps(_ peer: JID, in session: Session) async -> Bool? {
        if archiveKeepsOwn { return true }
        guard let archive = session[MessageArchive.self], let capabilities = try? await archive.capabilities(),
            capabilities.isAvailable
        else { return false }
        if archivePreferences == nil {
            do throws(ArchiveError) {
                archivePreferences = .some(try await archive.preferences())
            } catch {
                guard error.code == .notSupported || error.code == .forbidden else { return false }
                archivePreferences = .some(nil)
            }
        }
        guard let preferences = archivePreferences ?? nil else { return nil }
        return preferences.keeps(peer, isContact: keptContacts[peer.bare] != nil)
    }

    /// Each once as long as the program runs: an account whose messages nobody confirms must not send them for ever.
    private func sendAgain(_ ids: [MessageID]) async {
        guard !ids.isEmpty else { return }
        repaired.formUnion(ids)
        await keep { writer throws(StoreError) in
            for id in ids where try writer.message(id)?.state == .sentToServer { try writer.sendAgain(id) }
        }
    }

    /// Messages without a word of their receiver: those that the archive was not seen to have, and those that it has, while the
    /// receiver has confirmed a later one. Of the latter the message or its receipt was lost on the way; the same origin-id
    /// makes it no second message.
    private func doubtful() async throws(StoreError)
        -> (unarchived: [ConversationKey: [StoredMessage]], overtaken: [MessageID])
    {
        let milliseconds = Int64(policy.confirmationTime.components.seconds) * 1000
        let newest = now().advanced(by: -milliseconds)
        let (id, known) = (id, repaired)
        return try await store.read { reader throws(StoreError) in
            var unarchived: [ConversationKey: [StoredMessage]] = [:]
            var overtaken: [MessageID] = []
            let time = newest.advanced(by: -Self.repairAge)...newest
            for message in try reader.unconfirmed(of: id, sentIn: time) where !known.contains(message.id) {
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

    /// Takes in what the archive has of a conversation from a time on.
    ///
    /// - Returns: whether that was all of it.
    private func look(for peer: JID, since time: MessageTime, in session: Session) async -> Bool {
        guard let archive = session[MessageArchive.self] else { return false }
        let start = time.advanced(by: -Self.clockDifference)
        let filter = ArchiveFilter(
            with: peer, start: Timestamp(millisecondsSince1970: start.millisecondsSince1970))
        var position = MessageHistory.ArchivePosition.oldest(Self.pageSize)
        for _ in 0..<Self.maximumPages {
            do {
                let page = try await archive.page(filter: filter, page: position)
                let read = await read(page, of: address)
                let query = StoredArchiveQuery(
                    .forward, anchor: Self.cursor(of: position), isLimitedByTime: true)
                try await receive(
                    StoredArchivePage(
                        archive: address, with: peer, query: query, items: read.items, isComplete: page.isComplete),
                    asking: read.receiptsWanted, in: session)
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

    /// How much the clocks of this device and of the server may differ, in milliseconds.
    private static let clockDifference: Int64 = 3_600_000
    /// What is older was looked for often enough, in milliseconds.
    private static let repairAge: Int64 = 7 * 24 * 3_600_000
    private static let pageSize = 100
    private static let maximumPages = 20
}
