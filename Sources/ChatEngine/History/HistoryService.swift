internal import ChatStore
internal import GroupChat
internal import MessageHistory
internal import XMPPAddress
internal import XMPPClient

/// Fetches what archives have and the store has not, one page after the other, in the order that ``HistorySync`` says.
actor HistoryService {
    private let context: AccountContext
    private let archive: ArchiveReader
    private var sync: HistorySync
    /// What the machine wants to be done, for the task that does it; made for the next session when one ends.
    private var actions = AsyncStream.makeStream(of: HistorySync.Action.self)
    /// Ends the wait that the machine asked for last; it replaces the one before.
    private var timer: Task<Void, Never>?
    /// Who waits for a page, by what is asked for.
    private var waiters: [HistoryRequest: [CheckedContinuation<OlderHistory, Never>]] = [:]
    /// The newest page of the account's archive was not seen since a session began, perhaps by a process before this one: a connection
    /// that is resumed has missed nothing, but what came before its session may be missing still.
    private var isNewestOwed = true
    /// How often the history was begun with, so that late news of a lost connection is told from that of this one.
    private var beginnings = 0

    /// How many messages archives have brought that they may not hold, by archive.
    var refusedItems: [JID: Int] { get async { await archive.refusedItems } }

    init(_ context: AccountContext, archive: ArchiveReader) {
        self.context = context
        self.archive = archive
        sync = HistorySync(account: context.address, policy: context.policy.history)
    }

    // MARK: Requests

    /// What is in front of the person, or `nil` for nothing: its history comes before that of the others.
    func opened(_ key: ConversationKey?) {
        guard let key else { return sync.closed() }
        let place = place(of: key)
        proceed(sync.opened(archive: place.archive, peer: place.peer, now: .now))
    }

    /// Fetches one page of what was said before the oldest message that is here.
    func loadOlder(in key: ConversationKey) async -> OlderHistory {
        guard await context.onlineSession != nil else { return .notNow }
        let place = place(of: key)
        let anchor: String?
        do throws(StoreError) {
            guard let oldest = try await oldest(in: key, of: place.archive) else { return .nothingMore }
            anchor = oldest.id
        } catch {
            return .notNow
        }
        let request = HistoryRequest(
            archive: place.archive, with: place.peer, query: .init(.backward, anchor: anchor), purpose: .older,
            limit: context.policy.history.pageSize)
        return await withCheckedContinuation { continuation in
            waiters[request, default: []].append(continuation)
            proceed(sync.olderRequested(archive: place.archive, peer: place.peer, before: anchor, now: .now))
        }
    }

    private func place(of key: ConversationKey) -> (archive: JID, peer: JID?) {
        switch key.kind {
        case .direct: (context.address, key.address)
        case .occupant: (context.address, key.address.bare)
        case .room: (key.address, nil)
        }
    }

    /// The archive's name for the oldest message that is here; the outer `nil` where the whole archive is here.
    private func oldest(
        in key: ConversationKey, of archive: JID
    ) async throws(StoreError) -> (id: String?, ())? {
        let id = context.id
        return try await context.store.read { reader throws(StoreError) -> (id: String?, ())? in
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

    /// The presence and the request for copies of a session are sent.
    func begin(isResumed: Bool) async {
        beginnings += 1
        if !isResumed { isNewestOwed = true }
        let gaps = await knownGaps(of: context.address)
        proceed(sync.sessionBegan(isResumed: !isNewestOwed, gaps: gaps, now: .now))
    }

    func connectionLost(in session: Session) async {
        // Late news: the next connection may have begun already, also while this asks for it.
        let beginning = beginnings
        if await !session.isOnline, beginning == beginnings { connectionLost() }
    }

    func connectionLost() { sync.disconnected() }

    func sessionEnded() {
        connectionLost()
        timer?.cancel()
        actions.continuation.finish()
        actions = AsyncStream.makeStream()
        isNewestOwed = true
        for request in waiters.keys { settle(request, .notNow) }
    }

    func roomEntered(_ room: JID) async {
        let gaps = await knownGaps(of: room)
        proceed(sync.roomEntered(room, gaps: gaps, now: .now))
    }

    func roomLeft(_ room: JID) { proceed(sync.roomLeft(room, now: .now)) }

    /// What the machine wants to be done in this session.
    func pendingActions() -> AsyncStream<HistorySync.Action> { actions.stream }

    /// Asks one page after the other, as the machine says.
    func run(in session: Session) async {
        await withDiscardingTaskGroup { group in
            for await action in pendingActions() {
                switch action {
                case .none: break
                case .ask(let request):
                    if request.archive == context.address, request.purpose == .newest {
                        group.addTask { await self.askWhatArchiveCanDo(in: session) }
                    }
                    await ask(request, in: session)
                case .forget(let archive, let request):
                    let id = context.id
                    await context.save { writer throws(StoreError) in
                        try writer.forgetIntervals(of: archive, account: id)
                    }
                    await ask(request, in: session)
                case .wait(let time):
                    timer?.cancel()
                    timer = Task { [weak self] in
                        guard (try? await Task.sleep(until: time, clock: .continuous)) != nil else { return }
                        await self?.timeCame()
                    }
                }
            }
            group.cancelAll()
        }
    }

    private func proceed(_ action: HistorySync.Action) {
        actions.continuation.yield(action)
        for request in waiters.keys where !sync.isWaiting(for: request) { settle(request, .notNow) }
    }

    private func timeCame() { proceed(sync.deadlinePassed(now: .now)) }

    private func settle(_ request: HistoryRequest, _ result: OlderHistory) {
        for waiter in waiters.removeValue(forKey: request) ?? [] { waiter.resume(returning: result) }
    }

    // MARK: One page

    private func ask(_ request: HistoryRequest, in session: Session) async {
        do throws(HistoryFailure) {
            let (page, query) = try await page(request, in: session)
            do throws(StoreError) {
                try await archive.receive(
                    page, of: request.archive, with: request.with, answering: query, in: session)
            } catch {
                context.events.post(.problem(.store(error)))
                throw .temporary
            }
            let gaps = await knownGaps(of: request.archive)
            let action = sync.answered(request, gaps: gaps, now: .now)
            settle(request, page.isComplete && page.messages.isEmpty ? .nothingMore : .arrived)
            await pageCame(for: request)
            proceed(action)
        } catch {
            let action = sync.failed(request, error, now: .now)
            if error == .refused { await pageCame(for: request) }
            proceed(action)
        }
    }

    /// A page of history is in the store, or the archive has none to give.
    func pageCame(for request: HistoryRequest) async {
        guard request.purpose == .newest else { return }
        if request.archive == context.address {
            if request.with == nil { isNewestOwed = false }
            return
        }
        // The room may have been lost while the page was on its way; it comes again when it is entered.
        guard let room = context.session?[GroupChat.self]?.room(request.archive), await room.isInside else { return }
        // What a room has sent back by now is in the store, so what it has not can be sent again.
        await context.queue.roomOpened(request.archive)
    }

    private func knownGaps(of archive: JID) async -> [ArchiveGap] {
        let id = context.id
        return
            (try? await context.store.read { reader throws(StoreError) in
                try reader.archiveGaps(of: archive, with: nil, account: id)
            }) ?? []
    }

    /// Finds out whether what the account's archive says of live messages can be believed.
    private func askWhatArchiveCanDo(in session: Session) async {
        guard let capabilities = try? await session[MessageArchive.self]?.capabilities(of: context.address),
            capabilities.isAvailable
        else { return }
        context.recorder.ownArchive(assignsIdentifiers: capabilities.assignsIdentifiers)
    }

    private func page(
        _ request: HistoryRequest, in session: Session
    ) async throws(HistoryFailure) -> (MessageHistory.ArchivePage, answered: StoredArchiveQuery) {
        guard let source = session[MessageArchive.self] else { throw .temporary }
        let isOwn = request.archive == context.address
        var query = request.query
        let page: MessageHistory.ArchivePage
        do throws(ArchiveError) {
            // The account's archive is asked at once: where there is none, the page is refused.
            if !isOwn || query.limit != nil {
                let capabilities = try await source.capabilities(of: request.archive)
                guard capabilities.isAvailable else { throw ArchiveError(.notSupported, "There is no archive.") }
                // Without `#extended` the page may reach beyond the hole; what is known there is recognised.
                if !capabilities.isExtended { query.limit = nil }
            }
            page = try await source.page(
                in: isOwn ? nil : request.archive, filter: ArchiveFilter(with: request.with, afterID: query.limit),
                page: query.anchor.map { .before($0, request.limit) } ?? .newest(request.limit))
        } catch {
            switch error.code {
            case .messageVanished: throw .cursorLost
            case .notSupported, .forbidden: throw .refused
            case .invalidAnswer, .cancelled, .failed: throw .temporary
            }
        }
        return (page, query)
    }
}
