import ChatFixtures
import ChatStore
import Testing
import XMPPAddress

@testable import ChatModel

/// Models that follow the store by themselves, as in a program.
@Suite("Following the store")
@MainActor
struct FollowingTests {
    @Test("S1-30, S2-32: a running model shows changes by itself, and ends with its task")
    func run() async throws {
        let fixture = try await ModelFixture()
        let timeline = Timeline(fixture.key, store: fixture.store, environment: fixture.environment())
        let list = ConversationList(store: fixture.store, environment: fixture.environment())
        let contacts = ContactList(store: fixture.store, environment: fixture.environment())
        let accounts = AccountList(store: fixture.store, environment: fixture.environment())
        let tasks = [
            Task {
                await timeline.open()
                await timeline.run()
            },
            Task { await list.run() }, Task { await contacts.run() }, Task { await accounts.run() },
        ]
        await eventually { accounts.rows.elements.count == 1 }
        try await fixture.receive("one", id: "a", at: 1)
        let (account, romeo) = (fixture.account, fixture.romeo)
        try await fixture.store.write { store throws(StoreError) in
            try store.save(StoredContact(address: romeo, name: "Romeo", subscription: .both), of: account)
        }
        await eventually { timeline.messages.count == 1 && list.rows.elements.first?.title == "Romeo" }
        await eventually { contacts.rows.elements.count == 1 }
        #expect(timeline.messages.count == 1)
        #expect(list.rows.elements.map(\.title) == ["Romeo"])
        #expect(contacts.rows.elements.map(\.name) == ["Romeo"])
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }

    @Test("a store that cannot be read is reported, and the content stays")
    func closed() async throws {
        let fixture = try await ModelFixture()
        try await fixture.receive("one", id: "a", at: 1)
        let list = ConversationList(store: fixture.store, environment: fixture.environment())
        let timeline = Timeline(fixture.key, store: fixture.store, environment: fixture.environment())
        await list.reload()
        await timeline.open()
        await fixture.store.close()
        await list.reload()
        await timeline.refresh()
        #expect(list.problem?.code == .closed)
        #expect(list.rows.elements.count == 1)
        #expect(timeline.problem?.code == .closed)
        #expect(timeline.messages.count == 1)
    }

    @Test("a row that is given twice is shown once and reported")
    func twice() async throws {
        struct Row: Identifiable, Equatable, Sendable { let id: Int }
        let reports = ModelFixture.Reports()
        let list = ObservableList<Row>(report: { reports.add($0) })
        list.show([Row(id: 1), Row(id: 2), Row(id: 1)])
        #expect(list.elements.map(\.id) == [1, 2])
        #expect(reports.all.count == 1)
    }

    @Test("a released observer is not called any more")
    func observation() async throws {
        struct Row: Identifiable, Equatable, Sendable { let id: Int }
        let list = ObservableList<Row>()
        var count = 0
        var observation: ListObservation? = list.observe { _ in count += 1 }
        list.show([Row(id: 1)])
        withExtendedLifetime(observation) {}
        observation = nil
        list.show([])
        #expect(count == 1)
    }

    @Test("a thousand calls at once run the work twice: at once, and after the interval")
    func coalescing() async throws {
        let clock = ManualClock()
        let coalescer = Coalescer(every: .milliseconds(100), clock: clock)
        var runs = 0
        let task = Task { await coalescer.run { runs += 1 } }
        coalescer.call()
        await clock.sleeps(1)
        for _ in 0..<1000 { coalescer.call() }
        #expect(runs == 1)
        clock.advance(by: .milliseconds(100))
        await clock.sleeps(2)
        #expect(runs == 2)
        clock.advance(by: .milliseconds(100))
        coalescer.call()
        await clock.sleeps(3)
        #expect(runs == 3)
        task.cancel()
        await task.value
    }
}
