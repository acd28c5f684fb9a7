import ChatModel
import ChatStore
import Foundation
import Testing
import XMPPAddress

/// Random changes of a store: a view that only applies diffs must always show what a fresh look would.
@Suite("Timeline and list under random changes")
@MainActor
struct TimelineWalkTests {
    private static let walks = LongTests.isOn ? 1_000 : 60
    private static let steps = 50

    private struct Walk {
        let fixture: ModelFixture
        let actions: StoreActions
        var generator: SeededGenerator
        var names: [String] = []
        var clock: Int64 = 0
        var count = 0

        mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
    }

    /// One change of the store by somebody.
    private static func change(_ walk: inout Walk) async throws {
        let fixture = walk.fixture
        walk.count += 1
        let name = "w\(walk.count)"
        // Mostly later, sometimes from long ago, as archives give it.
        walk.clock += Int64(walk.below(4000))
        let isOld = walk.below(4) == 0
        let time = isOld ? Int64(walk.below(Int(walk.clock + 1))) : walk.clock
        let isOwn = walk.below(3) == 0
        let target = walk.names.isEmpty ? nil : walk.names[walk.below(walk.names.count)]
        func receive(_ content: MessageContent, isOutgoing: Bool = isOwn) async throws {
            try await fixture.receive(
                content, id: name, at: time, isOutgoing: isOutgoing, route: isOld ? .archive : .live)
        }
        switch walk.below(12) {
        case 0...3:
            let reply = target.flatMap { walk.below(3) == 0 ? TargetReference.sent(id: $0) : nil }
            try await receive(.text(MessageText("text \(name)", reply: reply)))
            walk.names.append(name)
        case 4: try await receive(.correction(of: .sent(id: target ?? "later"), MessageText("edit \(name)")))
        case 5: try await receive(.reactions(to: .sent(id: target ?? "later"), walk.below(2) == 0 ? [] : ["👍"]))
        case 6: try await receive(.retraction(of: .sent(id: target ?? "later")))
        case 7:
            try await fixture.send(.text(MessageText("sent \(name)")), id: name, at: time)
            walk.names.append(name)
        case 8:
            let (romeo, key) = (fixture.romeo, fixture.key)
            let kind: StateReport.Kind = walk.below(2) == 0 ? .delivered : .displayed
            try await fixture.store.write { store throws(StoreError) in
                try store.receive(StateReport(kind, target: .sent(id: target ?? "x"), sender: romeo), in: key)
            }
        case 9:
            if let message = try await fixture.all().randomElement(using: &walk.generator) {
                try await fixture.markRead(message.id)
            }
        case 10:
            if let message = try await fixture.all().randomElement(using: &walk.generator) {
                try await fixture.store.write { store throws(StoreError) in try store.removeMessage(message.id) }
            }
        default:
            let other = try fixture.key("nurse@capulet.example")
            try await fixture.receive("x", id: name, at: time, in: other)
        }
    }

    /// One movement of the person.
    private static func move(_ timeline: Timeline, _ walk: inout Walk) async throws {
        switch walk.below(9) {
        case 0...2: await timeline.loadOlder()
        case 3, 4: await timeline.loadNewer()
        case 5:
            timeline.viewMoved(isAtNewest: walk.below(2) == 0)
            // At the newest message the window is filled up again by the next look.
            await timeline.refresh()
        case 6:
            await timeline.showNewest()
            await timeline.refresh()
        case 7:
            if let message = try await walk.fixture.all().randomElement(using: &walk.generator) {
                #expect(await timeline.show(message.id) == .message(message.id))
            }
        default: await timeline.open()
        }
    }

    @Test("S0-89: ≥ 1,000 walks of 50 steps: the diffs always give what a fresh look gives", arguments: 0..<4)
    func walk(part: Int) async throws {
        for number in 0..<Self.walks / 4 {
            let fixture = try await ModelFixture()
            let actions = StoreActions(store: fixture.store, own: fixture.juliet)
            var walk = Walk(
                fixture: fixture, actions: actions, generator: SeededGenerator(seed: UInt64(part * 10_000 + number)))
            let timeline = Timeline(
                fixture.key, store: fixture.store, actions: actions,
                environment: fixture.environment(zone: "Asia/Shanghai"), pageSize: 2 + walk.below(6))
            let list = ConversationList(store: fixture.store, environment: fixture.environment())
            await timeline.open()
            await list.reload()
            let items = Mirror(timeline.items)
            let rows = Mirror(list.rows)
            for step in 0..<Self.steps {
                if walk.below(3) == 0 {
                    try await Self.move(timeline, &walk)
                } else {
                    try await Self.change(&walk)
                    let own = ConversationKey(account: fixture.account, address: fixture.juliet, kind: .direct)
                    try await fixture.store.write { store throws(StoreError) in
                        // Something has changed for certain, so that the next line does not wait.
                        try store.update(ConversationSettings(), of: try store.openConversation(own))
                    }
                    let changes = await fixture.changes()
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
        // Without any change a fresh look is the same.
        await timeline.refresh()
        #expect(timeline.items.elements == before, place)
    }
}
