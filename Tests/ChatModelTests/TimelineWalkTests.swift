import ChatFixtures
import ChatModel
import ChatStore
import Testing
import XMPPAddress

/// Random changes of a store: a view that only applies diffs always equals reading again.
@Suite("Timeline and list under random changes")
@MainActor
struct TimelineWalkTests {
    /// One change of the store.
    private static func change(_ walk: inout RandomWalk) async throws {
        let (fixture, occasion) = (walk.fixture, walk.next())
        let (name, target) = (occasion.name, occasion.target)
        switch walk.below(12) {
        case 0...3:
            let reply = !walk.names.isEmpty && walk.below(3) == 0 ? target : nil
            try await walk.receive(.text(MessageText("text \(name)", reply: reply)), occasion)
            walk.names.append(name)
        case 4: try await walk.receive(.correction(of: target, MessageText("edit \(name)")), occasion)
        case 5: try await walk.receive(.reactions(to: target, walk.below(2) == 0 ? [] : ["👍"]), occasion)
        case 6: try await walk.receive(.retraction(of: target), occasion)
        case 7:
            try await fixture.send(.text(MessageText("sent \(name)")), id: name, at: occasion.time)
            walk.names.append(name)
        case 8:
            let (romeo, key) = (fixture.romeo, fixture.key)
            let kind: StateReport.Kind = walk.below(2) == 0 ? .delivered : .displayed
            try await fixture.store.write { store throws(StoreError) in
                try store.receive(StateReport(kind, target: target, sender: romeo), in: key)
            }
        case 9:
            if let message = try await walk.anyMessage() { try await fixture.markRead(message.id) }
        case 10: try await walk.removeMessage()
        default:
            let other = try fixture.key("nurse@capulet.example")
            try await fixture.receive("x", id: name, at: occasion.time, in: other)
        }
    }

    /// One movement of the user.
    private static func move(_ timeline: Timeline, _ walk: inout RandomWalk) async throws {
        switch walk.below(9) {
        case 0...2: await timeline.loadOlder()
        case 3, 4: await timeline.loadNewer()
        case 5:
            timeline.viewMoved(isAtNewest: walk.below(2) == 0)
            // At the newest message the window is filled again by the next update.
            await timeline.refresh()
        case 6:
            await timeline.showNewest()
            await timeline.refresh()
        case 7:
            if let message = try await walk.anyMessage() {
                #expect(await timeline.show(message.id) == .message(message.id))
            }
        default: await timeline.open()
        }
    }

    @Test("S0-89: ≥ 1,000 walks of 50 steps: applying the diffs always equals reading again", arguments: 0..<4)
    func walk(part: Int) async throws {
        for number in 0..<RandomWalk.count / 4 {
            var walk = try await RandomWalk(seed: part * 10_000 + number)
            let fixture = walk.fixture
            let actions = StoreActions(store: fixture.store, own: fixture.juliet)
            let timeline = Timeline(
                fixture.key, store: fixture.store, actions: actions,
                environment: fixture.environment(zone: "Asia/Shanghai"), pageSize: 2 + walk.below(6))
            let list = ConversationList(store: fixture.store, environment: fixture.environment())
            await timeline.open()
            await list.reload()
            let items = Mirror(timeline.items)
            let rows = Mirror(list.rows)
            for step in 0..<RandomWalk.steps {
                if walk.below(3) == 0 {
                    try await Self.move(timeline, &walk)
                } else {
                    try await Self.change(&walk)
                    let changes = try await walk.changes()
                    await timeline.apply(changes)
                    await list.apply(changes)
                }
                let place: Comment = "walk \(part * 10_000 + number), step \(step)"
                try await Self.check(timeline, items, fixture, place)
                let fresh = ConversationList(store: fixture.store, environment: fixture.environment())
                await fresh.reload()
                #expect(rows.rows == list.rows.elements, place)
                #expect(list.rows.elements == fresh.rows.elements, place)
            }
            #expect(items.allFit && rows.allFit)
            #expect(fixture.reports.all.isEmpty)
        }
    }

    private static func check(
        _ timeline: Timeline, _ mirror: Mirror<TimelineItem>, _ fixture: ModelFixture, _ place: Comment
    ) async throws {
        #expect(mirror.rows == timeline.items.elements, place)
        let before = timeline.items.elements
        let all = try await fixture.all()
        let shown = timeline.messages
        if let first = shown.first {
            let start = try #require(all.firstIndex { $0.id == first.id }, place)
            #expect(Array(all[start...].prefix(shown.count)) == shown, place)
            #expect(timeline.reachesNewest == (shown.last?.id == all.last?.id), place)
        } else {
            #expect(all.isEmpty, place)
        }
        #expect(timeline.items.elements.compactMap(\.message?.id) == shown.map(\.id), place)
        // Without a change, reading again gives the same.
        await timeline.refresh()
        #expect(timeline.items.elements == before, place)
    }
}
