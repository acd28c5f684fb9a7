import ChatFixtures
import ChatModel
import ChatStore
import XMPPAddress

/// Somebody who changes a store at random, always the same way for the same seed.
@MainActor
struct RandomWalk {
    static let count = LongTests.isOn ? 1_000 : 60
    static let steps = 50

    let fixture: ModelFixture
    var generator: SeededGenerator
    /// What can be answered, changed and taken back.
    var names: [String] = []
    private var clock: Int64 = 0
    private(set) var number = 0

    init(seed: Int) async throws {
        fixture = try await ModelFixture()
        generator = SeededGenerator(seed: UInt64(seed))
    }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    /// Who says what comes next, and when.
    struct Occasion {
        let name: String
        let time: Int64
        let isOld: Bool
        let isOwn: Bool
        /// A message that it may be about, seldom one that nobody has seen.
        let target: TargetReference
    }

    /// Mostly later than before, sometimes from long ago, as archives give it.
    mutating func next() -> Occasion {
        number += 1
        clock += Int64(below(4000))
        let isOld = below(4) == 0
        return Occasion(
            name: "w\(number)", time: isOld ? Int64(below(Int(clock + 1))) : clock, isOld: isOld, isOwn: below(3) == 0,
            target: .sent(id: names.randomElement(using: &generator) ?? "later"))
    }

    func receive(_ content: MessageContent, _ occasion: Occasion) async throws {
        try await fixture.receive(
            content, id: occasion.name, at: occasion.time, isOutgoing: occasion.isOwn,
            route: occasion.isOld ? .archive : .live)
    }

    mutating func anyMessage() async throws -> StoredMessage? {
        try await fixture.all().randomElement(using: &generator)
    }

    mutating func removeMessage() async throws {
        guard let message = try await anyMessage() else { return }
        try await fixture.store.write { store throws(StoreError) in try store.removeMessage(message.id) }
    }

    /// What has changed since the last time, and something has for certain, so that nobody waits.
    func changes() async throws -> StoreChanges {
        let own = ConversationKey(account: fixture.account, address: fixture.juliet, kind: .direct)
        try await fixture.store.write { store throws(StoreError) in
            try store.update(ConversationSettings(), of: try store.openConversation(own))
        }
        return await fixture.changes()
    }
}
