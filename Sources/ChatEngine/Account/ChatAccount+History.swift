public import ChatStore
internal import MessageFeatures
internal import MessageHistory
internal import MessageSemantics
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

extension ChatAccount {
    // MARK: Wishes

    /// What is in front of the person, or `nil` for nothing: its history comes before that of the others.
    public func opened(_ key: ConversationKey?) {
        guard let key else { return sync.closed() }
        let place = historyPlace(of: key)
        proceed(sync.opened(archive: place.archive, peer: place.peer, now: .now))
    }

    /// Fetches one page of what was said before the oldest message that is here.
    public func loadOlder(in key: ConversationKey) async -> OlderHistory {
        guard let session, await session.isOnline else { return .notNow }
        let place = historyPlace(of: key)
        let anchor: String?
        do throws(StoreError) {
            guard let oldest = try await oldest(in: key, of: place.archive) else { return .nothingMore }
            anchor = oldest.id
        } catch {
            return .notNow
        }
        let request = HistoryRequest(
            archive: place.archive, with: place.peer, query: .init(.backward, anchor: anchor), purpose: .older,
            limit: policy.history.pageSize)
        return await withCheckedContinuation { continuation in
            olderWaiters[request, default: []].append(continuation)
            proceed(sync.olderWanted(archive: place.archive, peer: place.peer, before: anchor, now: .now))
        }
    }

    private func historyPlace(of key: ConversationKey) -> (archive: JID, peer: JID?) {
        switch key.kind {
        case .direct: (address, key.address)
        case .occupant: (address, key.address.bare)
        case .room: (key.address, nil)
        }
    }

    /// The archive's name for the oldest message that is here; the outer `nil` where the whole archive is here.
    private func oldest(
        in key: ConversationKey, of archive: JID
    ) async throws(StoreError) -> (id: String?, ())? {
        let id = id
        return try await store.read { reader throws(StoreError) -> (id: String?, ())? in
            let intervals = try reader.archiveIntervals(of: archive, with: nil, account: id)
            if intervals.count == 1, intervals[0].reachesStart { return nil }
            guard let conversation = try reader.conversation(key) else { return (nil, ()) }
            let beginning = TimelinePosition.start(of: MessageTime(millisecondsSince1970: .min))
            let first = try reader.timeline(of: conversation, .after(beginning), limit: Self.oldestSearched)
            return (first.lazy.compactMap(\.archiveReference).first { $0.archive == archive }?.id, ())
        }
    }

    /// Messages that were never in the archive may stand before the first that was.
    private static let oldestSearched = 50

    // MARK: The session

    func beginHistory(isResumed: Bool) async {
        beginnings += 1
        if !isResumed { isHistoryOwed = true }
        let gaps = await knownGaps(of: address, with: nil)
        proceed(sync.sessionBegan(isResumed: !isHistoryOwed, gaps: gaps, now: .now))
    }

    /// Asks one page after the other, as the machine says.
    func fetchHistory(_ actions: AsyncStream<HistorySync.Action>, in session: Session) async {
        await withDiscardingTaskGroup { group in
            for await action in actions {
                switch action {
                case .none: break
                case .ask(let request):
                    if request.archive == address, request.purpose == .newest {
                        group.addTask { await self.askWhatArchiveCanDo(in: session) }
                    }
                    await ask(request, in: session)
                case .forget(let archive, let request):
                    let id = id
                    await keep { writer throws(StoreError) in
                        try writer.forgetIntervals(of: archive, account: id)
                    }
                    await ask(request, in: session)
                case .wait(let time):
                    group.addTask {
                        try? await Task.sleep(until: time, clock: .continuous)
                        await self.historyTimeCame()
                    }
                }
            }
            group.cancelAll()
        }
    }

    func proceed(_ action: HistorySync.Action) {
        historyActions?.yield(action)
        for request in olderWaiters.keys where !sync.isWaiting(for: request) { settle(request, .notNow) }
    }

    private func historyTimeCame() {
        proceed(sync.deadlinePassed(now: .now))
    }

    func settleOlder(with result: OlderHistory) {
        for request in olderWaiters.keys { settle(request, result) }
    }

    private func settle(_ request: HistoryRequest, _ result: OlderHistory) {
        for waiter in olderWaiters.removeValue(forKey: request) ?? [] { waiter.resume(returning: result) }
    }

    // MARK: One page

    private func ask(_ request: HistoryRequest, in session: Session) async {
        do throws(HistoryFailure) {
            let page = try await page(request, in: session)
            do throws(StoreError) {
                try await receive(page.stored, asking: page.receiptsWanted, in: session)
            } catch {
                channel.post(.problem(error.description))
                throw .temporary
            }
            let gaps = await knownGaps(of: request.archive, with: nil)
            let action = sync.answered(request, gaps: gaps, now: .now)
            settle(request, page.stored.isComplete && page.stored.items.isEmpty ? .nothingMore : .arrived)
            await pageCame(for: request)
            proceed(action)
        } catch {
            let action = sync.failed(request, error, now: .now)
            if error == .refused { await pageCame(for: request) }
            proceed(action)
        }
    }

    func knownGaps(of archive: JID, with peer: JID?) async -> [ArchiveGap] {
        let id = id
        return
            (try? await store.read { reader throws(StoreError) in
                try reader.archiveGaps(of: archive, with: peer, account: id)
            }) ?? []
    }

    /// Finds out whether what the account's archive says of live messages can be believed.
    private func askWhatArchiveCanDo(in session: Session) async {
        guard let capabilities = try? await session[MessageArchive.self]?.capabilities(of: address),
            capabilities.isAvailable
        else { return }
        recorder.ownArchive(assignsIdentifiers: capabilities.assignsIdentifiers)
    }

    private func page(
        _ request: HistoryRequest, in session: Session
    ) async throws(HistoryFailure) -> (stored: ChatStore.ArchivePage, receiptsWanted: Set<String>) {
        guard let archive = session[MessageArchive.self] else { throw .temporary }
        var query = request.query
        let page: MessageHistory.ArchivePage
        do throws(ArchiveError) {
            // The account's archive is asked at once: where there is none, the page is refused.
            if request.archive != address || query.limit != nil {
                let capabilities = try await archive.capabilities(of: request.archive)
                guard capabilities.isAvailable else { throw ArchiveError(.notSupported, "There is no archive.") }
                // Without `#extended` the page may reach beyond the hole; what is known there is recognised.
                if !capabilities.isExtended { query.limit = nil }
            }
            let filter = ArchiveFilter(with: request.with, afterID: query.limit)
            page = try await archive.page(
                in: request.archive == address ? nil : request.archive, filter: filter,
                page: query.anchor.map { .before($0, request.limit) } ?? .newest(request.limit))
        } catch {
            switch error.code {
            case .messageVanished: throw .cursorLost
            case .notSupported, .forbidden: throw .refused
            case .invalidAnswer, .cancelled, .failed: throw .temporary
            }
        }
        let read = await read(page, of: request.archive)
        return (
            ChatStore.ArchivePage(
                archive: request.archive, with: request.with, query: query, items: read.items,
                isComplete: page.isComplete), read.receiptsWanted
        )
    }

    /// What the messages of a page mean.
    func read(
        _ page: MessageHistory.ArchivePage, of archive: JID
    ) async -> (items: [ArchiveItem], receiptsWanted: Set<String>) {
        var reader = recorder.reader
        reader.keptContents = await recorder.keepContents(of: page.messages.lazy.compactMap(\.message))
        var items: [ArchiveItem] = []
        var receiptsWanted: Set<String> = []
        // In front of the first stamp that can be read stands what is not newer than it.
        var time = MessageTime(
            millisecondsSince1970: page.messages.lazy.compactMap(\.stamp).first?.millisecondsSince1970 ?? 0)
        for archived in page.messages {
            // A stamp that cannot be read stands where it stood.
            if let stamp = archived.stamp { time = MessageTime(millisecondsSince1970: stamp.millisecondsSince1970) }
            var content: ArchiveItem.Content?
            if let message = archived.message, !mayHold(archive, message) {
                // Its place stays, so that the page proves what it proves.
                refusedItems[archive, default: 0] += 1
            } else if let message = archived.message {
                let meanings = reader.read(message, .init(.archive, time: time, timeSource: .archive))
                content = meanings.first?.archived
                if message.payloads.contains(DeliveryReceiptRequest.name) { receiptsWanted.insert(archived.id) }
                if case .message(let copy, _)? = content, copy.isOutgoing, archive == address {
                    archiveKeepsOwn = true
                }
            }
            items.append(ArchiveItem(id: archived.id, time: time, content: content))
        }
        return (items, receiptsWanted)
    }

    /// An archive can write any message in anybody's name, so it is believed only about its own conversation.
    private func mayHold(_ archive: JID, _ message: Message) -> Bool {
        let places = recorder.places.all
        return ArchiveAuthority.archive(archive, mayHold: message, account: address) { places[$0] != nil }
    }

    /// Keeps a page, and gives the receipts for what came by it and by no other way.
    func receive(
        _ page: ChatStore.ArchivePage, asking receiptsWanted: Set<String>, in session: Session
    ) async throws(StoreError) {
        let (id, oldest) = (id, now().advanced(by: -Self.receiptAge))
        let owed = try await store.write { writer throws(StoreError) in
            var owed: [(receiver: JID, id: String)] = []
            for item in page.items where receiptsWanted.contains(item.id) && item.time > oldest {
                // Only for texts: a retraction or a reaction is no message that was read, and whether it is new cannot be told.
                guard case .message(let copy, let key)? = item.content, case .text = copy.content, key.kind == .direct,
                    !copy.isOutgoing, let wireID = copy.wireID
                else { continue }
                if let conversation = try writer.conversation(key),
                    try writer.message(.sent(id: wireID), in: conversation) != nil
                {
                    continue
                }
                owed.append((copy.sender, wireID))
            }
            try writer.receive(page, account: id)
            return owed
        }
        let hasOwn = page.items.contains { item in
            if case .message(let copy, _)? = item.content { copy.isOutgoing } else { false }
        }
        if hasOwn { recorder.people.wrote() }
        guard policy.tellsReceipts else { return }
        for receipt in owed where await session.mayLearnPresence(receipt.receiver) {
            var message = Message(to: receipt.receiver, type: .chat)
            message.append(DeliveryReceipt(messageID: receipt.id))
            _ = try? await session.send(message)
        }
    }

    /// Nobody waits any more for a receipt of what is a week old, in milliseconds.
    private static let receiptAge: Int64 = 7 * 24 * 3_600_000
}
