import Foundation
import Testing
import XMPPAddress

@testable import ChatStore

@Suite("Loss of power")
struct PowerCutTests {
    private struct Snapshot: Equatable, Sendable {
        let bodies: [String]
        let queued: [String]
        let unread: Int
    }

    private func snapshot(_ store: SQLiteStore) async throws -> Snapshot {
        try await store.read { store throws(StoreError) in
            guard let account = try store.account(.juliet),
                let id = try store.conversation(ConversationKey(account: account.id, address: .romeo, kind: .direct))
            else { return Snapshot(bodies: [], queued: [], unread: 0) }
            return Snapshot(
                bodies: try store.timeline(of: id, .newest, limit: 100).map(\.text.body),
                queued: try store.sendQueue(of: account.id).map { $0.message.originID ?? "" },
                unread: try store.conversation(id)?.unreadCount ?? 0)
        }
    }

    /// A workload with every kind of change; returns the state after each transaction.
    private func work(_ store: SQLiteStore) async throws -> [Snapshot] {
        var snapshots = [try await snapshot(store)]
        let account = try await store.write { store throws(StoreError) in try store.addAccount(.juliet) }
        let key = ConversationKey(account: account, address: .romeo, kind: .direct)
        var sent: MessageID?
        for number in 0..<6 {
            try await store.write { store throws(StoreError) in
                let copy = MessageCopy.text(
                    "message \(number)", origin: "\(number)", archived: "\(number)", at: Int64(number))
                _ = try store.receive(copy, in: key)
            }
            snapshots.append(try await snapshot(store))
        }
        for number in 0..<2 {
            sent = try await store.write { store throws(StoreError) in
                try store.send(
                    OutgoingMessage(
                        sender: .juliet, originID: "out \(number)", time: .at(100),
                        content: .text(MessageText("reply \(number)"))), in: key)
            }
            snapshots.append(try await snapshot(store))
        }
        let last = try #require(sent)
        for step in 0..<4 {
            try await store.write { store throws(StoreError) in
                switch step {
                case 0: try store.advance(last, to: .sentToServer)
                case 1:
                    let correction = MessageContent.correction(of: .sent(id: "1"), MessageText("corrected"))
                    _ = try store.receive(.with(correction, origin: "c", at: 101), in: key)
                case 2:
                    _ = try store.receive(.with(.retraction(of: .sent(id: "2")), origin: "r", at: 102), in: key)
                default: try store.markRead(upTo: last)
                }
            }
            snapshots.append(try await snapshot(store))
        }
        return snapshots
    }

    @Test("whatever part of the log reached the disk, the store is in the state after one of its transactions")
    func everyPrefix() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/chat.db"
        let store = try await SQLiteStore.open(at: path)
        let snapshots = try await work(store)
        try await store.finishSearchIndex()
        let database = try Data(contentsOf: URL(fileURLWithPath: path))
        let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        await store.close()

        // The log consists of 32 bytes and of frames of 24 bytes and a page. It is cut after every frame and in the
        // middle of every fifth.
        let frame = 24 + 4096
        try #require((log.count - 32) % frame == 0)
        var cuts = [0, 16, 32]
        for index in 0..<(log.count - 32) / frame {
            if index % 5 == 0 { cuts.append(32 + index * frame + 24 + index * 37 % 4096) }
            cuts.append(32 + (index + 1) * frame)
        }
        var reached = 0
        for (number, cut) in cuts.enumerated() {
            let copy = folder.path + "/cut.db"
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
            try database.write(to: URL(fileURLWithPath: copy))
            // Unwritten data is missing, or is what was on the disk before.
            let rest =
                number % 2 == 0 ? Data() : Data(repeating: UInt8(number & 0xff), count: min(frame, log.count - cut))
            try (log.prefix(cut) + rest).write(to: URL(fileURLWithPath: copy + "-wal"))
            let opened = try await SQLiteStore.open(at: copy)
            #expect(opened.report.salvage == nil)
            #expect(try await opened.verify().isEmpty)
            let seen = try await snapshot(opened)
            let index = try #require(snapshots[reached...].firstIndex(of: seen), "cut at \(cut)")
            reached = index
            // The search index matches the timeline.
            try await opened.finishSearchIndex()
            let found = try await opened.read { store throws(StoreError) in
                try store.search(SearchRequest("message")).messages.count
            }
            #expect(found == seen.bodies.filter { $0.hasPrefix("message") }.count)
            await opened.close()
        }
        #expect(reached == snapshots.count - 1)
    }
}
