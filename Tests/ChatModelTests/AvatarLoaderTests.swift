import ChatFixtures
import ChatModel
import ChatStore
import Testing
import XMPPAddress

@Suite("Pictures in lists")
@MainActor
struct AvatarLoaderTests {
    /// One pixel.
    private static let picture: [UInt8] = [
        0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0x00, 0x00, 0x00, 0x0D, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00,
        0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06, 0x00, 0x00, 0x00, 0x1F, 0x15, 0xC4, 0x89, 0x00, 0x00, 0x00,
        0x0D, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9C, 0x63, 0xF8, 0xCF, 0xC0, 0xF0, 0x1F, 0x00, 0x05, 0x00, 0x01, 0xFF,
        0x89, 0x99, 0x3D, 0x1D, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82,
    ]

    private static func save(
        _ hash: String, _ data: [UInt8] = picture, of address: JID, in fixture: ModelFixture
    ) async throws {
        let account = fixture.account
        try await fixture.store.write { store throws(StoreError) in
            try store.saveAvatar(
                StoredAvatar(hash: hash, mediaType: "image/png", data: data), of: address, account: account)
        }
    }

    @Test("rows carry the hash, and a new picture is an update of its row")
    func rows() async throws {
        let fixture = try await ModelFixture()
        try await fixture.receive("x", id: "a", at: 1)
        let account = fixture.account
        let contact = StoredContact(address: fixture.romeo, subscription: .both)
        try await fixture.store.write { store throws(StoreError) in try store.save(contact, of: account) }
        let list = ConversationList(store: fixture.store, environment: fixture.environment())
        let contacts = ContactList(store: fixture.store, environment: fixture.environment())
        await list.reload()
        await contacts.reload()
        #expect(list.rows.elements.map(\.avatarHash) == [nil])
        _ = await fixture.changes()
        try await Self.save("a1", of: fixture.romeo, in: fixture)
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
            try await Self.save("h\(number)", of: try JID("p\(number)@x.example"), in: fixture)
        }
        let size = try #require(await AvatarLoader(store: fixture.store).avatar("h0")).data.count
        let loader = AvatarLoader(store: fixture.store, memoryLimit: 2 * size)
        #expect(await loader.avatar("h0")?.data.count == size)
        _ = await loader.avatar("h1")
        #expect(loader.cached("h0") != nil)
        _ = await loader.avatar("h2")
        #expect(loader.cached("h1") == nil && loader.cached("h0") != nil && loader.cached("h2") != nil)
        #expect(await loader.avatar("unknown") == nil)
        // One that is larger than everything is given and not kept.
        let small = AvatarLoader(store: fixture.store, memoryLimit: size - 1)
        #expect(await small.avatar("h3")?.data.count == size)
        #expect(small.cached("h3") == nil)
    }

    @Test("the picture of a contact that claims more pixels than memory holds is not shown, nor is what is no picture")
    func bombs() async throws {
        let fixture = try await ModelFixture()
        var bomb = Self.picture
        // Width and height of the header: 60,000 each.
        bomb.replaceSubrange(16..<24, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
        try await Self.save("bomb", bomb, of: fixture.romeo, in: fixture)
        try await Self.save("noise", [1, 2, 3], of: try JID("noise@x.example"), in: fixture)
        try await Self.save("real", of: try JID("real@x.example"), in: fixture)
        let loader = AvatarLoader(store: fixture.store)
        #expect(await loader.avatar("bomb") == nil)
        #expect(await loader.avatar("noise") == nil)
        #expect(await loader.avatar("real")?.hash == "real")
    }
}
