import ChatFixtures
import ChatStore
import Testing
import XMPPAddress

@testable import ChatModel

@Suite("Downloads without a question")
@MainActor
struct UnaskedDownloadTests {
    private static let hour: Int64 = 3600

    @Test("the budget of a sender ends, each hour brings a new one, and others have their own")
    func budget() throws {
        let (alice, bob) = (try JID("alice@a.test"), try JID("bob@b.test"))
        var budget = DownloadBudget()
        let half = DownloadBudget.bytesPerHour / 2
        func begin(_ sender: JID, _ bytes: Int64, at seconds: Int64 = 0) -> DownloadBudget.Download? {
            budget.begin(sender, bytes: bytes, now: ModelFixture.time(seconds))
        }
        let first = try #require(begin(alice, half))
        #expect(begin(try JID("alice@a.test/phone"), half) != nil)
        #expect(begin(alice, 1) == nil)
        #expect(begin(bob, half) != nil)
        // It was announced as larger than it is.
        budget.finished(first, bytes: 10)
        #expect(begin(alice, half - 10) != nil)
        #expect(begin(alice, 1) == nil)
        #expect(begin(alice, 1, at: Self.hour) != nil)
    }

    @Test("the number of files of a sender is bounded, also of empty ones and of many addresses")
    func files() throws {
        var budget = DownloadBudget()
        let now = ModelFixture.time(0)
        var begun = 0
        for _ in 0..<1000 where budget.begin(try JID("alice@a.test"), bytes: 0, now: now) != nil { begun += 1 }
        #expect(begun == DownloadBudget.filesPerHour)
        begun = 0
        for number in 0..<5000 {
            if budget.begin(try JID("s\(number)@a.test"), bytes: 0, now: now) != nil { begun += 1 }
        }
        #expect(begun == DownloadBudget.senderLimit - 1 + DownloadBudget.filesPerHour)
    }

    @Test("contacts, and conversations and rooms in which the person has written, need no question")
    func familiar() async throws {
        let fixture = try await ModelFixture()
        let room = try fixture.key("orchard@rooms.example", .room)
        func isUnasked(_ key: ConversationKey) async throws -> Bool {
            try await fixture.store.read { store throws(StoreError) in try store.downloadsUnasked(in: key) }
        }
        try await fixture.receive(.text(MessageText("hi")), id: "a", at: 1)
        try await fixture.receive(.text(MessageText("hi")), id: "r", at: 1, in: room)
        #expect(try await !isUnasked(fixture.key))
        #expect(try await !isUnasked(room))
        try await fixture.receive(.text(MessageText("ho")), id: "b", at: 2, from: fixture.juliet, isOutgoing: true)
        try await fixture.receive(
            .text(MessageText("ho")), id: "s", at: 2, from: fixture.juliet, isOutgoing: true, in: room)
        #expect(try await isUnasked(fixture.key))
        #expect(try await isUnasked(room))
        let paris = try fixture.key("paris@verona.example")
        #expect(try await !isUnasked(paris))
        let account = fixture.account
        try await fixture.store.write { store throws(StoreError) in
            try store.save(StoredContact(address: paris.address), of: account)
        }
        #expect(try await isUnasked(paris))
    }

    @Test("a call that comes while work goes on makes it work once more, however many there are")
    func coalesced() async {
        let coalescer = Coalescer(every: .zero, clock: ContinuousClock())
        var count = 0
        let work = Task {
            await coalescer.run {
                count += 1
                if count == 1 { for _ in 0..<20_000 { coalescer.call() } }
            }
        }
        coalescer.call()
        await eventually { count == 2 }
        for _ in 0..<100 { await Task.yield() }
        #expect(count == 2)
        work.cancel()
    }
}
