internal import ChatStore
internal import GroupChat
internal import MessageHistory
internal import Waiting
internal import XMPPAddress
internal import XMPPClient

/// Synchronises the store with the archives, page by page, in the order decided by ``HistorySync``.
public final actor HistoryService {
    private let context: AccountContext
    private let archive: ArchiveReader
    private var sync: HistorySync
    /// The actions of the machine for the task of a session that performs them; replaced when it ends.
    private var actions = AsyncStream.makeStream(of: HistorySync.Action.self)
    /// The machine's timer; a new one replaces the previous.
    private var timer: Task<Void, Never>?
    /// The callers waiting for a page, by request.
    private var waiters: [HistoryRequest: [Promise<OlderHistory>]] = [:]
    /// The search for older messages of each conversation in this session.
    private var searches: [ConversationKey: OlderSearch] = [:]
    /// A resumed connection has missed nothing, but messages before its session may still be missing.
    private var isNewestOwed = true
    /// The number of starts, to ignore late events of an earlier connection.
    private var beginnings = 0
    /// Whether the history of the present connection has begun.
    private var isBegun = false
    /// Rooms that were joined over the present connection before its history began: neither start waits for the other.
    private var earlyRooms: Set<JID> = []

    /// The number of rejected messages by archive.
    var refusedItems: [JID: Int] { get async { await archive.refusedItems } }

    /// Whether the newest messages of the account's archive were read since its session started.
    public var hasCaughtUp: Bool { !isNewestOwed }

    init(_ context: AccountContext, archive: ArchiveReader) {
        self.context = context
        self.archive = archive
        sync = HistorySync(account: context.address, policy: context.policy.history)
    }

    // MARK: Requests

    /// Sets the conversation that the user looks at, or `nil`: its history is synchronised first.
    func opened(_ key: ConversationKey?) {
        guard let key else { return sync.closed() }
        let place = place(of: key)
        proceed(sync.opened(archive: place.archive, peer: place.peer, now: .now))
    }

    /// Requests one page of messages before the oldest one stored.
    func loadOlder(in key: ConversationKey) async -> OlderHistory {
        guard await context.onlineSession != nil else { return .notNow }
        let place = place(of: key)
        let beginning: (anchor: String?, oldest: String?)
        do throws(StoreError) {
            let found = try await self.beginning(of: key, in: place.archive, with: place.peer, after: searches[key])
            guard let found else { return .nothingMore }
            beginning = found
        } catch {
            return .notNow
        }
        let request = HistoryRequest(
            archive: place.archive, with: place.peer, query: .init(.backward, anchor: beginning.anchor),
            purpose: .older, limit: context.policy.history.pageSize)
        let search = OlderSearch(request, oldest: beginning.oldest, after: searches[key])
        if search.pages > OlderSearch.emptyPageLimit {
            searches[key]?.pages = 0
            return .notNow
        }
        // A page that does not begin earlier than the one before: the archive has nothing older, whatever it says.
        if searches[key]?.request == request { return .nothingMore }
        let answer = Promise<OlderHistory>()
        waiters[request, default: []].append(answer)
        proceed(sync.olderRequested(archive: place.archive, peer: place.peer, before: beginning.anchor, now: .now))
        let result = await answer.value(cancelled: .notNow)
        if result == .arrived { searches[key] = search }
        return result
    }

    private func place(of key: ConversationKey) -> (archive: JID, peer: JID?) {
        switch key.kind {
        case .direct: (context.address, key.address)
        case .occupant: (context.address, key.address.bare)
        case .room: (key.address, nil)
        }
    }

    /// The archive id before which older messages are requested, and that of the oldest message of the conversation;
    /// `nil` if everything before is stored.
    ///
    /// Pages may contain nothing that is shown: keys, receipts, reactions. So this is not always the oldest message
    /// of the conversation, but the beginning of what is stored around it.
    private func beginning(
        of key: ConversationKey, in archive: JID, with peer: JID?, after last: OlderSearch?
    ) async throws(StoreError) -> (anchor: String?, oldest: String?)? {
        let id = context.id
        return try await context.store.read { reader throws(StoreError) -> (anchor: String?, oldest: String?)? in
            let whole = try reader.archiveIntervals(of: archive, with: nil, account: id)
            if whole.count == 1, whole[0].reachesStart, whole[0] != .empty { return nil }
            var first: StoredArchivePosition?
            if let conversation = try reader.conversation(key) {
                let beginning = TimelinePosition.start(of: MessageTime(millisecondsSince1970: .min))
                for message in try reader.timeline(of: conversation, .after(beginning), limit: Self.oldestSearched) {
                    guard let reference = message.archiveReference, reference.archive == archive else { continue }
                    first = StoredArchivePosition(id: reference.id, time: message.position.time)
                    break
                }
            }
            let stored = try reader.archiveIntervals(of: archive, with: peer, account: id).filter { $0 != .empty }
            guard let interval = OlderSearch.interval(of: stored, around: first, after: last) else {
                return (first?.id, first?.id)
            }
            return interval.reachesStart ? nil : (interval.first.id, first?.id)
        }
    }

    /// Messages that are in no archive may precede the first archived one.
    private static let oldestSearched = 50

    // MARK: The session

    /// Called when the presence and the request for carbons were sent.
    func begin(isResumed: Bool) async {
        beginnings += 1
        if !isResumed { isNewestOwed = true }
        let known = await known(of: context.address)
        proceed(sync.sessionBegan(isResumed: !isNewestOwed, gaps: known.gaps, end: known.end, now: .now))
        isBegun = true
        let rooms = earlyRooms
        earlyRooms = []
        for room in rooms { await roomEntered(room) }
    }

    func connectionLost(in session: Session) async {
        // A late event: the next connection may have started already, also during this call.
        let beginning = beginnings
        if await !session.isOnline, beginning == beginnings { connectionLost() }
    }

    func connectionLost() {
        sync.disconnected()
        isBegun = false
        earlyRooms = []
    }

    func sessionEnded() {
        connectionLost()
        timer?.cancel()
        actions.continuation.finish()
        actions = AsyncStream.makeStream()
        isNewestOwed = true
        searches = [:]
        for request in waiters.keys { settle(request, .notNow) }
    }

    func roomEntered(_ room: JID) async {
        let known = await known(of: room)
        guard isBegun else {
            earlyRooms.insert(room.bare)
            return
        }
        proceed(sync.roomEntered(room, gaps: known.gaps, end: known.end, now: .now))
    }

    func roomLeft(_ room: JID) {
        earlyRooms.remove(room.bare)
        proceed(sync.roomLeft(room, now: .now))
    }

    /// The actions of the machine in this session.
    func pendingActions() -> AsyncStream<HistorySync.Action> { actions.stream }

    /// Requests pages as decided by the machine.
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
                        guard (try? await Task.sleep(until: time)) != nil else { return }
                        await self?.timeCame()
                    }
                }
            }
            group.cancelAll()
        }
    }

    private func proceed(_ action: HistorySync.Action) {
        if action != .none { actions.continuation.yield(action) }
        for request in waiters.keys where !sync.isWaiting(for: request) { settle(request, .notNow) }
    }

    private func timeCame() { proceed(sync.deadlinePassed(now: .now)) }

    private func settle(_ request: HistoryRequest, _ result: OlderHistory) {
        for waiter in waiters.removeValue(forKey: request) ?? [] { waiter.fulfil(result) }
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
            let gaps = await known(of: request.archive).gaps
            let end = request.continuation(after: page)
            let action = sync.answered(request, gaps: gaps, end: end, now: .now)
            settle(request, page.isComplete && page.messages.isEmpty ? .nothingMore : .arrived)
            if end == nil { await pageCame(for: request) }
            proceed(action)
        } catch {
            let action = sync.failed(request, error, now: .now)
            if error == .refused { await pageCame(for: request) }
            proceed(action)
        }
    }

    /// Called when the newest messages are stored, or the archive has none.
    func pageCame(for request: HistoryRequest) async {
        guard request.purpose == .newest else { return }
        if request.archive == context.address {
            if request.with == nil { isNewestOwed = false }
            return
        }
        // The room may have been left during the request; the archive is queried again after joining.
        guard let room = context.session?[GroupChat.self]?.room(request.archive), await room.isInside else { return }
        // The room's reflections so far are in the store, so the missing messages can be sent again.
        await context.queue.roomOpened(request.archive)
    }

    /// The gaps in what is stored of an archive, and the id of its newest item, which is empty for an archive that was empty.
    private func known(of archive: JID) async -> (gaps: [ArchiveGap], end: String?) {
        let id = context.id
        return
            (try? await context.store.read { reader throws(StoreError) in
                (
                    try reader.archiveGaps(of: archive, with: nil, account: id),
                    try reader.archiveIntervals(of: archive, with: nil, account: id).last?.last.id
                )
            }) ?? ([], nil)
    }

    /// Determines whether the ids that the archive of the account assigns to live messages can be trusted.
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
            // The archive of the account is queried at once: without an archive, the query is refused.
            if !isOwn || query.limit != nil {
                let capabilities = try await source.capabilities(of: request.archive)
                guard capabilities.isAvailable else { throw ArchiveError(.notSupported, "There is no archive.") }
                // Without `#extended` the page may extend beyond the gap; known messages are recognised.
                if !capabilities.isExtended { query.limit = nil }
            }
            let (filter, part) = query.selection(with: request.with, request.limit)
            page = try await source.page(in: isOwn ? nil : request.archive, filter: filter, page: part)
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
