import Foundation
import Glibc
import JSONRPC
import ProgramFixtures
import ServerFixtures
import Synchronization
import Testing
import UserProfile
import XMPPAddress

@testable import Automation
@testable import ChatStore

@Suite("Events for programs")
struct EventDeliveryTests {
    /// A connected client that collects its notifications.
    private final class Client: Sendable {
        private let client = Mutex<ProfileClient?>(nil)
        private let notes = Mutex<[(method: String, parameters: JSONValue)]>([])

        init(_ fixture: AutomationFixture) throws {
            let connected = ProfileClient.connect(to: fixture.profile) { [weak self] method, parameters in
                self?.notes.withLock { $0.append((method, parameters)) }
            }
            let open = try #require(connected)
            client.withLock { $0 = open }
        }

        deinit { close() }

        func close() { client.withLock(\.self)?.close() }

        func call(_ method: String, _ parameters: JSONValue) async throws(JSONRPCError) -> JSONValue {
            guard let client = client.withLock(\.self) else { throw .disconnected }
            return try await client.call(method, parameters)
        }

        var notifications: [(method: String, parameters: JSONValue)] { notes.withLock(\.self) }
        var events: [JSONValue] { notifications.filter { $0.method == "event" }.map(\.parameters) }

        func waitForEvents(_ count: Int) async throws -> [JSONValue] {
            while events.count < count { try await Task.sleep(for: .milliseconds(5)) }
            return events
        }
    }

    private func serve(_ fixture: AutomationFixture) throws -> ProfileSocket {
        try #require(ProfileSocket(fixture.profile, fixture.service.methods.map(\.profileMethod)))
    }

    @Test("a subscriber gets each event with its cursor, from the last acknowledged one on")
    func subscription() async throws {
        let fixture = try await AutomationFixture()
        let socket = try serve(fixture)
        defer { socket.close() }
        let client = try Client(fixture)
        let first = try await client.call("events.subscribe", ["reader": "bot"])
        #expect(first["cursor"]?.string?.isEmpty == false)
        for number in 1...5 { try await fixture.receive("number \(number)") }
        try await fixture.receive("of long ago", at: MessageTime(millisecondsSince1970: 0))
        let events = try await client.waitForEvents(6)
        #expect(events.map { $0["event"]?["type"] } == Array(repeating: "message", count: 6))
        #expect(events.map { $0["event"]?["message"]?["body"]?.string?.suffix(1) } == ["1", "2", "3", "4", "5", "o"])
        #expect(events.map { $0["event"]?["old"] } == [nil, nil, nil, nil, nil, true])
        _ = try await client.call("events.acknowledge", ["reader": "bot", "cursor": events[2]["cursor"] ?? .null])
        client.close()
        // Without a cursor of its own, a client goes on after what it has acknowledged.
        let next = try Client(fixture)
        let second = try await next.call("events.subscribe", ["reader": "bot"])
        #expect(second["cursor"] == events[2]["cursor"])
        let rest = try await next.waitForEvents(3)
        #expect(rest.map { $0["cursor"] } == events[3...].map { $0["cursor"] })
        // With one, after that one.
        let third = try await next.call("events.subscribe", ["reader": "bot", "after": events[4]["cursor"] ?? .null])
        #expect(third["cursor"] == events[4]["cursor"])
        #expect(try await next.waitForEvents(4).last?["cursor"] == events[5]["cursor"])
        let error = await #expect(throws: JSONRPCError.self) {
            _ = try await next.call(
                "events.acknowledge", ["reader": "bot", "cursor": .string((events[0]["cursor"]?.string ?? "") + "000")])
        }
        #expect(error?.code == -32602)
    }

    @Test("a message of the second in which the reader was added is not old: servers cut times to whole seconds")
    func secondOfCreation() async throws {
        let fixture = try await AutomationFixture()
        let start = try await fixture.call("events.read", ["reader": "bot"])
        let reader = try #require(
            try await fixture.store.read { store throws(StoreError) in try store.eventReaders() }.first)
        let second = reader.created.millisecondsSince1970 / 1000 * 1000
        try await fixture.receive("offline", at: MessageTime(millisecondsSince1970: second))
        try await fixture.receive("before", at: MessageTime(millisecondsSince1970: second - 1))
        let page = try await fixture.call("events.read", ["reader": "bot", "after": start["cursor"] ?? .null])
        #expect(page["events"]?.each("event").map { $0["old"] } == [nil, true])
    }

    @Test("changes, removals and contacts are events, too")
    func kinds() async throws {
        let fixture = try await AutomationFixture()
        let start = try await fixture.call("events.read", ["reader": "bot"])
        let id = try await fixture.receive("one", id: "m")
        let (account, key) = (fixture.account.id, fixture.romeo)
        try await fixture.store.write { store throws(StoreError) in
            try store.save(StoredContact(address: AutomationFixture.romeo, name: "Romeo"), of: account)
        }
        try await fixture.store.write { store throws(StoreError) in
            var edit = AutomationFixture.copy("", id: "e")
            edit.content = .correction(of: .sent(id: "m"), MessageText("two"))
            _ = try store.receive(edit, in: key)
        }
        try await fixture.store.write { store throws(StoreError) in try store.removeMessage(id) }
        let page = try await fixture.call("events.read", ["reader": "bot", "after": start["cursor"] ?? .null])
        // The message is gone, so its text is not told any more.
        #expect(page["events"]?.each("event").map { $0["type"] } == ["contact", "message-removed"])
        #expect(page["events"]?.array?.last?["event"]?["with"] == "romeo@montague.example")
        let again = try await fixture.call("events.read", ["reader": "bot", "after": page["cursor"] ?? .null])
        #expect(again["events"] == [] && again["cursor"] == page["cursor"])
    }

    @Test("reading waits for an event, and a page is limited")
    func reading() async throws {
        let fixture = try await AutomationFixture()
        let start = try await fixture.call("events.read", ["reader": "bot"])
        let waiting = Task {
            try await fixture.call("events.read", ["reader": "bot", "after": start["cursor"] ?? .null, "wait": 60])
        }
        try await fixture.receive("at last")
        let page = try await waiting.value
        #expect(page["events"]?.each("event").map { $0["message"]?["body"] } == ["at last"])
        for number in 1...5 { try await fixture.receive("\(number)") }
        let part = try await fixture.call(
            "events.read", ["reader": "bot", "after": page["cursor"] ?? .null, "limit": 3])
        #expect(part["events"]?.array?.count == 3 && part["more"] == true)
        let rest = try await fixture.call(
            "events.read", ["reader": "bot", "after": part["cursor"] ?? .null, "limit": 3])
        #expect(rest["events"]?.array?.count == 2 && rest["more"] == nil)
    }

    @Test("a cursor of another log, and one before removed events, are refused with the cursors to go on from")
    func lost() async throws {
        let fixture = try await AutomationFixture()
        let start = try await fixture.call("events.read", ["reader": "bot"])
        for number in 1...3 { try await fixture.receive("\(number)") }
        let page = try await fixture.call("events.read", ["reader": "bot"])
        _ = try await fixture.call("events.acknowledge", ["reader": "bot", "cursor": page["cursor"] ?? .null])
        let lost = await fixture.failure("events.read", ["reader": "bot", "after": start["cursor"] ?? .null])
        #expect(lost?.data?["failure"] == "events-lost")
        let oldest = try #require(lost?.data?["oldest"])
        #expect(try await fixture.call("events.read", ["reader": "bot", "after": oldest])["events"]?.array?.count == 1)
        // Without readers nothing is recorded, so what follows is another log.
        _ = try await fixture.call("events.unsubscribe", ["reader": "bot", "forget": true])
        try await fixture.receive("unseen")
        let other = await fixture.failure("events.read", ["reader": "bot", "after": page["cursor"] ?? .null])
        #expect(other?.data?["failure"] == "unknown-cursor" && other?.data?["newest"] != nil)
        #expect(
            await fixture.failure("events.acknowledge", ["reader": "bot", "cursor": page["cursor"] ?? .null])?.data?[
                "failure"] == "unknown-cursor")
    }

    @Test("a second subscriber with the same name replaces the first one, which is told")
    func replacement() async throws {
        let fixture = try await AutomationFixture()
        let socket = try serve(fixture)
        defer { socket.close() }
        let (first, second) = (try Client(fixture), try Client(fixture))
        _ = try await first.call("events.subscribe", ["reader": "bot"])
        _ = try await second.call("events.subscribe", ["reader": "bot"])
        try await fixture.receive("for the second")
        #expect(try await second.waitForEvents(1).count == 1)
        while first.notifications.isEmpty { try await Task.sleep(for: .milliseconds(5)) }
        #expect(first.notifications.map(\.method) == ["events.ended"])
        #expect(first.notifications.first?.parameters["failure"] == "replaced")
    }

    @Test("a client that reads nothing and acknowledges nothing costs no more than its window")
    func deaf() async throws {
        let fixture = try await AutomationFixture()
        let socket = try serve(fixture)
        defer { socket.close() }
        let client = try Client(fixture)
        _ = try await client.call("events.subscribe", ["reader": "deaf"])
        let text = String(repeating: "x", count: 3000)
        let key = fixture.romeo
        for batch in 0..<20 {
            try await fixture.store.write { store throws(StoreError) in
                for number in 0..<100 {
                    _ = try store.receive(AutomationFixture.copy(text, id: "\(batch)-\(number)"), in: key)
                }
            }
        }
        // Another reader has all of it at once, so the events are there; the deaf one has its window.
        let other = try Client(fixture)
        _ = try await other.call("events.subscribe", ["reader": "other", "after": .null])
        let subscription = try #require(fixture.service.events.subscriptions.withLock { $0["deaf"] })
        while subscription.unacknowledged.count < EventWindow.countLimit { try await Task.sleep(for: .milliseconds(5)) }
        try await fixture.receive("one more")
        #expect(try await other.waitForEvents(1).count == 1)
        #expect(subscription.unacknowledged.count == EventWindow.countLimit)
        #expect(subscription.unacknowledged.bytes <= EventWindow.byteLimit + 4000)
        // What was not sent is in the log: nothing is lost when it reads again.
        var handled = 0
        while handled < 2001 {
            let events = try await client.waitForEvents(handled + 1)
            handled = events.count
            _ = try await client.call(
                "events.acknowledge", ["reader": "deaf", "cursor": events[handled - 1]["cursor"] ?? .null])
        }
        #expect(Set(client.events.map { $0["cursor"] }).count == 2001)
    }

    /// The example is the client; its database is in memory, because every event is a transaction.
    @Test("100,000 events through a client that is killed 200 times: each is handled exactly once, in order")
    func killed() async throws {
        let (count, kills) = (100_000, 200)
        let fixture = try await AutomationFixture()
        let socket = try serve(fixture)
        defer { socket.close() }
        // The reader exists before the first message.
        _ = try await fixture.call("events.read", ["reader": "messages"])
        let key = fixture.romeo
        let store = fixture.store
        let writing = Task {
            for batch in 0..<(count / 200) {
                try await store.write { store throws(StoreError) in
                    for number in 0..<200 {
                        let body = String(batch * 200 + number)
                        _ = try store.receive(AutomationFixture.copy(body, id: body), in: key)
                    }
                }
            }
        }
        let database = "/dev/shm/hongyan-events-\(UUID().uuidString).db"
        defer { for suffix in ["", "-wal", "-shm"] { unlink(database + suffix) } }
        let home = try ProgramHome()
        let words = ["python3", Program.example("Automation/messages.py"), database, fixture.folder]
        func handled() -> Int64 {
            guard let connection = try? SQLiteConnection(path: database, mode: .readOnly) else { return 0 }
            // The last number, which needs no count of all rows.
            return (try? connection.integer("SELECT max(rowid) FROM messages")) ?? 0
        }
        for life in 0..<kills {
            let program = try Program("/usr/bin/env", words, home: home)
            // Each life handles some events and is killed in the middle of another one.
            let some = Int.random(in: 1...100)
            let goal = min(max(Int64(life * count / (kills + 1) + some), handled() + Int64(some)), Int64(count) - 1)
            while handled() < goal { try await Task.sleep(for: .milliseconds(5)) }
            program.signal(SIGKILL)
            _ = await program.result()
        }
        try await writing.value
        let last = try Program("/usr/bin/env", words, home: home)
        while handled() < count { try await Task.sleep(for: .milliseconds(20)) }
        last.signal(SIGKILL)
        _ = await last.result()
        let connection = try SQLiteConnection(path: database, mode: .readOnly)
        let bodies = try connection.rows("SELECT body FROM messages ORDER BY rowid") { row throws(StoreError) in
            row.text(0)
        }
        #expect(bodies.count == count)
        #expect(bodies == (0..<count).map(String.init))
    }
}
