import ChatStore
import Testing
import XMPPAddress

@Suite("Both stores: corrections, retractions, reactions")
struct AnnotationTests {
    private static func correction(_ body: String, of id: String = "a", id own: String, at time: Int64) -> MessageCopy {
        .with(.correction(of: .sent(id: id), MessageText(body)), origin: own, at: time)
    }

    @Test("the last correction is effective, and every version is stored", arguments: StoreKind.allCases)
    func corrections(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let id = try await store.receive(.text("tow", origin: "a", at: 1)).id
        try await store.receive(Self.correction("two", id: "c2", at: 3))
        try await store.receive(
            .with(
                .correction(of: .sent(id: "a"), MessageText("to")), origin: "c1", at: 2, source: .delay))
        let message = try #require(try await store.timeline().first)
        #expect(message.text.body == "two")
        #expect(message.editTime == .at(3))
        let versions = try await store.store.read { store throws(StoreError) in try store.versions(of: id) }
        #expect(versions.map(\.body) == ["tow", "to", "two"])
        #expect(try await store.timeline().count == 1)
        #expect(try await store.found("two") == ["two"])
        #expect(try await store.found("tow").isEmpty)
    }

    @Test("a correction or reaction that arrives before its message waits for it", arguments: StoreKind.allCases)
    func waiting(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let waiting = try await store.receive(Self.correction("two", id: "c", at: 2))
        #expect(waiting == .waiting(waiting.id))
        try await store.receive(.with(.reactions(to: .sent(id: "a"), ["🌹"]), from: .juliet, id: "r", at: 3))
        // A correction of the correction, as some clients send it.
        try await store.receive(Self.correction("three", of: "c", id: "d", at: 4))
        #expect(try await store.timeline().isEmpty)
        try await store.receive(.text("one", origin: "a", at: 1))
        let message = try #require(try await store.timeline().first)
        #expect(message.text.body == "three")
        #expect(message.reactions == [Reaction(emoji: "🌹", sender: .juliet)])
    }

    @Test("only the author can correct and retract", arguments: StoreKind.allCases)
    func authors(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let key = store.balcony
        try await store.receive(
            .text("mine", from: .romeoInBalcony, origin: "a", archived: "1", by: .balcony, at: 1, stay: 1), in: key)
        for content in [
            MessageContent.correction(of: .sent(id: "a"), MessageText("forged")),
            .retraction(of: .archived(ArchiveReference(archive: .balcony, id: "1"))), .retraction(of: .sent(id: "a")),
        ] {
            let reception = try await store.receive(
                .with(content, from: .nurseInBalcony, id: "\(content.hashValue)", at: 2, stay: 2), in: key)
            #expect(reception == .waiting(reception.id))
        }
        let message = try #require(try await store.timeline(key).first)
        #expect(message.text.body == "mine")
        #expect(message.editTime == nil)
        #expect(!message.isRetracted)
    }

    @Test("a moderator's retraction comes from the room", arguments: StoreKind.allCases)
    func moderation(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let key = store.balcony
        try await store.receive(.text("spam", from: .romeoInBalcony, archived: "1", by: .balcony, at: 1), in: key)
        try await store.receive(
            .with(.retraction(of: .archived(.init(archive: .balcony, id: "1"))), from: .balcony, id: "m", at: 2),
            in: key)
        let message = try #require(try await store.timeline(key).first)
        #expect(message.isRetracted)
        #expect(message.text == MessageText(""))
    }

    @Test("a retraction deletes every version of the text, whatever arrives later", arguments: StoreKind.allCases)
    func retraction(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let id = try await store.receive(.text("secret one", origin: "a", at: 1)).id
        try await store.receive(Self.correction("secret two", id: "c", at: 2))
        try await store.receive(.with(.retraction(of: .sent(id: "a")), id: "r", at: 3))
        try await store.receive(Self.correction("secret three", id: "d", at: 4))
        // A further copy does not restore it either.
        try await store.receive(.text("secret one", origin: "a", archived: "1", at: 9))
        let message = try #require(try await store.timeline().first)
        #expect(message.isRetracted)
        #expect(message.text == MessageText(""))
        #expect(try await store.found("secret").isEmpty)
        #expect(try await store.store.read { store throws(StoreError) in try store.versions(of: id) }.isEmpty)
    }

    @Test("the last reactions of each sender are shown", arguments: StoreKind.allCases)
    func reactions(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let key = store.balcony
        let target = TargetReference.archived(ArchiveReference(archive: .balcony, id: "1"))
        try await store.receive(.text("hi", from: .romeoInBalcony, archived: "1", by: .balcony, at: 1), in: key)
        try await store.receive(
            .with(.reactions(to: target, ["👍", "❤️", "👍"]), from: .nurseInBalcony, id: "1", at: 2, stay: 2), in: key)
        try await store.receive(
            .with(.reactions(to: target, ["👍"]), from: .romeoInBalcony, id: "1", at: 3, stay: 1), in: key)
        try await store.receive(
            .with(.reactions(to: target, ["❤️"]), from: .nurseInBalcony, id: "2", at: 4, stay: 2), in: key)
        #expect(
            try await store.timeline(key).first?.reactions == [
                Reaction(emoji: "❤️", sender: .nurseInBalcony), Reaction(emoji: "👍", sender: .romeoInBalcony),
            ])
        try await store.receive(
            .with(.reactions(to: target, []), from: .nurseInBalcony, id: "3", at: 5, stay: 2), in: key)
        #expect(try await store.timeline(key).first?.reactions == [Reaction(emoji: "👍", sender: .romeoInBalcony)])
    }

    @Test("own reactions that came back are not shown, but the ones before them", arguments: StoreKind.allCases)
    func refusedReactions(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let key = store.romeo
        try await store.receive(.text("hi", from: .romeo, id: "a", at: 1))
        func react(_ emojis: [String], id: String, at time: Int64) async throws -> MessageID {
            try await store.store.write { store throws(StoreError) in
                try store.send(
                    OutgoingMessage(
                        sender: .juliet, originID: id, time: .at(time),
                        content: .reactions(to: .sent(id: "a"), emojis)), in: key)
            }
        }
        let first = try await react(["💘"], id: "r1", at: 2)
        try await store.store.write { store throws(StoreError) in try store.advance(first, to: .sentToServer) }
        let second = try await react(["💘", "💜"], id: "r2", at: 3)
        #expect(try await store.timeline(key).first?.reactions.map(\.emoji).sorted() == ["💘", "💜"].sorted())
        let changes = store.store.changes()
        let refusal = FailureReason(.refused, condition: "not-acceptable")
        try await store.store.write { store throws(StoreError) in try store.advance(second, to: .failed(refusal)) }
        #expect(try await store.timeline(key).first?.reactions.map(\.emoji) == ["💘"])
        // Those who show the message learn of it.
        var iterator = changes.makeAsyncIterator()
        let message = try await store.timeline(key).first?.id
        #expect(await iterator.next()?.messages.values.contains { $0.contains { $0 == message } } == true)
    }
}
