import ChatFixtures
import ChatModel
import ChatStore
import XMPPAddress

/// Changes a store at random, reproducibly by seed.
@MainActor
struct RandomWalk {
    static let count = LongTests.isOn ? 1_000 : 60
    static let steps = 50

    let fixture: ModelFixture
    var generator: SeededGenerator
    /// The ids of messages that can be replied to, corrected and retracted.
    var names: [String] = []
    private var clock: Int64 = 0
    private(set) var number = 0

    init(seed: Int) async throws {
        fixture = try await ModelFixture()
        generator = SeededGenerator(seed: UInt64(seed))
    }

    mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }

    /// The sender and time of the next change.
    struct Occasion {
        let name: String
        let time: Int64
        let isOld: Bool
        let isOwn: Bool
        /// A target, rarely an unknown one.
        let target: TargetReference
    }

    /// Mostly later than before, sometimes much older, as from an archive.
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

    /// The changes since the last call; there is always one, so this does not block.
    func changes() async throws -> StoreChanges {
        let own = ConversationKey(account: fixture.account, address: fixture.juliet, kind: .direct)
        try await fixture.store.write { store throws(StoreError) in
            try store.update(ConversationSettings(), of: try store.openConversation(own))
        }
        return await fixture.changes()
    }
}
