public import ChatStore
public import XMPPAddress

/// Decides which page of which archive to ask for next, without a network, a clock or a store of its own.
///
/// The newest first, and the conversation in front of the person before the others. One page is asked for at a time, so
/// that what a person waits for is never behind more than one page of something else. What is known complete is the
/// store's to say: after each page it is asked for the holes that are left. Nothing that comes live moves anything here.
///
///     perform(sync.sessionBegan(isResumed: false, now: now))            // .ask(newest page of the own archive)
///     perform(sync.answered(request, gaps: gaps, now: now))             // .ask(page of the newest hole)
///     perform(sync.answered(request, gaps: [], now: now))               // .none
public struct HistorySync: ~Copyable, Sendable {
    /// What the owner is to do.
    public enum Action: Equatable, Sendable {
        case none
        /// Ask for this page and report what came of it.
        case ask(HistoryRequest)
        /// The archive has another memory than the store: forget what is known complete of it (XEP-0313 §5).
        case forget(archive: JID, then: HistoryRequest)
        /// Nothing before this time.
        case wait(until: ContinuousClock.Instant)
    }

    /// What is known about one archive in this session.
    struct Archive {
        /// Something may have come that is not here.
        var isNewestDue = false
        /// Holes that are to be closed, newest first.
        var gaps: [ArchiveGap] = []
        /// How many pages of holes may still be fetched unasked.
        var gapPages: Int
        /// It does not answer in this session.
        var isRefused = false
        var failures = 0
        var notBefore: ContinuousClock.Instant?
    }

    struct Online {
        var archives: [JID: Archive] = [:]
        /// The pages that a person waits for, oldest wish first.
        var wishes: [HistoryRequest] = []
        /// Peers whose newest messages were looked at in this session.
        var seen: Set<JID> = []
    }

    enum State: ~Copyable {
        /// No session. → idle, asking
        case offline
        /// Nothing is asked for. → asking, offline
        case idle(Online)
        /// A page is on its way. → idle, asking, offline
        case asking(HistoryRequest, Online)
    }

    /// The conversation in front of the person.
    struct Focus: Equatable {
        let archive: JID
        let peer: JID?
    }

    let account: JID
    let policy: HistoryPolicy
    var focus: Focus?
    var state: State

    /// - Parameter account: the bare address, which is that of its archive, too.
    public init(account: JID, policy: HistoryPolicy = .standard) {
        self.init(account.bare, policy, nil, .offline)
    }

    init(_ account: JID, _ policy: HistoryPolicy, _ focus: Focus?, _ state: consuming State) {
        self.account = account
        self.policy = policy
        self.focus = focus
        self.state = state
    }
}

// MARK: - What happened

extension HistorySync {
    /// Stanzas flow. After a resumption nothing was missed; a new session begins with the newest page.
    public mutating func sessionBegan(isResumed: Bool, gaps: [ArchiveGap], now: ContinuousClock.Instant) -> Action {
        change(now) { online, policy, account in
            var archive = online.archives[account] ?? Archive(gapPages: policy.gapPages)
            archive.isNewestDue = archive.isNewestDue || !isResumed
            archive.gaps = Self.holes(gaps, policy)
            online.archives[account] = archive
            if !isResumed { online.seen = [] }
        } beginning: {
            Online()
        }
    }

    /// A room was entered: its archive may have more than what the room sent on entering.
    public mutating func roomEntered(_ room: JID, gaps: [ArchiveGap], now: ContinuousClock.Instant) -> Action {
        change(now) { online, policy, _ in
            var archive = online.archives[room.bare] ?? Archive(gapPages: policy.gapPages)
            archive.isNewestDue = true
            archive.gaps = Self.holes(gaps, policy)
            online.archives[room.bare] = archive
        }
    }

    /// A room was left.
    public mutating func roomLeft(_ room: JID, now: ContinuousClock.Instant) -> Action {
        change(now) { online, _, _ in
            online.archives[room.bare] = nil
            online.wishes.removeAll { $0.archive == room.bare }
        }
    }

    /// The page came and is in the store, which says what is still missing.
    public mutating func answered(
        _ request: HistoryRequest, gaps: [ArchiveGap], now: ContinuousClock.Instant
    ) -> Action {
        finish(request, now) { online, policy, _ in
            guard var archive = online.archives[request.archive] else { return }
            archive.failures = 0
            archive.notBefore = nil
            if request.with == nil {
                archive.gaps = Self.holes(gaps, policy)
                if request.purpose == .newest { archive.isNewestDue = false }
                if request.purpose == .gap { archive.gapPages -= 1 }
            }
            online.archives[request.archive] = archive
        }
    }

    /// No page came.
    public mutating func failed(
        _ request: HistoryRequest, _ failure: HistoryFailure, now: ContinuousClock.Instant
    ) -> Action {
        var forgets = false
        let action = finish(request, now) { online, policy, _ in
            guard var archive = online.archives[request.archive] else { return }
            switch failure {
            case .refused:
                archive.isRefused = true
            case .cursorLost where request.query.anchor != nil && archive.failures == 0:
                archive.failures += 1
                archive.gaps = []
                archive.isNewestDue = true
                forgets = true
            case .cursorLost, .temporary:
                archive.failures += 1
                archive.notBefore = now.advanced(by: policy.backoff.pause(after: archive.failures))
                if request.purpose == .older { online.wishes.insert(request, at: 0) }
            }
            online.archives[request.archive] = archive
        }
        guard forgets else { return action }
        let newest = Self.newest(of: request.archive, policy)
        // Whatever was to come next waits behind the beginning anew.
        return begin(newest, instead: action)
    }

    /// A hole was paused for, and its time has come.
    public mutating func deadlinePassed(now: ContinuousClock.Instant) -> Action {
        change(now) { _, _, _ in }
    }

    /// There is no session any more.
    public mutating func disconnected() {
        let (account, policy, focus) = (account, policy, focus)
        switch consume state {
        case .offline: self = Self(account, policy, focus, .offline)
        case .idle: self = Self(account, policy, focus, .offline)
        case .asking: self = Self(account, policy, focus, .offline)
        }
    }

    /// Whether an answer to the request is still to come.
    public func isWaiting(for request: HistoryRequest) -> Bool {
        switch state {
        case .offline: false
        case .idle(let online): online.wishes.contains(request)
        case .asking(let pending, let online): pending == request || online.wishes.contains(request)
        }
    }

    // MARK: What a person wants

    /// A conversation is in front of the person, or none is.
    ///
    /// - Parameter peer: the other one; `nil` in a room.
    public mutating func opened(
        archive: JID, peer: JID?, now: ContinuousClock.Instant
    ) -> Action {
        focus = Focus(archive: archive.bare, peer: peer?.bare)
        return change(now) { _, _, _ in }
    }

    /// No conversation is in front of the person.
    public mutating func closed() {
        focus = nil
    }

    /// Somebody has scrolled to the oldest message that is here.
    ///
    /// - Parameter anchor: the archive's name for it; `nil` if nothing is here.
    public mutating func olderWanted(
        archive: JID, peer: JID?, before anchor: String?, now: ContinuousClock.Instant
    ) -> Action {
        change(now) { online, policy, _ in
            let request = HistoryRequest(
                archive: archive.bare, with: peer?.bare, query: StoredArchiveQuery(.backward, anchor: anchor),
                purpose: .older, limit: policy.pageSize)
            if !online.wishes.contains(request) { online.wishes.append(request) }
        }
    }
}

// MARK: - What comes next

extension HistorySync {
    static func newest(of archive: JID, with peer: JID? = nil, _ policy: HistoryPolicy) -> HistoryRequest {
        HistoryRequest(
            archive: archive, with: peer, query: StoredArchiveQuery(.backward), purpose: .newest, limit: policy.pageSize
        )
    }

    /// What lies before everything that is here comes last, or waits for somebody to scroll there.
    static func holes(_ gaps: [ArchiveGap], _ policy: HistoryPolicy) -> [ArchiveGap] {
        gaps.filter { $0.after != nil || policy.reachesBack }
    }

    static func next(
        _ online: inout Online, _ focus: Focus?, _ account: JID, _ policy: HistoryPolicy, now: ContinuousClock.Instant
    ) -> Action {
        func isReady(_ address: JID) -> Bool {
            guard let archive = online.archives[address], !archive.isRefused else { return false }
            return archive.notBefore.map { $0 <= now } ?? true
        }
        online.wishes.removeAll { online.archives[$0.archive]?.isRefused ?? true }
        func isInFront(_ request: HistoryRequest) -> Bool {
            Focus(archive: request.archive, peer: request.with) == focus
        }
        let ready = online.wishes.filter { isReady($0.archive) }
        if let wish = ready.first(where: isInFront) ?? ready.first {
            online.wishes.removeAll { $0 == wish }
            return .ask(wish)
        }
        // The whole archive's newest page may be full of others: the one who is looked at comes first.
        if let peer = focus?.peer, focus?.archive == account, isReady(account), !online.seen.contains(peer),
            online.archives[account]?.isNewestDue == true
        {
            online.seen.insert(peer)
            return .ask(newest(of: account, with: peer, policy))
        }
        let order = online.archives.keys.sorted { left, right in
            func rank(_ address: JID) -> Int { address == focus?.archive ? 0 : address == account ? 1 : 2 }
            return (rank(left), left) < (rank(right), right)
        }
        for address in order where isReady(address) && online.archives[address]?.isNewestDue == true {
            return .ask(newest(of: address, policy))
        }
        for address in order where isReady(address) {
            guard let archive = online.archives[address], archive.gapPages > 0, let gap = archive.gaps.first else {
                continue
            }
            let query = StoredArchiveQuery(.backward, anchor: gap.before.id, limit: gap.after?.id)
            return .ask(HistoryRequest(archive: address, query: query, purpose: .gap, limit: policy.pageSize))
        }
        let waiting =
            online.archives.values.filter { archive in
                !archive.isRefused && (archive.isNewestDue || !archive.gaps.isEmpty && archive.gapPages > 0)
            }.compactMap(\.notBefore) + online.wishes.compactMap { online.archives[$0.archive]?.notBefore }
        return waiting.filter { $0 > now }.min().map { .wait(until: $0) } ?? .none
    }

    /// Changes what is known, and goes on unless a page is on its way.
    private mutating func change(
        _ now: ContinuousClock.Instant, _ change: (inout Online, HistoryPolicy, JID) -> Void,
        beginning: () -> Online? = { nil }
    ) -> Action {
        let (account, policy, focus) = (account, policy, focus)
        switch consume state {
        case .offline:
            guard var online = beginning() else {
                self = Self(account, policy, focus, .offline)
                return .none
            }
            change(&online, policy, account)
            let action = Self.next(&online, focus, account, policy, now: now)
            self = Self(account, policy, focus, Self.state(after: action, online))
            return action
        case .idle(var online):
            change(&online, policy, account)
            let action = Self.next(&online, focus, account, policy, now: now)
            self = Self(account, policy, focus, Self.state(after: action, online))
            return action
        case .asking(let request, var online):
            change(&online, policy, account)
            self = Self(account, policy, focus, .asking(request, online))
            return .none
        }
    }

    /// The page that is on its way came to an end; an answer to anything else means nothing.
    private mutating func finish(
        _ request: HistoryRequest, _ now: ContinuousClock.Instant,
        _ change: (inout Online, HistoryPolicy, JID) -> Void
    ) -> Action {
        let (account, policy, focus) = (account, policy, focus)
        switch consume state {
        case .offline:
            self = Self(account, policy, focus, .offline)
            return .none
        case .idle(let online):
            self = Self(account, policy, focus, .idle(online))
            return .none
        case .asking(let pending, var online):
            guard pending == request else {
                self = Self(account, policy, focus, .asking(pending, online))
                return .none
            }
            change(&online, policy, account)
            let action = Self.next(&online, focus, account, policy, now: now)
            self = Self(account, policy, focus, Self.state(after: action, online))
            return action
        }
    }

    private static func state(after action: Action, _ online: Online) -> State {
        if case .ask(let request) = action { .asking(request, online) } else { .idle(online) }
    }

    /// Puts the beginning anew in front of what would have been next.
    private mutating func begin(_ newest: HistoryRequest, instead action: Action) -> Action {
        let (account, policy, focus) = (account, policy, focus)
        switch consume state {
        case .offline:
            self = Self(account, policy, focus, .offline)
            return .none
        case .idle(let online):
            self = Self(account, policy, focus, .asking(newest, online))
        case .asking(let request, var online):
            if request.purpose == .older { online.wishes.insert(request, at: 0) }
            self = Self(account, policy, focus, .asking(newest, online))
        }
        return .forget(archive: newest.archive, then: newest)
    }
}
