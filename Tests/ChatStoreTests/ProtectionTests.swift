import Testing
import XMPPAddress

@testable import ChatStore

@Suite("What is stored of end-to-end protection")
struct ProtectionTests {
    static let facts = MessageProtection.encrypted(scheme: "urn:xmpp:omemo:2", device: "a1b2", trust: .verified)
    static let other = MessageProtection.encrypted(scheme: "urn:xmpp:omemo:2", device: "c3d4", trust: .trusted)
    static let failure = MessageProtection.notOpened(scheme: "urn:xmpp:omemo:2", reason: "key-missing")

    static func copy(_ copy: MessageCopy, _ protection: MessageProtection) -> MessageCopy {
        var copy = copy
        copy.protection = protection
        return copy
    }

    @Test(
        "the facts stand in the row, also when the file is opened again; a corrected message has those of its correction"
    )
    func facts() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/chat.db"
        var store = try await SQLiteStore.open(at: path)
        let key = try await store.write { store throws(StoreError) in
            let key = ConversationKey(account: try store.addAccount(.juliet), address: .romeo, kind: .direct)
            _ = try store.receive(Self.copy(.text("sealed", origin: "1", at: 1), Self.facts), in: key)
            _ = try store.receive(.text("plain", origin: "2", at: 2), in: key)
            _ = try store.receive(Self.copy(.text("", origin: "3", at: 3), Self.failure), in: key)
            _ = try store.receive(Self.copy(.text("both", origin: "4", at: 4), Self.facts), in: key)
            _ = try store.receive(
                Self.copy(.with(.correction(of: .sent(id: "4"), MessageText("two")), origin: "5", at: 5), Self.other),
                in: key)
            return key
        }
        for _ in 0..<2 {
            let stored = try await store.read { store throws(StoreError) in
                guard let id = try store.conversation(key) else { return [StoredMessage]() }
                return try store.timeline(of: id, .newest, limit: 10)
            }
            #expect(stored.map(\.protection) == [Self.facts, .none, Self.failure, Self.other])
            #expect(stored.map(\.text.body) == ["sealed", "plain", "", "two"])
            await store.close()
            store = try await SQLiteStore.open(at: path)
        }
        await store.close()
    }

    @Test("a message of another device that could not be opened is not sent again", arguments: StoreKind.allCases)
    func notSentAgain(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let copy = MessageCopy.text("", from: .juliet, origin: "1", at: 1, isOutgoing: true)
        let id = try await store.receive(Self.copy(copy, Self.failure)).id
        await #expect(throws: StoreError.self) {
            try await store.store.write { writer throws(StoreError) in try writer.sendAgain(id) }
        }
        #expect(try await store.timeline().map(\.protection) == [Self.failure])
    }

    @Test(
        "a copy that can be opened takes the place of one that could not, in the same row",
        arguments: StoreKind.allCases)
    func openedLater(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let first = try await store.receive(Self.copy(.text("", origin: "1", at: 1), Self.failure))
        try await store.receive(.text("after", origin: "2", at: 2))
        let second = try await store.receive(
            Self.copy(
                .text("at last", origin: "1", archived: "a", at: 1, source: .archive, route: .archive), Self.facts))
        #expect(second == .known(first.id))
        let stored = try await store.timeline()
        #expect(stored.map(\.text.body) == ["at last", "after"])
        #expect(stored.map(\.protection) == [Self.facts, .none])
        #expect(try await store.found("last") == ["at last"])
    }

    @Test(
        "a text in clear does not open what was encrypted, and does not keep it from being opened",
        arguments: StoreKind.allCases)
    func clearCopy(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let sealed = try await store.receive(Self.copy(.text("", origin: "1", archived: "a", at: 1), Self.failure))
        for protection in [MessageProtection.none, .clear] {
            try await store.receive(
                Self.copy(.text("forged", origin: "1", archived: "f\(protection)", at: 2), protection))
        }
        #expect(try await store.timeline().map(\.protection) == [Self.failure, .none, .clear])
        #expect(try await store.bodies() == ["", "forged", "forged"])
        // What one archive has under one name is one message: for example after encryption was turned off.
        let same = try await store.receive(
            .text("fallback", origin: "1", archived: "a", at: 1, source: .archive, route: .archive))
        #expect(same == .known(sealed.id))
        let opened = try await store.receive(
            Self.copy(.text("true", origin: "1", archived: "a", at: 1, source: .archive, route: .archive), Self.facts))
        #expect(opened == .known(sealed.id))
        #expect(try await store.bodies() == ["true", "forged", "forged"])
    }

    @Test(
        "an encrypted message takes the place of one in clear that came before it under its name",
        arguments: StoreKind.allCases)
    func clearFirst(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let first = try await store.receive(Self.copy(.text("forged", origin: "1", at: 1), .clear))
        let second = try await store.receive(
            Self.copy(.text("true", origin: "1", archived: "a", at: 1, source: .archive, route: .archive), Self.facts))
        #expect(second == .known(first.id))
        #expect(try await store.bodies() == ["true"])
        #expect(try await store.timeline().map(\.protection) == [Self.facts])
        #expect(try await store.found("forged").isEmpty)
        // One that cannot be opened says nothing.
        try await store.receive(Self.copy(.text("plain", origin: "2", at: 2), .clear))
        try await store.receive(Self.copy(.text("", origin: "2", at: 2), Self.failure))
        #expect(try await store.bodies() == ["true", "plain"])
    }

    @Test("a copy that cannot be opened takes nothing from one that was", arguments: StoreKind.allCases, [true, false])
    func openedBefore(kind: StoreKind, hasOrigin: Bool) async throws {
        let store = try await TestStore(kind)
        let first = try await store.receive(Self.copy(.text("read", origin: "1", at: 1), Self.facts))
        let second = try await store.receive(
            Self.copy(
                .text("", id: "1", origin: hasOrigin ? "1" : nil, archived: "a", at: 1, source: .archive), Self.failure)
        )
        #expect(second == .known(first.id))
        let stored = try await store.timeline()
        #expect(stored.map(\.text.body) == ["read"])
        #expect(stored.map(\.protection) == [Self.facts])
        #expect(stored.map(\.archiveReference?.id) == ["a"])
    }

    @Test("what turns out to be a correction or a reaction is no message any more", arguments: StoreKind.allCases)
    func change(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(Self.copy(.text("frist", origin: "1", at: 1), Self.facts))
        try await store.receive(Self.copy(.text("", origin: "2", archived: "b", at: 2), Self.failure))
        #expect(try await store.timeline().count == 2)
        try await store.receive(
            Self.copy(.with(.correction(of: .sent(id: "1"), MessageText("first")), origin: "2", at: 2), Self.facts))
        #expect(try await store.bodies() == ["first"])
        #expect(try await store.conversation()?.unreadCount == 1)
        // The name that the archive gave to it is not forgotten.
        try await store.receive(
            Self.copy(.text("", archived: "b", at: 2, source: .archive, route: .archive), Self.failure))
        #expect(try await store.bodies() == ["first"])
    }

    @Test("a retracted message stays without text, whenever it can be opened", arguments: StoreKind.allCases)
    func retracted(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(Self.copy(.text("", origin: "1", at: 1), Self.failure))
        try await store.receive(Self.copy(.with(.retraction(of: .sent(id: "1")), origin: "2", at: 2), Self.facts))
        try await store.receive(Self.copy(.text("secret", origin: "1", at: 1), Self.facts))
        #expect(try await store.timeline().map(\.isRetracted) == [true])
        #expect(try await store.bodies() == [""])
        #expect(try await store.found("secret").isEmpty)
    }

    @Test("somebody else's copy opens nothing", arguments: StoreKind.allCases)
    func stranger(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let key = store.balcony
        try await store.receive(
            Self.copy(.text("", from: .nurseInBalcony, origin: "1", at: 1, occupant: "n"), Self.failure), in: key)
        try await store.receive(.text("forged", from: .julietInBalcony, origin: "1", at: 2, occupant: "j"), in: key)
        #expect(try await store.bodies(key) == ["", "forged"])
    }

    @Test(
        "the records of the protection are written and removed by name, and go with their account",
        arguments: StoreKind.allCases)
    func records(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let account = store.account
        func names(_ prefix: String) async throws -> [String] {
            try await store.store.read { reader throws(StoreError) in
                try reader.protectionRecords(of: account, beginningWith: prefix).map(\.name)
            }
        }
        try await store.store.write { writer throws(StoreError) in
            try writer.save(
                ProtectionChange([.init("session/b", [1]), .init("session/a", [2]), .init("identity", [3])]),
                of: account)
            try writer.save(ProtectionChange([.init("session/a", [4]), .init("session/b", nil)]), of: account)
        }
        #expect(try await names("session/") == ["session/a"])
        #expect(try await names("") == ["identity", "session/a"])
        let value = try await store.store.read { reader throws(StoreError) in
            try reader.protectionRecords(of: account, beginningWith: "session/a").first?.value
        }
        #expect(value == [4])
        // What fails is not written in part.
        await #expect(throws: StoreError.self) {
            try await store.store.write { writer throws(StoreError) in
                try writer.save(ProtectionChange([.init("identity", nil)]), of: account)
                throw StoreError(.invalidRequest, "No.")
            }
        }
        #expect(try await names("identity") == ["identity"])
        try await store.store.write { writer throws(StoreError) in try writer.removeAccount(account) }
        #expect(try await names("").isEmpty)
    }

    @Test("a message of ours gets the facts when it is sealed", arguments: StoreKind.allCases)
    func sealed(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let id = try await store.send("ours", id: "1", at: 1)
        let unreadable = [
            ProtectionError.Recipient(.romeo, device: "27183", .undecided),
            ProtectionError.Recipient(.romeoPhone, .noDevice),
        ]
        try await store.store.write { writer throws(StoreError) in
            try writer.noteProtection(Self.facts, unreadable: unreadable, of: id)
        }
        #expect(try await store.timeline().map(\.protection) == [Self.facts])
        #expect(try await store.timeline().map(\.unreadable) == [unreadable])
        // What the room or another device brings back changes nothing of that.
        try await store.receive(.text("ours", from: .juliet, origin: "1", at: 1, isOutgoing: true, route: .carbon))
        #expect(try await store.timeline().map(\.protection) == [Self.facts])
    }

    @Test(
        "what waits in a restored store and is encrypted in the archive is not in clear; what was sent in clear is",
        arguments: StoreKind.allCases)
    func restored(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        _ = try await store.send("waits", id: "1", at: 1)
        let sent = try await store.send("clear", id: "2", at: 2)
        try await store.store.write { writer throws(StoreError) in try writer.advance(sent, to: .sentToServer) }
        for (id, time) in [("1", Int64(1)), ("2", 2)] {
            let copy = MessageCopy.text(
                "", from: .juliet, origin: id, archived: "a" + id, at: time, source: .archive, isOutgoing: true,
                route: .archive)
            try await store.receive(
                Self.copy(copy, .notOpened(scheme: "urn:xmpp:omemo:2", reason: "other-device")))
        }
        let seen = try await store.timeline()
        #expect(seen.map(\.text.body) == ["waits", "clear"])
        #expect(
            seen.map(\.protection) == [
                .encrypted(scheme: "urn:xmpp:omemo:2", device: nil, trust: .verified), .none,
            ])
        #expect(seen.map(\.state) == [.sentToServer, .sentToServer])
    }

    @Test(
        "an answer of a contact stands in its conversation; that it ended is told once", arguments: StoreKind.allCases)
    func answers(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let key = store.romeo
        func note(_ kinds: [ConversationNotice.Kind]) async throws -> [ConversationNotice.Kind] {
            try await store.store.write { writer throws(StoreError) in
                for (index, kind) in kinds.enumerated() {
                    try writer.note(
                        ConversationNotice(kind, in: key.conversation, at: .at(Int64(index))), of: key.account)
                }
                return try writer.notices(of: writer.openConversation(key), in: .allTime).map(\.notice.kind)
            }
        }
        // No message is there yet.
        #expect(try await note([.contactDeclined]) == [.contactDeclined])
        let many = Array(repeating: ConversationNotice.Kind.contactEnded, count: StorageLimits.notices + 1)
        #expect(try await note(many) == [.contactDeclined, .contactEnded])
        #expect(try await note([.contactAccepted, .contactEnded]).count == 4)
        let listed = try await store.store.read { store throws(StoreError) in try store.conversations() }
        #expect(listed.isEmpty)
    }

    @Test(
        "notices stand in their conversation by time, the newest hundred, until it is removed",
        arguments: StoreKind.allCases)
    func notices(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(.text("hello", origin: "1", at: 1))
        let key = store.romeo
        let conversation = key.conversation
        let noted = ConversationNotice(
            .newKey, in: conversation, at: .at(5),
            key: ConversationNotice.Key(.romeo, device: 27183, fingerprint: "a1b2"))
        let elsewhere = ConversationNotice(.began, in: ConversationAddress(.balcony, kind: .room), at: .at(1))
        let began = ConversationNotice(.began, in: conversation, at: .at(2))
        try await store.store.write { writer throws(StoreError) in
            try writer.save(ProtectionChange([], notices: [noted, elsewhere, began]), of: key.account)
        }
        func notices(_ times: ClosedRange<MessageTime>) async throws -> [ConversationNotice] {
            try await store.store.read { reader throws(StoreError) in
                guard let id = try reader.conversation(key) else { return [] }
                return try reader.notices(of: id, in: times).map(\.notice)
            }
        }
        #expect(try await notices(.at(0) ... .at(9)) == [began, noted])
        #expect(try await notices(.at(3) ... .at(9)) == [noted])
        try await store.store.write { writer throws(StoreError) in
            let many = (0..<StorageLimits.notices).map {
                ConversationNotice(.ended, in: conversation, at: .at(Int64($0 + 6)))
            }
            try writer.save(ProtectionChange([], notices: many), of: key.account)
        }
        let left = try await notices(.at(0) ... .at(1_000))
        #expect(left.count == StorageLimits.notices && left.first?.time == .at(6))
        try await store.store.write { writer throws(StoreError) in
            try writer.removeConversation(try writer.openConversation(key))
            _ = try writer.openConversation(key)
        }
        #expect(try await notices(.at(0) ... .at(1_000)).isEmpty)
    }
}
