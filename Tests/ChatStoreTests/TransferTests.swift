import ChatStore
import Synchronization
import Testing
import XMPPAddress

@Suite("Export and import")
struct TransferTests {
    private final class Sink: Sendable {
        private let bytes = Mutex<[UInt8]>([])
        func write(_ more: [UInt8]) { bytes.withLock { $0 += more } }
        var lines: [String] {
            String(decoding: bytes.withLock { $0 }, as: UTF8.self).split(separator: "\n").map(String.init)
        }
    }

    private func export(_ store: any LocalStore) async throws -> [String] {
        let sink = Sink()
        try await store.export { bytes throws(StoreError) in sink.write(bytes) }
        return sink.lines
    }

    private func stream(_ lines: [String]) -> AsyncThrowingStream<String, any Error> {
        AsyncThrowingStream { continuation in
            for line in lines { continuation.yield(line) }
            continuation.finish()
        }
    }

    private func fill(_ store: TestStore) async throws {
        try await store.receive(
            StoredArchivePage(
                archive: .juliet, query: StoredArchiveQuery(.forward),
                items: (0..<3).map { number in
                    // All in one second, so that only the archive knows their order.
                    ArchiveItem(
                        id: "\(number)", time: .at(1),
                        content: .message(
                            .text("message \(number)\n\"鸿雁\"", origin: "\(number)", at: 0), in: store.romeo))
                }, isComplete: true))
        try await store.receive(.with(.correction(of: .sent(id: "1"), MessageText("corrected")), origin: "c", at: 4))
        try await store.receive(.with(.reactions(to: .sent(id: "2"), ["🌹"]), id: "r", at: 5))
        try await store.receive(ProtectionTests.copy(.text("gone", origin: "g", at: 6), ProtectionTests.facts))
        try await store.receive(
            ProtectionTests.copy(.with(.retraction(of: .sent(id: "g")), origin: "x", at: 7), ProtectionTests.facts))
        let queued = try await store.send("queued", id: "q", at: 8)
        try await store.receive(
            .text("in a room", from: .nurseInBalcony, archived: "9", by: .balcony, at: 9), in: store.balcony)
        let account = store.account
        let romeo = store.romeo
        try await store.store.write { store throws(StoreError) in
            try store.save(
                StoredContact(address: .romeo, name: "Romeo", subscription: .both, groups: ["a"]), of: account)
            try store.save(StoredRoom(address: .balcony, nickname: "Juliet"), of: account)
            let conversation = try store.openConversation(romeo)
            try store.update(ConversationSettings(isPinned: true, mutedUntil: .at(50)), of: conversation)
            try store.saveDraft(Draft(body: "draft", time: .at(20)), in: conversation)
            try store.markRead(upTo: .sent(id: "2"), in: conversation)
        }
        _ = queued
    }

    @Test("an export has no keys of encrypted files", arguments: StoreKind.allCases)
    func fileKeys(kind: StoreKind) async throws {
        let store = try await TestStore(kind)
        let link = "aesgcm://files.example/1/x.png#" + String(repeating: "ab", count: 44)
        let attachment = Attachment(kind: .picture, mediaType: "image/png", url: link)
        try await store.receive(.with(.text(MessageText("", attachments: [attachment])), origin: "1", at: 1))
        try await store.receive(.text("see \(link)\nhere", origin: "2", at: 2))
        let text = try await export(store.store).joined()
        #expect(!text.contains("abab") && text.contains("files.example"))
        #expect("see \(link)\nhere".withoutFileKeys == "see aesgcm://files.example/1/x.png#…\nhere")
        #expect("https://a.example/#part".withoutFileKeys == "https://a.example/#part")
        #expect(try await store.timeline().first?.text.attachments.first?.url == link)
    }

    @Test("an export is imported into another store, once", arguments: StoreKind.allCases, StoreKind.allCases)
    func roundTrip(from: StoreKind, to: StoreKind) async throws {
        let store = try await TestStore(from)
        try await fill(store)
        let lines = try await export(store.store)
        let other = try await TestStore(to)
        let report = try await other.store.importLines(stream(lines))
        #expect(report.added == 9)
        #expect(report.known == 0)
        func seen(_ store: TestStore, _ key: ConversationKey) async throws -> [String] {
            try await store.timeline(key).map { message in
                "\(message.sender) \(message.time.millisecondsSince1970) \(message.text.body) \(message.isRetracted) "
                    + "\(message.reactions.map(\.emoji)) \(message.originID ?? "-") \(message.editTime != nil) "
                    + "\(message.protection)"
            }
        }
        #expect(try await seen(other, other.romeo) == seen(store, store.romeo))
        #expect(try await seen(other, other.romeo).contains { $0.contains("a1b2") })
        #expect(try await seen(other, other.balcony) == seen(store, store.balcony))
        let old = try #require(try await store.conversation())
        let new = try #require(try await other.conversation())
        #expect(new.settings == old.settings)
        #expect(new.draft == old.draft)
        #expect(new.unreadCount == old.unreadCount)
        // Nothing is sent a second time.
        let account = other.account
        let queue = try await other.store.read { store throws(StoreError) in try store.sendQueue(of: account) }
        #expect(queue.isEmpty)
        #expect(try await other.timeline().last?.state == .failed(FailureReason(.notSent, condition: "imported")))
        #expect(try await other.found("corrected") == ["corrected"])
        #expect(try await other.found("gone").isEmpty)

        let again = try await other.store.importLines(stream(lines))
        #expect(again.added == 0)
        #expect(again.known == 9)
        #expect(try await seen(other, other.romeo) == seen(store, store.romeo))
    }

    @Test("an invalid line is reported with its number; the lines before it are imported")
    func badLine() async throws {
        let store = try await TestStore(.memory)
        try await fill(store)
        var lines = try await export(store.store)
        lines.insert("{\"message\":", at: lines.count - 2)
        let other = try await TestStore(.memory)
        do {
            _ = try await other.store.importLines(stream(lines))
            Issue.record("a broken line was taken in")
        } catch {
            #expect(error.code == .invalidImport)
            #expect(error.description == "Line \(lines.count - 2) of the import cannot be decoded.")
        }
        #expect(try await other.bodies().isEmpty == false)
        do {
            _ = try await other.store.importLines(stream([#"{"header":{"version":2}}"#]))
            Issue.record("a newer export was taken in")
        } catch {
            #expect(error.code == .tooNew)
        }
    }
}
