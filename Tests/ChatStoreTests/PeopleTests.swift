import ChatStore
import Testing
import XMPPAddress
import XMPPStream

@Suite("Both stores: accounts, contacts, rooms, sessions")
struct PeopleTests {
    @Test("S0-87: contacts are stored and sorted by name", arguments: StoreKind.allCases)
    func contacts(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let account = store.account
        let romeo = StoredContact(
            address: .romeoPhone, name: "Romeo", subscription: .both, groups: ["Lovers \"1\"", "鸿雁"])
        let tybalt = StoredContact(
            address: .tybalt, name: "Cousin", subscription: .to, isPending: true, isApproved: true)
        try await store.store.write { store throws(StoreError) in
            try store.replaceContacts([romeo, tybalt], version: "v1", of: account)
        }
        var seen = try await store.store.read { store throws(StoreError) in
            (try store.contacts(of: account), try store.accounts().first?.rosterVersion)
        }
        #expect(seen.0 == [tybalt, romeo])
        #expect(seen.0[1].address == .romeo)
        #expect(seen.1 == "v1")
        try await store.store.write { store throws(StoreError) in
            try store.save(StoredContact(address: .tybalt, name: "Zorro"), of: account)
            try store.removeContact(.romeo, of: account)
        }
        seen.0 = try await store.store.read { store throws(StoreError) in try store.contacts(of: account) }
        #expect(seen.0 == [StoredContact(address: .tybalt, name: "Zorro")])
    }

    @Test("rooms are stored", arguments: StoreKind.allCases)
    func rooms(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let account = store.account
        let room = StoredRoom(
            address: .balcony, nickname: "Juliet", name: "Balcony", subject: "Stars", joinsAutomatically: true,
            occupantID: "o")
        try await store.store.write { store throws(StoreError) in try store.save(room, of: account) }
        #expect(try await store.store.read { store throws(StoreError) in try store.rooms(of: account) } == [room])
        try await store.store.write { store throws(StoreError) in try store.removeRoom(.balcony, of: account) }
        #expect(try await store.store.read { store throws(StoreError) in try store.rooms(of: account) }.isEmpty)
    }

    @Test("avatars and capabilities are stored", arguments: StoreKind.allCases)
    func caches(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let account = store.account
        let avatar = StoredAvatar(hash: "a1", mediaType: "image/png", data: [0x89, 0x50, 0])
        try await store.store.write { store throws(StoreError) in
            try store.saveAvatar(avatar, of: .romeo, account: account)
            try store.saveAvatar(avatar, of: .tybalt, account: account)
            try store.saveAvatar(nil, of: .romeo, account: account)
            try store.saveCapabilities([1, 2], algorithm: "sha-1", hash: "x=")
            try store.saveCapabilities([], algorithm: "sha-256", hash: "x=")
        }
        try await store.store.read { store throws(StoreError) in
            #expect(try store.avatar(of: .romeo, account: account) == nil)
            #expect(try store.avatar(of: .tybalt, account: account) == avatar)
            #expect(try store.capabilities(algorithm: "sha-1", hash: "x=") == [1, 2])
            #expect(try store.capabilities(algorithm: "sha-256", hash: "x=") == [])
            #expect(try store.capabilities(algorithm: "sha-512", hash: "x=") == nil)
        }
    }

    @Test(
        "the state of a session is stored together with the message that it counts, or neither is",
        arguments: StoreKind.allCases)
    func session(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let account = store.account
        let romeo = store.romeo
        func state(_ handled: UInt32) -> ResumptionState {
            ResumptionState(
                id: "sm-1", address: .juliet, handledCount: handled, acknowledgedCount: 4_294_967_295,
                unacknowledged: [], maximumSeconds: 600, location: "[::1]:5222")
        }
        let first = state(1)
        let second = state(2)
        try await store.store.write { store throws(StoreError) in
            _ = try store.receive(.text("one", origin: "a", at: 1), in: romeo)
            try store.saveSession(first, of: account)
        }
        await #expect(throws: StoreError.self) {
            try await store.store.write { store throws(StoreError) in
                _ = try store.receive(.text("two", origin: "b", at: 2), in: romeo)
                try store.saveSession(second, of: account)
                throw StoreError(.invalidRequest, "the power fails")
            }
        }
        #expect(try await store.bodies() == ["one"])
        #expect(try await store.store.read { store throws(StoreError) in try store.session(of: account) } == first)
        try await store.store.write { store throws(StoreError) in try store.saveSession(nil, of: account) }
        #expect(try await store.store.read { store throws(StoreError) in try store.session(of: account) } == nil)
    }

    @Test("removing an account removes all of its data", arguments: StoreKind.allCases)
    func removal(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let account = store.account
        try await store.receive(.text("one", origin: "a", archived: "1", at: 1))
        try await store.receive(
            .text("hi", from: .romeoInBalcony, archived: "1", by: .balcony, at: 1), in: store.balcony)
        try await store.store.write { store throws(StoreError) in
            try store.save(StoredContact(address: .romeo), of: account)
            try store.removeAccount(account)
        }
        let seen = try await store.store.read { store throws(StoreError) in
            (try store.accounts(), try store.conversations(), try store.contacts(of: account))
        }
        #expect(seen.0.isEmpty && seen.1.isEmpty && seen.2.isEmpty)
        let again = try await store.store.write { store throws(StoreError) in try store.addAccount(.juliet) }
        #expect(again != account)
        let key = ConversationKey(account: again, address: .romeo, kind: .direct)
        try await store.receive(.text("one", origin: "a", archived: "1", at: 1), in: key)
        #expect(try await store.bodies(key) == ["one"])
    }

    @Test(
        "account settings are stored; an account that does not exist cannot be changed", arguments: StoreKind.allCases)
    func accounts(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        var account = try #require(
            try await store.store.read { store throws(StoreError) in try store.account(.juliet) })
        account.isEnabled = false
        account.displayName = "Juliet"
        let changed = account
        try await store.store.write { store throws(StoreError) in
            try store.update(changed)
            #expect(try store.addAccount(.juliet) == changed.id)
        }
        #expect(try await store.store.read { store throws(StoreError) in try store.accounts() } == [changed])
        let nobody = AccountID(rawValue: 77)
        await #expect(throws: StoreError.self) {
            try await store.store.write { store throws(StoreError) in
                try store.save(StoredContact(address: .romeo), of: nobody)
            }
        }
    }
}
