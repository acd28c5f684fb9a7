import Foundation
import MessageSemantics
import Testing
import XMPPAddress

@testable import ChatStore

@Suite("The event log")
struct EventLogTests {
    private func reader(_ name: String = "bot", in store: TestStore) async throws -> EventReader {
        try await store.store.write { store throws(StoreError) in try store.addEventReader(name, at: .at(0)) }
    }

    private func events(_ store: TestStore, after position: Int64 = 0, limit: Int = 1000) async throws -> [StoredEvent]
    {
        try await store.store.read { store throws(StoreError) in try store.events(after: position, limit: limit) }
    }

    private func log(_ store: TestStore) async throws -> EventLog? {
        try await store.store.read { store throws(StoreError) in try store.eventLog() }
    }

    private func acknowledge(_ position: Int64, _ name: String = "bot", in store: TestStore) async throws {
        try await store.store.write { store throws(StoreError) in
            try store.acknowledgeEvents(upTo: position, by: name)
        }
    }

    @Test("nothing is recorded without a reader", arguments: StoreKind.allCases)
    func silence(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        try await store.receive(.text("before", origin: "a", at: 1))
        #expect(try await log(store) == nil)
        #expect(try await events(store).isEmpty)
        let reader = try await reader(in: store)
        #expect(reader.acknowledged == (try await log(store))?.newest)
        try await store.receive(.text("after", origin: "b", at: 2))
        #expect(try await events(store).map(\.kind) == [.messageAdded])
    }

    @Test("each message and each of its changes is one entry, in the order of storing", arguments: StoreKind.allCases)
    func messages(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        _ = try await reader(in: store)
        let first = try await store.receive(.text("But soft", origin: "a", at: 1)).id
        // The same copy again changes nothing.
        try await store.receive(.text("But soft", origin: "a", at: 1))
        let sent = try await store.send("Ay me!", id: "b", at: 2)
        try await store.receive(.with(.correction(of: .sent(id: "a"), MessageText("But, soft!")), origin: "c", at: 3))
        try await store.receive(.with(.reactions(to: .sent(id: "b"), ["🌹"]), id: "r", at: 4))
        // It waits for a message that is not here, so there is nothing to show.
        try await store.receive(.with(.reactions(to: .sent(id: "later"), ["🌹"]), id: "w", at: 5))
        try await store.store.write { store throws(StoreError) in try store.advance(sent, to: .delivered) }
        let late = try await store.receive(.text("later", origin: "later", at: 6)).id
        let events = try await events(store)
        #expect(
            events.map(\.kind) == [
                .messageAdded, .messageAdded, .messageChanged, .messageChanged, .messageChanged, .messageAdded,
            ])
        #expect(events.map(\.message) == [first, sent, first, sent, sent, late])
        #expect(events.allSatisfy { $0.conversation == store.romeo })
        #expect(events.map(\.position) == events.map(\.position).sorted())
    }

    @Test("a message that was added and removed in one transaction leaves no trace", arguments: StoreKind.allCases)
    func removal(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        _ = try await reader(in: store)
        let key = store.romeo
        let kept = try await store.receive(.text("one", origin: "a", at: 1)).id
        try await store.store.write { store throws(StoreError) in
            let id = try store.receive(.text("two", origin: "b", at: 2), in: key).id
            try store.removeMessage(id)
        }
        let sent = try await store.send("three", id: "c", at: 3)
        try await store.store.write { store throws(StoreError) in try store.cancel(sent) }
        try await store.store.write { store throws(StoreError) in
            _ = try store.receive(.text("four", origin: "d", at: 4), in: key)
            guard let conversation = try store.conversation(key) else { return }
            try store.removeConversation(conversation)
        }
        let events = try await events(store)
        #expect(events.map(\.kind) == [.messageAdded, .messageAdded, .messageRemoved, .conversationRemoved])
        #expect(events.map(\.message) == [kept, sent, sent, nil])
        #expect(events.last?.conversation == key)
    }

    @Test("contacts, requests and rooms are recorded when they change", arguments: StoreKind.allCases)
    func people(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        _ = try await reader(in: store)
        let account = store.account
        let roster = [StoredContact(address: .romeo, name: "Romeo"), StoredContact(address: .tybalt)]
        try await store.store.write { store throws(StoreError) in
            try store.replaceContacts(roster, version: "1", of: account)
        }
        // A server sends the same roster with each login.
        try await store.store.write { store throws(StoreError) in
            try store.replaceContacts(roster.reversed(), version: "2", of: account)
            try store.save(roster[0], of: account)
        }
        try await store.store.write { store throws(StoreError) in
            try store.replaceContacts([StoredContact(address: .romeo, name: "R.")], version: "3", of: account)
            try store.removeContact(.tybalt, of: account)
        }
        for _ in 0..<2 {
            try await store.store.write { store throws(StoreError) in
                try store.savePresence(StoredPresence(address: .tybalt, kind: .request), of: account)
                try store.savePresence(StoredPresence(address: .romeoPhone), of: account)
                try store.save(StoredRoom(address: .balcony, nickname: "Juliet"), of: account)
            }
        }
        try await store.store.write { store throws(StoreError) in
            try store.removeRoom(.balcony, of: account)
            try store.removeRoom(.balcony, of: account)
        }
        try await store.store.write { store throws(StoreError) in try store.removeAccount(account) }
        let events = try await events(store)
        let expected: [(StoredEvent.Kind, JID)] = [
            (.contact, .romeo), (.contact, .tybalt), (.contact, .romeo), (.contactRemoved, .tybalt),
            (.request, .tybalt), (.room, .balcony), (.roomRemoved, .balcony), (.accountRemoved, .juliet),
        ]
        #expect(events.map(\.kind) == expected.map(\.0))
        #expect(Set(events.prefix(2).map(\.address)) == [.romeo, .tybalt])
        #expect(events.dropFirst(2).map(\.address) == expected.dropFirst(2).map(\.1))
        #expect(events.allSatisfy { $0.account == account })
    }

    @Test("entries are stored until every reader has handled them", arguments: StoreKind.allCases)
    func acknowledgement(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let bot = try await reader(in: store)
        for number in 1...4 { try await store.receive(.text("\(number)", origin: "m\(number)", at: Int64(number))) }
        let other = try await reader("log", in: store)
        let all = try await events(store).map(\.position)
        #expect(other.acknowledged == all.last)
        #expect(try await reader(in: store) == bot)
        try await acknowledge(all[1], in: store)
        #expect(try await events(store).map(\.position) == Array(all[2...]))
        // Going back is not possible.
        try await acknowledge(all[0], in: store)
        #expect(try await reader(in: store).acknowledged == all[1])
        #expect(try await log(store)?.removed == all[1])
        try await acknowledge(all[3], in: store)
        // The newest entry is never removed, so its position is not used twice.
        #expect(try await log(store)?.newest == all[3])
        try await store.receive(.text("5", origin: "m5", at: 5))
        #expect(try await events(store, after: all[3]).map(\.position) == [all[3] + 1])
        await #expect(throws: StoreError.noSuchEvent) { try await self.acknowledge(all[3] + 2, in: store) }
        await #expect(throws: StoreError.noSuchEventReader) { try await self.acknowledge(all[0], "none", in: store) }
    }

    @Test("without readers the log ends, and the next one has another identity", arguments: StoreKind.allCases)
    func identity(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        _ = try await reader(in: store)
        let first = try #require(try await log(store)?.identity)
        #expect(!first.isEmpty)
        try await store.receive(.text("one", origin: "a", at: 1))
        try await store.store.write { store throws(StoreError) in try store.removeEventReader("bot") }
        try await store.receive(.text("two", origin: "b", at: 2))
        #expect(try await events(store).isEmpty)
        _ = try await reader(in: store)
        #expect(try await log(store)?.identity != first)
    }

    @Test("the number of readers is limited", arguments: StoreKind.allCases)
    func crowd(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        for number in 0..<EventLog.readerLimit { _ = try await reader("r\(number)", in: store) }
        await #expect(throws: StoreError.tooManyEventReaders) { try await self.reader("one more", in: store) }
        #expect(try await reader("r3", in: store).name == "r3")
    }

    @Test("a transaction that fails records nothing, and entries survive the program")
    func durability() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/chat.db"
        var store = try await SQLiteStore.open(at: path)
        let key = try await store.write { store throws(StoreError) in
            let account = try store.addAccount(.juliet)
            _ = try store.addEventReader("bot", at: .at(0))
            return ConversationKey(account: account, address: .romeo, kind: .direct)
        }
        try await store.write { store throws(StoreError) in
            _ = try store.receive(.text("1", origin: "a", at: 1), in: key)
        }
        await #expect(throws: StoreError.self) {
            try await store.write { store throws(StoreError) in
                _ = try store.receive(.text("2", origin: "b", at: 2), in: key)
                throw StoreError(.system, "no")
            }
        }
        let before = try await store.read { store throws(StoreError) in
            (try store.events(after: 0, limit: 10), try store.eventLog())
        }
        await store.close()
        store = try await SQLiteStore.open(at: path)
        let after = try await store.read { store throws(StoreError) in
            (try store.events(after: 0, limit: 10), try store.eventLog())
        }
        #expect(before.0.map(\.kind) == [.messageAdded] && before.0 == after.0 && before.1 == after.1)
        // It still records, although this process has added no reader.
        try await store.write { store throws(StoreError) in
            _ = try store.receive(.text("3", origin: "c", at: 3), in: key)
        }
        #expect(try await store.read { store throws(StoreError) in try store.events(after: 0, limit: 10).count } == 2)
        await store.close()
    }

    @Test("above the limit the oldest entries are removed, and with them the readers that have not read them")
    func limit() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/chat.db"
        let store = try await SQLiteStore.open(at: path)
        let key = try await store.write { store throws(StoreError) in
            let account = try store.addAccount(.juliet)
            _ = try store.addEventReader("dead", at: .at(0))
            return ConversationKey(account: account, address: .romeo, kind: .direct)
        }
        try await store.write { store throws(StoreError) in
            _ = try store.receive(.text("1", origin: "a", at: 1), in: key)
        }
        await store.close()
        // As if a million events had passed.
        do {
            let connection = try SQLiteConnection(path: path, mode: .readWrite)
            try connection.run(
                "UPDATE events SET position = \((EventLog.limit / EventLog.trimmingInterval + 3) * EventLog.trimmingInterval - 1)"
            )
        }
        let again = try await SQLiteStore.open(at: path)
        try await again.write { store throws(StoreError) in
            _ = try store.addEventReader("alive", at: .at(0))
            _ = try store.receive(.text("2", origin: "b", at: 2), in: key)
        }
        let (readers, count) = try await again.read { store throws(StoreError) in
            (try store.eventReaders().map(\.name), try store.events(after: 0, limit: 10).count)
        }
        #expect(readers == ["alive"] && count == 2)
        await again.close()
    }
}
