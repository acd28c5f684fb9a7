import Foundation
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStream

@testable import XMPPClient

private func stanza(_ number: Int) -> UnacknowledgedStanza {
    UnacknowledgedStanza(token: StanzaToken(UInt64(number)), bytes: Array("<message id='\(number)'/>".utf8))
}

private func saved(
    _ sent: [Int] = [], id: String = "s", handled: UInt32 = 0, acknowledged: UInt32 = 0
) throws -> ResumptionState {
    ResumptionState(
        id: id, address: try JID("alice@xmpp.test/desk"), handledCount: handled, acknowledgedCount: acknowledged,
        unacknowledged: sent.map(stanza), maximumSeconds: 300, location: "a.xmpp.test")
}

@Suite("The journal of a session")
struct SessionJournalTests {
    /// A possible session: written, confirmed, received, lost, restarted, closed.
    static func steps() throws -> [SessionJournal.Record] {
        var journal = SessionJournal()
        var records: [SessionJournal.Record] = []
        func add(_ record: SessionJournal.Record) {
            records.append(record)
            journal.append(record, byteCount: 1)
        }
        func step(_ next: ResumptionState?, received: [String] = [], lost: [Int] = []) {
            add(.change(journal.change(to: next), received: received, unacknowledged: lost.map(stanza)))
        }
        step(try saved())
        step(try saved([1, 2]))
        step(try saved([2, 3], handled: 2, acknowledged: 1), received: ["<message id='x'/>", "<message id='ö'/>"])
        add(.finished(1))
        step(try saved([], handled: 2, acknowledged: 3))
        step(try saved([4], handled: .max, acknowledged: .max))
        step(try saved([4, 5], handled: 1, acknowledged: .max))
        step(try saved([], handled: 1, acknowledged: 1))
        step(try saved([6], id: "t"), lost: [7, 8])
        add(.unacknowledgedTaken)
        step(nil)
        step(nil, received: ["<message/>"])
        add(.archived(.init(account: "alice@xmpp.test"), received: []))
        add(
            .archived(.init(mark: .init(id: "a1", stamp: nil), isComplete: true, ids: ["a1"]), received: ["<message/>"])
        )
        add(
            .change(
                journal.change(to: try saved()), received: [], unacknowledged: [],
                archive: .init(isComplete: false, ids: ["a2"])))
        return records
    }

    @Test("truncated at any byte, it is read up to the last complete record")
    func everyPrefix() throws {
        var file = SessionJournal.header
        var ends = [(file.count, SessionJournal.Content())]
        var journal = SessionJournal()
        for record in try Self.steps() {
            let bytes = try SessionJournal.bytes(of: record)
            file += bytes
            journal.append(record, byteCount: bytes.count)
            ends.append((file.count, journal.content))
        }
        for length in 0...file.count {
            let read = try #require(SessionJournal(reading: Array(file[..<length])))
            let whole = ends.last { $0.0 <= length }
            #expect(read.content == whole?.1 ?? SessionJournal.Content())
            #expect(read.byteCount == whole?.0 ?? 0)
        }
    }

    @Test("a changed byte in the last record invalidates only that record")
    func damaged() throws {
        let steps = try Self.steps()
        var file = SessionJournal.header
        var journal = SessionJournal()
        for record in steps.dropLast() {
            file += try SessionJournal.bytes(of: record)
            journal.append(record, byteCount: 0)
        }
        let last = try SessionJournal.bytes(of: try #require(steps.last))
        for position in last.indices {
            var bytes = last
            bytes[position] ^= 0x10
            #expect(SessionJournal(reading: file + bytes)?.content == journal.content)
        }
    }

    @Test("only the difference of two states is written, and it results in the second")
    func differences() throws {
        var journal = SessionJournal()
        journal.append(
            .change(.new(try saved([1, 2, 3], acknowledged: 5)), received: [], unacknowledged: []), byteCount: 0)
        let cases: [(ResumptionState?, SessionJournal.StateChange)] = [
            (try saved([1, 2, 3], acknowledged: 5), .same), (nil, .gone),
            (
                try saved([3, 4], handled: 9, acknowledged: 7),
                .step(handled: 9, acknowledged: 7, sent: [stanza(4)])
            ),
            (try saved([1, 2], acknowledged: 5), .new(try saved([1, 2], acknowledged: 5))),
            (try saved([1, 2, 3], id: "u", acknowledged: 5), .new(try saved([1, 2, 3], id: "u", acknowledged: 5))),
        ]
        for (next, change) in cases {
            #expect(journal.change(to: next) == change)
            var copy = journal
            copy.append(.change(change, received: [], unacknowledged: []), byteCount: 0)
            #expect(copy.content.resumption == next)
        }
    }

    @Test("CRC-32 gives the standard values")
    func checksum() {
        #expect(CRC32.checksum(of: Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(CRC32.checksum(of: []) == 0)
    }
}

@Suite("The session store in a file", .timeLimit(.minutes(20)))
final class FileSessionStoreTests {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("store-\(UUID().uuidString)").path
    var path: String { folder + "/session" }

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func message(_ id: String) throws -> XMLElement {
        try XMLElement(parsing: "<message xmlns='jabber:client' id='\(id)'><body>ß</body></message>")
    }

    @Test("committed data is restored, finished data is not")
    func reopen() async throws {
        do {
            let store = try FileSessionStore(path: path, keeping: { $0.name.local == "message" })
            #expect(try await store.loadSession() == nil)
            try await store.commit(
                SessionChange(
                    received: try [message("1"), message("2"), XMLElement(parsing: "<presence/>")].map {
                        ReceivedStanza($0)
                    },
                    unacknowledged: [stanza(9)], resumption: try saved([1])))
            #expect(store.received.map { $0.stanza["id"] } == ["1", "2"])
            try await store.finish(store.received[0])
            await store.close()
        }
        let store = try FileSessionStore(path: path)
        #expect(try await store.loadSession()?.resumption == saved([1]))
        #expect(store.received.map { $0.stanza } == [try message("2")])
        #expect(store.unacknowledged == [stanza(9)])
        try await store.forgetUnacknowledged()
        #expect(store.unacknowledged.isEmpty)
    }

    @Test("only the owner can read it, one store at a time can open it, and other files are not changed")
    func permissions() throws {
        let store = try FileSessionStore(path: path)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(throws: ClientError.self) { try FileSessionStore(path: path) }
        withExtendedLifetime(store) {}
        let other = folder + "/letter"
        try "Dear Alice, this is no journal.".write(toFile: other, atomically: true, encoding: .utf8)
        #expect(throws: ClientError.self) { try FileSessionStore(path: other) }
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "Dear Alice, this is no journal.")
        try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: other)
        #expect(throws: ClientError.self) { try FileSessionStore(path: folder + "/link") }
    }

    @Test("it does not grow with time, and an incomplete end is truncated")
    func compaction() async throws {
        do {
            let store = try FileSessionStore(path: path)
            for number in 0..<600 {
                let next = try saved([number], handled: UInt32(number), acknowledged: UInt32(number))
                try await store.commit(SessionChange(resumption: next))
            }
            await store.close()
            await #expect(throws: ClientError.self) { try await store.commit(SessionChange(resumption: nil)) }
        }
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        #expect((size ?? .max) < FileSessionStore.compactionSize * 2)
        let handle = try #require(FileHandle(forWritingAtPath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data([9, 0, 0, 0, 1, 2]))
        try handle.close()
        let store = try FileSessionStore(path: path)
        #expect(try await store.loadSession()?.resumption.handledCount == 599)
        try await store.commit(SessionChange(resumption: nil))
        #expect(try await store.loadSession() == nil)
    }

    @Test("the inbox returns the remaining stanzas, then new ones, and ends with the session")
    func inbox() async throws {
        let store = try FileSessionStore(path: path, keeping: { _ in true })
        try await store.commit(SessionChange(received: [ReceivedStanza(try message("1"))], resumption: nil))
        let reader = Task {
            var ids: [String] = []
            for await received in store.inbox {
                ids.append(received.stanza["id"] ?? "")
                try await store.finish(received)
            }
            return ids
        }
        for id in ["2", "3"] {
            try await store.commit(SessionChange(received: [ReceivedStanza(try message(id))], resumption: nil))
        }
        while !store.received.isEmpty { await Task.yield() }
        await store.sessionEnded()
        #expect(try await reader.value == ["1", "2", "3"])
        let cancelled = Task {
            _ = try await store.loadSession()
            for await _ in store.inbox {}
        }
        cancelled.cancel()
        try await cancelled.value
    }
}
