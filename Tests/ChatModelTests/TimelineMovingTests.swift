import ChatFixtures
import ChatModel
import ChatStore
import Testing
import XMPPAddress

@Suite("Moving in a timeline")
@MainActor
struct TimelineMovingTests {
    @Test("scrolled up, the window stays; at the end it follows; what one writes is shown wherever one was")
    func following() async throws {
        let fixture = try await ModelFixture()
        try await fixture.fill(0..<40)
        try await fixture.markRead(try #require(await fixture.all().last).id)
        let timeline = fixture.timeline(pageSize: 4)
        await timeline.open()
        #expect(timeline.messages.map(\.text.body) == (36..<40).map { "Number \($0)" })
        for _ in 0..<4 { await timeline.loadOlder() }
        #expect(timeline.messages.count == 12)
        #expect(timeline.messages.first?.text.body == "Number 20")
        #expect(!timeline.reachesNewest && !timeline.isAtNewest)
        _ = await fixture.changes()
        try await fixture.fill(40..<45)
        await timeline.apply(await fixture.changes())
        #expect(timeline.messages.first?.text.body == "Number 20")
        #expect(timeline.unreadCount == 5)
        while await timeline.loadNewer() {}
        #expect(timeline.messages.last?.text.body == "Number 44")
        #expect(timeline.reachesNewest)
        timeline.viewMoved(isAtNewest: true)
        try await fixture.fill(45..<48)
        await timeline.apply(await fixture.changes())
        #expect(timeline.messages.last?.text.body == "Number 47")
        #expect(timeline.messages.count == 12)
        for _ in 0..<4 { await timeline.loadOlder() }
        #expect(!timeline.reachesNewest)
        try await fixture.send(.text(MessageText("mine")), id: "own", at: 9000)
        await timeline.apply(await fixture.changes())
        #expect(timeline.messages.last?.text.body == "mine")
        #expect(timeline.isAtNewest)
    }

    @Test("jumps: to a message, to a date, to the unread line, to the newest")
    func jumps() async throws {
        let fixture = try await ModelFixture()
        try await fixture.fill(0..<100)
        let all = try await fixture.all()
        try await fixture.markRead(all[49].id)
        let timeline = fixture.timeline(pageSize: 6)
        await timeline.open()
        #expect(timeline.messages.contains { $0.id == all[50].id })
        #expect(timeline.initialItem == .unread)
        #expect(await timeline.show(all[10].id) == .message(all[10].id))
        #expect(timeline.messages.contains { $0.id == all[10].id })
        #expect(await timeline.show(MessageID(rawValue: 1 << 40)) == nil)
        #expect(await timeline.show(ModelFixture.time(60 * 30 - 5)) == .message(all[30].id))
        #expect(await timeline.show(ModelFixture.time(1_000_000)) == .message(all[99].id))
        #expect(await timeline.showUnread() == .unread)
        await timeline.showNewest()
        #expect(timeline.messages.last?.id == all[99].id)
        #expect(timeline.isAtNewest)
    }

    @Test("where the store ends the archive is asked: loading shows at the top, and its page joins")
    func archive() async throws {
        let fixture = try await ModelFixture()
        try await fixture.fill(10..<14)
        let (store, key) = (fixture.store, fixture.key)
        let actions = StoreActions(store: store, own: fixture.juliet) {
            let isThere = try? await store.write { store throws(StoreError) in
                let copy = MessageCopy(
                    route: .archive, sender: key.address, wireID: "old", time: ModelFixture.time(0),
                    timeSource: .archive, content: .text(MessageText("old")))
                if case .stored = try store.receive(copy, in: key) { return true }
                return false
            }
            return isThere == true ? .arrived : .nothingMore
        }
        let timeline = fixture.timeline(actions: actions, pageSize: 4)
        await timeline.open()
        let mirror = Mirror(timeline.items)
        #expect(await timeline.loadOlder())
        #expect(mirror.takeSteps().contains(.insert([.history], at: 0)))
        #expect(timeline.messages.first?.text.body == "old")
        #expect(timeline.olderMessages == .possible)
        #expect(!(await timeline.loadOlder()))
        #expect(timeline.olderMessages == .none)
        #expect(!(await timeline.loadOlder()))
        #expect(actions.log.asked == 2)
        #expect(timeline.items.elements.first != .history)
    }

    @Test(
        "history does not end early: after its beginning and a jump to the newest, older messages can be asked for again"
    )
    func beginningAndBack() async throws {
        let fixture = try await ModelFixture()
        try await fixture.fill(0..<40)
        try await fixture.markRead(try #require(await fixture.all().last).id)
        let actions = StoreActions(store: fixture.store, own: fixture.juliet) { .nothingMore }
        let timeline = fixture.timeline(actions: actions, pageSize: 4)
        await timeline.open()
        while await timeline.loadOlder() {}
        #expect(timeline.olderMessages == .none)
        #expect(!timeline.mayLoadOlder)
        await timeline.showNewest()
        #expect(timeline.messages.first?.text.body == "Number 36")
        #expect(timeline.mayLoadOlder)
        #expect(await timeline.loadOlder())
        #expect(timeline.messages.first?.text.body == "Number 32")
    }

    @Test("a gap in the archive is marked between its neighbours")
    func gap() async throws {
        let fixture = try await ModelFixture()
        let (account, juliet, key) = (fixture.account, fixture.juliet, fixture.key)
        func page(_ numbers: [Int], _ query: StoredArchiveQuery) -> StoredArchivePage {
            StoredArchivePage(
                archive: juliet, query: query,
                items: numbers.map { number in
                    ArchiveItem(
                        id: "a\(number)", time: ModelFixture.time(Int64(number)),
                        content: .message(
                            MessageCopy(
                                route: .archive, sender: key.address, wireID: "w\(number)",
                                time: ModelFixture.time(Int64(number)), content: .text(MessageText("\(number)"))),
                            in: key))
                }, isComplete: false)
        }
        let pages = [page([1, 2], StoredArchiveQuery(.forward)), page([8, 9], StoredArchiveQuery(.backward))]
        try await fixture.store.write { store throws(StoreError) in
            for page in pages { try store.receive(page, account: account) }
        }
        let timeline = fixture.timeline()
        await timeline.open()
        #expect(timeline.sketch == ["2026-11-1", "unread 4", "1", "2", "gap", "8", "9"])
        _ = await fixture.changes()
        let middle = page([3], StoredArchiveQuery(.backward, anchor: "a8", limit: "a2"))
        try await fixture.store.write { store throws(StoreError) in
            var middle = middle
            middle.isComplete = true
            try store.receive(middle, account: account)
        }
        await timeline.apply(await fixture.changes())
        #expect(timeline.sketch == ["2026-11-1", "unread 4", "1", "2", "3", "8", "9"])
    }

    @Test("100,000 messages cost no more than the window")
    func large() async throws {
        let fixture = try await ModelFixture()
        let count = LongTests.isOn ? 100_000 : 5_000
        try await fixture.fill(0..<count, every: 1)
        try await fixture.markRead(MessageID(rawValue: Int64(count)))
        let timeline = fixture.timeline()
        await timeline.open()
        for _ in 0..<10 { await timeline.loadOlder() }
        #expect(timeline.messages.count == 150)
        #expect(timeline.messages.last?.text.body == "Number \(count - 401)")
        #expect(timeline.items.elements.count < 160)
        _ = await timeline.show(ModelFixture.time(0))
        #expect(timeline.messages.first?.text.body == "Number 0")
        #expect(fixture.reports.all.isEmpty)
    }
}
