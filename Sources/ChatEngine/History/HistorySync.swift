public import ChatStore
public import Waiting
public import XMPPAddress

/// Decides which page of which archive to request next, without network, clock or store.
///
/// The newest pages come first, and the conversation that the user looks at before others; for a program that handles each
/// message, the oldest missed ones come first (``HistoryPolicy/Order``). One page is requested at a time, so a page that
/// the user waits for is behind at most one other. The store knows what is complete: it reports
/// the remaining gaps after each page. Live messages change nothing here.
///
///     perform(sync.sessionBegan(isResumed: false, now: now))            // .ask(newest page of our archive)
///     perform(sync.answered(request, gaps: gaps, now: now))             // .ask(page of the newest gap)
///     perform(sync.answered(request, gaps: [], now: now))               // .none
public struct HistorySync: ~Copyable, Sendable {
    /// An action for the owner to perform.
    public enum Action: Equatable, Sendable {
        case none
        /// Request this page and report the result.
        case ask(HistoryRequest)
        /// The archive has lost the items that the store knows: delete its intervals (XEP-0313 §5).
        case forget(archive: JID, then: HistoryRequest)
        /// Do nothing before this time.
        case wait(until: ContinuousInstant)
    }

    /// The state of one archive in this session.
    struct Archive {
        /// There may be new messages.
        var isNewestDue = false
        /// The id of the newest stored item, after which missed ones are read if the oldest come first; empty if the archive was.
        var end: String?
        /// The gaps to fill, newest first.
        var gaps: [ArchiveGap] = []
        /// The number of pages before the oldest stored message that may still be requested automatically.
        var gapPages: Int
        /// The same for gaps between stored messages.
        var missedPages: Int
        /// It refuses requests in this session.
        var isRefused = false
        var failures = 0
        var notBefore: ContinuousInstant?

        /// The next gap that may be filled.
        func dueGap(_ policy: HistoryPolicy) -> ArchiveGap? {
            missedGap(policy) ?? gaps.first { $0.isMissed ? missedPages > 0 : gapPages > 0 }
        }

        /// The next gap between stored messages, if the oldest messages come first.
        func missedGap(_ policy: HistoryPolicy) -> ArchiveGap? {
            guard policy.order == .oldestFirst, missedPages > 0 else { return nil }
            return gaps.last(where: \.isMissed)
        }
    }

    struct Online {
        var archives: [JID: Archive] = [:]
        /// The pages that the user waits for, oldest request first.
        var requests: [HistoryRequest] = []
        /// Contacts whose newest messages were requested in this session.
        var seen: Set<JID> = []
    }

    enum State: ~Copyable {
        /// No session. → idle, asking
        case offline
        /// Nothing to request. → asking, offline
        case idle(Online)
        /// A page was requested. → idle, asking, offline
        case asking(HistoryRequest, Online)
    }

    /// The conversation that the user looks at.
    struct Focus: Equatable {
        let archive: JID
        let peer: JID?
    }

    let account: JID
    let policy: HistoryPolicy
    var focus: Focus?
    var state: State

    /// - Parameter account: the bare address, which is also that of its archive.
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

// MARK: - Events

extension HistorySync {
    /// The stream is established. After a resumption nothing was missed; a new session starts with the newest page.
    ///
    /// - Parameter end: the id of the newest item that is stored; empty if the archive had none when it was read.
    public mutating func sessionBegan(
        isResumed: Bool, gaps: [ArchiveGap], end: String? = nil, now: ContinuousInstant
    ) -> Action {
        change(now) { online, policy, account in
            var archive =
                online.archives[account]
                ?? Archive(gapPages: policy.gapPages, missedPages: policy.missedPages)
            archive.isNewestDue = archive.isNewestDue || !isResumed
            archive.end = end
            archive.gaps = Self.holes(gaps, policy)
            online.archives[account] = archive
            if !isResumed { online.seen = [] }
        } beginning: {
            Online()
        }
    }

    /// A room was joined: its archive may have more than the history sent on joining.
    ///
    /// - Parameter end: the id of the newest item that is stored; empty if the archive had none when it was read.
    public mutating func roomEntered(
        _ room: JID, gaps: [ArchiveGap], end: String? = nil, now: ContinuousInstant
    ) -> Action {
        change(now) { online, policy, _ in
            var archive =
                online.archives[room.bare]
                ?? Archive(gapPages: policy.gapPages, missedPages: policy.missedRoomPages)
            archive.isNewestDue = true
            archive.end = end
            archive.gaps = Self.holes(gaps, policy)
            online.archives[room.bare] = archive
        }
    }

    /// A room was left.
    public mutating func roomLeft(_ room: JID, now: ContinuousInstant) -> Action {
        change(now) { online, _, _ in
            online.archives[room.bare] = nil
            online.requests.removeAll { $0.archive == room.bare }
        }
    }

    /// The page is in the store, which reports the remaining gaps.
    ///
    /// - Parameter end: for a page of the newest messages that was read forward, the id after which there are more; `nil` if
    ///   there are none.
    public mutating func answered(
        _ request: HistoryRequest, gaps: [ArchiveGap], end: String? = nil, now: ContinuousInstant
    ) -> Action {
        finish(request, now) { online, policy, _ in
            guard var archive = online.archives[request.archive] else { return }
            archive.failures = 0
            archive.notBefore = nil
            if request.with == nil {
                archive.gaps = Self.holes(gaps, policy)
                if request.purpose == .newest {
                    archive.isNewestDue = end != nil
                    archive.end = end
                    if request.query.direction == .forward { archive.missedPages -= 1 }
                }
                if request.purpose == .gap { archive.missedPages -= 1 }
                if request.purpose == .past { archive.gapPages -= 1 }
            }
            online.archives[request.archive] = archive
        }
    }

    /// The request failed.
    public mutating func failed(
        _ request: HistoryRequest, _ failure: HistoryFailure, now: ContinuousInstant
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
                archive.end = nil
                archive.isNewestDue = true
                forgets = true
            case .cursorLost, .temporary:
                archive.failures += 1
                archive.notBefore = now.advanced(by: policy.backoff.pause(after: archive.failures))
                if request.purpose == .older { online.requests.insert(request, at: 0) }
            }
            online.archives[request.archive] = archive
        }
        guard forgets else { return action }
        let newest = Self.newest(of: request.archive, policy)
        // The planned next action follows the newest page.
        return begin(newest, instead: action)
    }

    /// The backoff of a gap is over.
    public mutating func deadlinePassed(now: ContinuousInstant) -> Action {
        change(now) { _, _, _ in }
    }

    /// The session has ended.
    public mutating func disconnected() {
        let (account, policy, focus) = (account, policy, focus)
        switch consume state {
        case .offline: self = Self(account, policy, focus, .offline)
        case .idle: self = Self(account, policy, focus, .offline)
        case .asking: self = Self(account, policy, focus, .offline)
        }
    }

    /// Whether the request is pending.
    public func isWaiting(for request: HistoryRequest) -> Bool {
        switch state {
        case .offline: false
        case .idle(let online): online.requests.contains(request)
        case .asking(let pending, let online): pending == request || online.requests.contains(request)
        }
    }

    // MARK: User requests

    /// The user looks at a conversation.
    ///
    /// - Parameter peer: the contact; `nil` in a room.
    public mutating func opened(
        archive: JID, peer: JID?, now: ContinuousInstant
    ) -> Action {
        focus = Focus(archive: archive.bare, peer: peer?.bare)
        return change(now) { _, _, _ in }
    }

    /// The user looks at no conversation.
    public mutating func closed() {
        focus = nil
    }

    /// The user has scrolled to the oldest stored message.
    ///
    /// - Parameter anchor: its archive id; `nil` if nothing is stored.
    public mutating func olderRequested(
        archive: JID, peer: JID?, before anchor: String?, now: ContinuousInstant
    ) -> Action {
        change(now) { online, policy, _ in
            let request = HistoryRequest(
                archive: archive.bare, with: peer?.bare, query: StoredArchiveQuery(.backward, anchor: anchor),
                purpose: .older, limit: policy.pageSize)
            if !online.requests.contains(request) { online.requests.append(request) }
        }
    }
}

// MARK: - Planning

extension HistorySync {
    static func newest(of archive: JID, with peer: JID? = nil, _ policy: HistoryPolicy) -> HistoryRequest {
        HistoryRequest(
            archive: archive, with: peer, query: StoredArchiveQuery(.backward), purpose: .newest, limit: policy.pageSize
        )
    }

    private static func filling(_ gap: ArchiveGap, of archive: JID, _ policy: HistoryPolicy) -> HistoryRequest {
        var query = StoredArchiveQuery(.backward, anchor: gap.before.id, limit: gap.after?.id)
        if policy.order == .oldestFirst, gap.isMissed {
            query = StoredArchiveQuery(.forward, anchor: gap.after?.id, limit: gap.before.id)
        }
        return HistoryRequest(
            archive: archive, query: query, purpose: gap.isMissed ? .gap : .past, limit: policy.pageSize)
    }

    /// The gap before the oldest message comes last, or waits for the user to scroll there.
    static func holes(_ gaps: [ArchiveGap], _ policy: HistoryPolicy) -> [ArchiveGap] {
        gaps.filter { $0.isMissed || policy.reachesBack }
    }

    static func next(
        _ online: inout Online, _ focus: Focus?, _ account: JID, _ policy: HistoryPolicy, now: ContinuousInstant
    ) -> Action {
        func isReady(_ address: JID) -> Bool {
            guard let archive = online.archives[address], !archive.isRefused else { return false }
            return archive.notBefore.map { $0 <= now } ?? true
        }
        online.requests.removeAll { online.archives[$0.archive]?.isRefused ?? true }
        func isInFront(_ request: HistoryRequest) -> Bool {
            Focus(archive: request.archive, peer: request.with) == focus
        }
        let ready = online.requests.filter { isReady($0.archive) }
        if let request = ready.first(where: isInFront) ?? ready.first {
            online.requests.removeAll { $0 == request }
            return .ask(request)
        }
        // The newest page of the whole archive may be full of other conversations, so the visible one is requested
        // first.
        if let peer = focus?.peer, focus?.archive == account, isReady(account), !online.seen.contains(peer),
            online.archives[account]?.isNewestDue == true
        {
            online.seen.insert(peer)
            return .ask(newest(of: account, with: peer, policy))
        }
        let order = online.archives.keys.sorted { left, right in
            func rank(_ address: JID) -> Int { address == focus?.archive ? 0 : address == account ? 1 : 2 }
            // Rooms take turns, so that none waits for the end of another one's archive.
            func turn(_ address: JID) -> Int {
                policy.order == .oldestFirst ? -(online.archives[address]?.missedPages ?? 0) : 0
            }
            return (rank(left), turn(left), left) < (rank(right), turn(right), right)
        }
        for address in order where isReady(address) {
            guard let archive = online.archives[address], archive.isNewestDue else { continue }
            if let gap = archive.missedGap(policy) { return .ask(filling(gap, of: address, policy)) }
            guard policy.order == .oldestFirst, archive.missedPages > 0, let end = archive.end else {
                return .ask(newest(of: address, policy))
            }
            let query = StoredArchiveQuery(.forward, anchor: end.isEmpty ? nil : end)
            return .ask(HistoryRequest(archive: address, query: query, purpose: .newest, limit: policy.pageSize))
        }
        for address in order where isReady(address) {
            guard let gap = online.archives[address]?.dueGap(policy) else { continue }
            return .ask(filling(gap, of: address, policy))
        }
        let waiting =
            online.archives.values.filter { archive in
                !archive.isRefused && (archive.isNewestDue || archive.dueGap(policy) != nil)
            }.compactMap(\.notBefore) + online.requests.compactMap { online.archives[$0.archive]?.notBefore }
        return waiting.filter { $0 > now }.min().map { .wait(until: $0) } ?? .none
    }

    /// Applies a change and continues unless a request is pending.
    private mutating func change(
        _ now: ContinuousInstant, _ change: (inout Online, HistoryPolicy, JID) -> Void,
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

    /// Ends the pending request; results of any other are ignored.
    private mutating func finish(
        _ request: HistoryRequest, _ now: ContinuousInstant,
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

    /// Puts the newest page before the planned action.
    private mutating func begin(_ newest: HistoryRequest, instead action: Action) -> Action {
        let (account, policy, focus) = (account, policy, focus)
        switch consume state {
        case .offline:
            self = Self(account, policy, focus, .offline)
            return .none
        case .idle(let online):
            self = Self(account, policy, focus, .asking(newest, online))
        case .asking(let request, var online):
            if request.purpose == .older { online.requests.insert(request, at: 0) }
            self = Self(account, policy, focus, .asking(newest, online))
        }
        return .forget(archive: newest.archive, then: newest)
    }
}
