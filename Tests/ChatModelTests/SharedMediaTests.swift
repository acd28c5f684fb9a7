import ChatFixtures
import ChatModel
import ChatStore
import Testing
import XMPPAddress

@Suite("Shared media of a conversation")
@MainActor
struct SharedMediaTests {
    private func file(_ kind: Attachment.Kind, _ name: String) -> Attachment { Attachment(kind: kind, name: name) }

    private func say(
        _ fixture: ModelFixture, _ kind: Attachment.Kind, _ name: String, at seconds: Int64
    ) async throws -> MessageID {
        try await fixture.receive(
            .text(MessageText("", attachments: [file(kind, name)])), id: name, at: seconds)
    }

    private func names(_ model: SharedMediaModel) -> [String?] { model.items.elements.map(\.attachment.name) }

    @Test("a new picture appears; a retracted one disappears, and so does one replaced by a correction")
    func live() async throws {
        let fixture = try await ModelFixture()
        let model = SharedMediaModel(
            fixture.key, kinds: [.picture], store: fixture.store, environment: fixture.environment())
        let mirror = Mirror(model.items)
        #expect(!model.isKnown)
        await model.open()
        #expect(model.isKnown && model.items.elements.isEmpty && !model.hasMore)
        _ = try await say(fixture, .picture, "rose", at: 1)
        _ = try await say(fixture, .voice, "song", at: 2)
        await model.apply(fixture.changes())
        #expect(names(model) == ["rose"])
        #expect(model.items.elements.first?.message.senderName == "romeo")
        let two = MessageText("", attachments: [file(.picture, "first"), file(.picture, "second")])
        try await fixture.receive(.text(two), id: "two", at: 3)
        await model.apply(fixture.changes())
        // The newest is first, within a message too.
        #expect(names(model) == ["second", "first", "rose"])
        try await fixture.receive(.retraction(of: .sent(id: "rose")), id: "r", at: 4)
        let edit = MessageText("", attachments: [file(.picture, "better")])
        try await fixture.receive(.correction(of: .sent(id: "two"), edit), id: "c", at: 5)
        await model.apply(fixture.changes())
        #expect(names(model) == ["better"])
        #expect(mirror.rows == model.items.elements && mirror.allFit)
    }

    @Test("it reads page by page, and removed items are replaced by older ones")
    func pages() async throws {
        let fixture = try await ModelFixture()
        var ids: [MessageID] = []
        for number in 0..<7 { ids.append(try await say(fixture, .picture, "\(number)", at: Int64(number))) }
        _ = await fixture.changes()
        let model = SharedMediaModel(
            fixture.key, kinds: [.picture], store: fixture.store, environment: fixture.environment(), pageSize: 3)
        await model.open()
        #expect(names(model) == ["6", "5", "4"] && model.hasMore)
        #expect(await model.loadMore())
        #expect(names(model) == ["6", "5", "4", "3", "2", "1"] && model.hasMore)
        #expect(await model.loadMore())
        #expect(names(model).count == 7 && !model.hasMore)
        #expect(await !model.loadMore())
        let strip = SharedMediaModel(
            fixture.key, kinds: [.picture], store: fixture.store, environment: fixture.environment(), pageSize: 3)
        await strip.open()
        try await fixture.receive(.retraction(of: .sent(id: "5")), id: "r", at: 9)
        await strip.apply(fixture.changes())
        #expect(Array(names(strip).prefix(3)) == ["6", "4", "3"])
    }

    @Test("names follow the contact list, and a deleted conversation takes its pictures with it")
    func nameAndRemoval() async throws {
        let fixture = try await ModelFixture()
        _ = try await say(fixture, .file, "letter", at: 1)
        let model = SharedMediaModel(
            fixture.key, kinds: [.file, .video], store: fixture.store, environment: fixture.environment())
        await model.open()
        _ = await fixture.changes()
        let (account, romeo, key) = (fixture.account, fixture.romeo, fixture.key)
        try await fixture.store.write { store throws(StoreError) in
            try store.save(StoredContact(address: romeo, name: "Romeo Montague"), of: account)
        }
        await model.apply(fixture.changes())
        #expect(model.items.elements.map(\.message.senderName) == ["Romeo Montague"])
        try await fixture.store.write { store throws(StoreError) in
            if let id = try store.conversation(key) { try store.removeConversation(id) }
        }
        await model.apply(fixture.changes())
        #expect(model.items.elements.isEmpty && !model.hasMore)
        _ = try await say(fixture, .file, "another", at: 2)
        await model.apply(fixture.changes())
        #expect(names(model) == ["another"])
    }

    @Test("it follows the store until it is cancelled")
    func run() async throws {
        let fixture = try await ModelFixture()
        let model = SharedMediaModel(
            fixture.key, kinds: [.voice], store: fixture.store, environment: fixture.environment())
        let running = Task { await model.run() }
        _ = try await say(fixture, .voice, "song", at: 1)
        await eventually { !model.items.elements.isEmpty }
        #expect(names(model) == ["song"])
        running.cancel()
        await running.value
    }
}
