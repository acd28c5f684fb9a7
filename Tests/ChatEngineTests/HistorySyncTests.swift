import ChatEngine
import ChatFixtures
import ChatStore
import Testing
import Waiting
import XMPPAddress

@Suite("Planning the next page of history")
struct HistorySyncTests {
    static let account = address("juliet@example.com")
    static let room = address("orchard@rooms.example.com")
    static let romeo = address("romeo@example.com")
    static let start = ContinuousInstant(sinceStart: .zero)

    static func address(_ text: String) -> JID {
        guard let address = try? JID(text) else { preconditionFailure("\(text) is no address") }
        return address
    }

    static func gap(_ after: String?, _ before: String) -> ArchiveGap {
        func place(_ id: String) -> StoredArchivePosition {
            StoredArchivePosition(id: id, time: MessageTime(millisecondsSince1970: Int64(id) ?? 0))
        }
        return ArchiveGap(after: after.map(place), before: place(before))
    }

    static func request(_ action: HistorySync.Action) -> HistoryRequest? {
        switch action {
        case .ask(let request), .forget(_, let request): request
        case .none, .wait: nil
        }
    }

    @Test("a new session starts with the newest page of the account's archive")
    func newSession() throws {
        var sync = HistorySync(account: Self.account)
        let action = sync.sessionBegan(isResumed: false, gaps: [], now: Self.start)
        let request = try #require(Self.request(action))
        #expect(request.archive == Self.account && request.with == nil && request.purpose == .newest)
        #expect(request.query == StoredArchiveQuery(.backward))
        #expect(sync.answered(request, gaps: [], now: Self.start) == .none)
    }

    @Test("a resumed session missed nothing, but earlier gaps are filled")
    func resumed() throws {
        var sync = HistorySync(account: Self.account)
        #expect(sync.sessionBegan(isResumed: true, gaps: [], now: Self.start) == .none)
        var other = HistorySync(account: Self.account)
        let request = try #require(
            Self.request(other.sessionBegan(isResumed: true, gaps: [Self.gap("1", "9")], now: Self.start)))
        #expect(request.purpose == .gap)
        #expect(request.query == StoredArchiveQuery(.backward, anchor: "9", limit: "1"))
    }

    @Test(
        "gaps are filled from newest to oldest, and the oldest part is left out if the policy says so"
    )
    func holes() throws {
        var policy = HistoryPolicy()
        policy.reachesBack = false
        var sync = HistorySync(account: Self.account, policy: policy)
        var request = try #require(
            Self.request(sync.sessionBegan(isResumed: false, gaps: [Self.gap(nil, "5")], now: Self.start)))
        let gaps = [Self.gap("50", "90"), Self.gap("10", "20"), Self.gap(nil, "5")]
        request = try #require(Self.request(sync.answered(request, gaps: gaps, now: Self.start)))
        #expect(request.query == StoredArchiveQuery(.backward, anchor: "90", limit: "50"))
        request = try #require(
            Self.request(sync.answered(request, gaps: Array(gaps.dropFirst()), now: Self.start)))
        #expect(request.query == StoredArchiveQuery(.backward, anchor: "20", limit: "10"))
        #expect(sync.answered(request, gaps: [Self.gap(nil, "5")], now: Self.start) == .none)
    }

    @Test("for a program that handles each message, gaps and then new messages are read as they were sent")
    func oldestFirst() throws {
        var policy = HistoryPolicy()
        policy.order = .oldestFirst
        var sync = HistorySync(account: Self.account, policy: policy)
        var gaps = [Self.gap("50", "90"), Self.gap("10", "20"), Self.gap(nil, "5")]
        var request = try #require(
            Self.request(sync.sessionBegan(isResumed: false, gaps: gaps, end: "99", now: Self.start)))
        #expect(request.query == StoredArchiveQuery(.forward, anchor: "10", limit: "20") && request.purpose == .gap)
        // The rest of the same gap.
        gaps[1] = Self.gap("15", "20")
        request = try #require(Self.request(sync.answered(request, gaps: gaps, now: Self.start)))
        #expect(request.query == StoredArchiveQuery(.forward, anchor: "15", limit: "20"))
        gaps.remove(at: 1)
        request = try #require(Self.request(sync.answered(request, gaps: gaps, now: Self.start)))
        #expect(request.query == StoredArchiveQuery(.forward, anchor: "50", limit: "90"))
        gaps.remove(at: 0)
        // Then what was missed since, page by page.
        request = try #require(Self.request(sync.answered(request, gaps: gaps, now: Self.start)))
        #expect(request.query == StoredArchiveQuery(.forward, anchor: "99") && request.purpose == .newest)
        request = try #require(Self.request(sync.answered(request, gaps: gaps, end: "149", now: Self.start)))
        #expect(request.query == StoredArchiveQuery(.forward, anchor: "149") && request.purpose == .newest)
        request = try #require(Self.request(sync.answered(request, gaps: gaps, now: Self.start)))
        // What is older than everything stored comes last.
        #expect(request.query == StoredArchiveQuery(.backward, anchor: "5") && request.purpose == .past)
        #expect(sync.answered(request, gaps: [], now: Self.start) == .none)
    }

    @Test("an archive that was empty is read from its start: forward for programs, back to the start for people")
    func emptyBefore() throws {
        var policy = HistoryPolicy()
        policy.order = .oldestFirst
        var sync = HistorySync(account: Self.account, policy: policy)
        var request = try #require(
            Self.request(sync.sessionBegan(isResumed: false, gaps: [], end: "", now: Self.start)))
        #expect(request.query == StoredArchiveQuery(.forward) && request.purpose == .newest)
        request = try #require(Self.request(sync.answered(request, gaps: [], end: "49", now: Self.start)))
        #expect(request.query == StoredArchiveQuery(.forward, anchor: "49"))
        #expect(sync.answered(request, gaps: [], now: Self.start) == .none)

        // More than the pages for what nobody has asked for.
        (policy.order, policy.gapPages, policy.reachesBack) = (.newestFirst, 1, false)
        sync = HistorySync(account: Self.account, policy: policy)
        request = try #require(
            Self.request(sync.sessionBegan(isResumed: false, gaps: [], end: "", now: Self.start)))
        #expect(request.query == StoredArchiveQuery(.backward))
        for before in ["90", "60", "30"] {
            let gap = ArchiveGap(after: nil, before: Self.gap(nil, before).before, followsEmpty: true)
            request = try #require(Self.request(sync.answered(request, gaps: [gap], now: Self.start)))
            #expect(request.query == StoredArchiveQuery(.backward, anchor: before) && request.purpose == .gap)
        }
        #expect(sync.answered(request, gaps: [], now: Self.start) == .none)
    }

    @Test("rooms that are read forward take turns, so that an endless archive keeps no other room waiting")
    func turns() throws {
        var policy = HistoryPolicy()
        policy.order = .oldestFirst
        var sync = HistorySync(account: Self.account, policy: policy)
        var action = sync.sessionBegan(isResumed: false, gaps: [], end: "9", now: Self.start)
        let endless = Self.address("endless@rooms.example.com")
        for room in [endless, Self.room] { _ = sync.roomEntered(room, gaps: [], end: "1", now: Self.start) }
        var asked: [JID] = []
        while let request = Self.request(action), asked.count < 5 {
            asked.append(request.archive)
            let isOver = request.archive == Self.account || asked.count { $0 == Self.room } == 2
            action = sync.answered(
                request, gaps: [], end: isOver && request.archive != endless ? nil : "\(asked.count + 1)",
                now: Self.start)
        }
        #expect(asked == [Self.account, endless, Self.room, endless, Self.room])
    }

    @Test("without a stored message, and when the archive has forgotten the last one, the newest page is requested")
    func oldestFirstWithoutEnd() throws {
        var policy = HistoryPolicy()
        policy.order = .oldestFirst
        var sync = HistorySync(account: Self.account, policy: policy)
        let first = try #require(Self.request(sync.sessionBegan(isResumed: false, gaps: [], now: Self.start)))
        #expect(first.query == StoredArchiveQuery(.backward))
        sync.disconnected()
        let next = try #require(
            Self.request(sync.sessionBegan(isResumed: false, gaps: [], end: "9", now: Self.start)))
        #expect(next.query == StoredArchiveQuery(.forward, anchor: "9"))
        guard case .forget(Self.account, let newest) = sync.failed(next, .cursorLost, now: Self.start) else {
            Issue.record("The intervals are kept.")
            return
        }
        #expect(newest.query == StoredArchiveQuery(.backward))
        #expect(sync.answered(newest, gaps: [], now: Self.start) == .none)
    }

    @Test("an archive that never ends is read forward for a number of pages, and then from its newest page")
    func endlessForward() throws {
        var policy = HistoryPolicy()
        (policy.order, policy.missedPages) = (.oldestFirst, 3)
        var sync = HistorySync(account: Self.account, policy: policy)
        var action = sync.sessionBegan(isResumed: false, gaps: [], end: "1", now: Self.start)
        var anchors: [String?] = []
        while let request = Self.request(action), anchors.count < 10 {
            anchors.append(request.query.anchor)
            let end = request.query.direction == .forward ? "\(anchors.count)0" : nil
            action = sync.answered(request, gaps: [], end: end, now: Self.start)
        }
        #expect(anchors == ["1", "10", "20", nil])
    }

    @Test(
        "what was missed is requested to its end; an endless gap stops after a number of pages, and a new session continues",
        arguments: [false, true])
    func bounded(isRoom: Bool) throws {
        var sync = HistorySync(account: Self.account)
        var action = sync.sessionBegan(isResumed: false, gaps: [], now: Self.start)
        if isRoom {
            let own = try #require(Self.request(action))
            _ = sync.roomEntered(Self.room, gaps: [], now: Self.start)
            action = sync.answered(own, gaps: [], now: Self.start)
        }
        let policy = HistoryPolicy.standard
        let limit = isRoom ? policy.missedRoomPages : policy.missedPages
        // More than a thousand messages, so that programs get events for all of them.
        #expect(limit * policy.pageSize >= 10_000)
        var count = 0
        while let request = Self.request(action), count <= 2 * limit {
            count += 1
            #expect(request.archive == (isRoom ? Self.room : Self.account))
            action = sync.answered(request, gaps: [Self.gap("1", "9\(count)")], now: Self.start)
        }
        #expect(count == 1 + limit)
        sync.disconnected()
        #expect(Self.request(sync.sessionBegan(isResumed: false, gaps: [], now: Self.start)) != nil)
    }

    @Test("after the pages that reach back, what was missed is requested all the same")
    func backAndMissed() throws {
        var sync = HistorySync(account: Self.account)
        var action = sync.sessionBegan(isResumed: false, gaps: [], now: Self.start)
        for _ in 0...HistoryPolicy.standard.gapPages {
            action = sync.answered(try #require(Self.request(action)), gaps: [Self.gap(nil, "5")], now: Self.start)
        }
        #expect(action == .none)
        let gaps = [Self.gap("10", "20"), Self.gap(nil, "5")]
        let missed = try #require(Self.request(sync.sessionBegan(isResumed: true, gaps: gaps, now: Self.start)))
        #expect(missed.query.limit == "10" && missed.query.anchor == "20")
    }

    @Test("messages before the oldest stored one are synchronised too, as far as the policy allows")
    func backfill() throws {
        var sync = HistorySync(account: Self.account)
        var action = sync.sessionBegan(isResumed: false, gaps: [], now: Self.start)
        var anchors: [String?] = []
        while let request = Self.request(action), anchors.count < 100 {
            anchors.append(request.query.anchor)
            action = sync.answered(request, gaps: [Self.gap(nil, "\(1000 - anchors.count)")], now: Self.start)
        }
        #expect(anchors.count == 1 + HistoryPolicy.standard.gapPages)
        #expect(anchors.prefix(3) == [nil, "999", "998"])
    }

    @Test("the visible conversation comes before everything else")
    func focus() throws {
        var sync = HistorySync(account: Self.account)
        #expect(sync.opened(archive: Self.account, peer: Self.romeo, now: Self.start) == .none)
        var request = try #require(Self.request(sync.sessionBegan(isResumed: false, gaps: [], now: Self.start)))
        #expect(request.with == Self.romeo && request.purpose == .newest)
        request = try #require(Self.request(sync.answered(request, gaps: [], now: Self.start)))
        #expect(request.with == nil && request.purpose == .newest)
        #expect(sync.answered(request, gaps: [], now: Self.start) == .none)
    }

    @Test("a page that the user waits for is next, and requested once")
    func older() throws {
        var sync = HistorySync(account: Self.account)
        let first = try #require(Self.request(sync.sessionBegan(isResumed: false, gaps: [], now: Self.start)))
        #expect(sync.olderRequested(archive: Self.account, peer: Self.romeo, before: "7", now: Self.start) == .none)
        #expect(sync.olderRequested(archive: Self.account, peer: Self.romeo, before: "7", now: Self.start) == .none)
        let older = try #require(
            Self.request(sync.answered(first, gaps: [Self.gap("1", "9")], now: Self.start)))
        #expect(older.purpose == .older && older.query.anchor == "7" && older.with == Self.romeo)
        let next = try #require(Self.request(sync.answered(older, gaps: [], now: Self.start)))
        #expect(next.purpose == .gap)
    }

    @Test("rooms come after the account, the visible one first")
    func rooms() throws {
        let second = Self.address("balcony@rooms.example.com")
        var sync = HistorySync(account: Self.account)
        var request = try #require(Self.request(sync.sessionBegan(isResumed: false, gaps: [], now: Self.start)))
        _ = sync.roomEntered(second, gaps: [], now: Self.start)
        _ = sync.roomEntered(Self.room, gaps: [], now: Self.start)
        _ = sync.opened(archive: Self.room, peer: nil, now: Self.start)
        var order: [JID] = []
        var action = sync.answered(request, gaps: [], now: Self.start)
        while let next = Self.request(action) {
            order.append(next.archive)
            request = next
            action = sync.answered(request, gaps: [], now: Self.start)
        }
        #expect(order == [Self.room, second])
        #expect(sync.roomEntered(second, gaps: [], now: Self.start) != .none)
        #expect(sync.roomLeft(second, now: Self.start) == .none)
    }

    @Test("a cursor lost by the archive: its intervals are deleted once, and the newest page is requested again")
    func cursorLost() throws {
        var sync = HistorySync(account: Self.account)
        let gaps = [Self.gap("1", "9")]
        let gap = try #require(Self.request(sync.sessionBegan(isResumed: true, gaps: gaps, now: Self.start)))
        let action = sync.failed(gap, .cursorLost, now: Self.start)
        guard case .forget(let archive, let newest) = action else {
            Issue.record("\(action)")
            return
        }
        #expect(archive == Self.account && newest.purpose == .newest && newest.query.anchor == nil)
        #expect(sync.answered(newest, gaps: [], now: Self.start) == .none)
    }

    @Test("a temporary failure is retried after an increasing backoff")
    func temporary() throws {
        var sync = HistorySync(account: Self.account)
        var request = try #require(Self.request(sync.sessionBegan(isResumed: false, gaps: [], now: Self.start)))
        var now = Self.start
        for pause in [5, 10, 20, 40, 80, 160, 300, 300] {
            #expect(sync.failed(request, .temporary, now: now) == .wait(until: now.advanced(by: .seconds(pause))))
            #expect(sync.deadlinePassed(now: now.advanced(by: .seconds(pause - 1))) != .none)
            now = now.advanced(by: .seconds(pause))
            request = try #require(Self.request(sync.deadlinePassed(now: now)))
        }
        #expect(sync.answered(request, gaps: [], now: now) == .none)
    }

    @Test("an archive that refuses is skipped, and the others continue")
    func refused() throws {
        var sync = HistorySync(account: Self.account)
        let own = try #require(Self.request(sync.sessionBegan(isResumed: false, gaps: [], now: Self.start)))
        _ = sync.roomEntered(Self.room, gaps: [], now: Self.start)
        let room = try #require(Self.request(sync.failed(own, .refused, now: Self.start)))
        #expect(room.archive == Self.room)
        #expect(sync.answered(room, gaps: [], now: Self.start) == .none)
        #expect(sync.olderRequested(archive: Self.account, peer: Self.romeo, before: nil, now: Self.start) == .none)
    }

    @Test("unexpected results, and those after the end, are ignored")
    func strayAnswers() throws {
        var sync = HistorySync(account: Self.account)
        let request = try #require(Self.request(sync.sessionBegan(isResumed: false, gaps: [], now: Self.start)))
        let other = HistoryRequest(
            archive: Self.room, query: StoredArchiveQuery(.backward), purpose: .newest, limit: 50)
        #expect(sync.answered(other, gaps: [], now: Self.start) == .none)
        sync.disconnected()
        #expect(sync.answered(request, gaps: [], now: Self.start) == .none)
        #expect(sync.failed(request, .temporary, now: Self.start) == .none)
        #expect(sync.roomEntered(Self.room, gaps: [], now: Self.start) == .none)
        #expect(sync.deadlinePassed(now: Self.start) == .none)
    }
}
