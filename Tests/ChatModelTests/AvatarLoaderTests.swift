import ChatModel
import ChatStore
import Testing
import XMPPAddress

@Suite("Pictures in lists")
@MainActor
struct AvatarLoaderTests {
    private static func save(_ hash: String, bytes: Int, of address: JID, in fixture: ModelFixture) async throws {
        let account = fixture.account
        try await fixture.store.write { store throws(StoreError) in
            try store.saveAvatar(
                Avatar(hash: hash, mediaType: "image/png", data: [UInt8](repeating: 1, count: bytes)), of: address,
                account: account)
        }
    }

    @Test("rows carry the hash, and a new picture is an update of its row")
    func rows() async throws {
        let fixture = try await ModelFixture()
        try await fixture.receive("x", id: "a", at: 1)
        let account = fixture.account
        let contact = Contact(address: fixture.romeo, subscription: .both)
        try await fixture.store.write { store throws(StoreError) in try store.save(contact, of: account) }
        let list = ConversationList(store: fixture.store, environment: fixture.environment())
        let contacts = ContactList(store: fixture.store, environment: fixture.environment())
        await list.reload()
        await contacts.reload()
        #expect(list.rows.elements.map(\.avatarHash) == [nil])
        _ = await fixture.changes()
        try await Self.save("a1", bytes: 10, of: fixture.romeo, in: fixture)
        let changes = await fixture.changes()
        await list.apply(changes)
        await contacts.apply(changes)
        #expect(list.rows.elements.map(\.avatarHash) == ["a1"])
        #expect(contacts.rows.elements.map(\.avatarHash) == ["a1"])
        let timeline = Timeline(fixture.key, store: fixture.store, environment: fixture.environment())
        await timeline.open()
        #expect(timeline.items.elements.last?.message?.avatarHash == "a1")
    }

    @Test("pictures are read once, and no more stay in memory than was said; what was used last stays")
    func memory() async throws {
        let fixture = try await ModelFixture()
        for number in 0..<4 {
            try await Self.save("h\(number)", bytes: 100, of: try JID("p\(number)@x.example"), in: fixture)
        }
        let loader = AvatarLoader(store: fixture.store, memoryLimit: 250)
        #expect(await loader.avatar("h0")?.data.count == 100)
        _ = await loader.avatar("h1")
        #expect(loader.cached("h0") != nil)
        _ = await loader.avatar("h2")
        #expect(loader.cached("h1") == nil && loader.cached("h0") != nil && loader.cached("h2") != nil)
        #expect(await loader.avatar("unknown") == nil)
        // One that is larger than everything is given and not kept.
        try await Self.save("big", bytes: 300, of: fixture.romeo, in: fixture)
        #expect(await loader.avatar("big")?.data.count == 300)
        #expect(loader.cached("big") == nil && loader.cached("h0") != nil)
    }
}
