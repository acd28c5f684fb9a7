package import ChatStore
package import ChatStoreTesting
import Synchronization
import Testing
package import XMPPAddress

/// A store in memory with Juliet's account, and what a test needs to let things happen in it.
@MainActor
package final class ModelFixture {
    package let store = MemoryStore()
    package let account: AccountID
    package let juliet: JID
    package let romeo: JID
    package let reports = Reports()
    private let first: StoreChanges
    private let sequence: StoreChangeSequence

    /// What the models report as broken.
    package final class Reports: Sendable {
        private let sentences = Mutex<[String]>([])
        package init() {}
        package var all: [String] { sentences.withLock { $0 } }
        package func add(_ sentence: String) { sentences.withLock { $0.append(sentence) } }
    }

    package init() async throws {
        let address = try JID("juliet@capulet.example")
        juliet = address
        romeo = try JID("romeo@montague.example")
        sequence = store.changes()
        var iterator = sequence.makeAsyncIterator()
        account = try await store.write { store throws(StoreError) in try store.addAccount(address) }
        first = try #require(await iterator.next())
    }

    package var key: ConversationKey { ConversationKey(account: account, address: romeo, kind: .direct) }

    package func key(_ address: String, _ kind: ConversationKey.Kind = .direct) throws -> ConversationKey {
        ConversationKey(account: account, address: try JID(address), kind: kind)
    }

    /// 2026-11-01T12:00:00Z and so many seconds.
    package nonisolated static func time(_ seconds: Int64) -> MessageTime {
        MessageTime(millisecondsSince1970: 1_793_534_400_000 + seconds * 1000)
    }

    /// Joined changes since the last time it was asked.
    package func changes() async -> StoreChanges {
        // Something must have changed, or this would wait for ever.
        var iterator = sequence.makeAsyncIterator()
        return await iterator.next() ?? first
    }

    @discardableResult
    package func receive(
        _ content: MessageContent, id: String, at seconds: Int64, from sender: JID? = nil, isOutgoing: Bool = false,
        in conversation: ConversationKey? = nil, route: MessageCopy.Route = .live
    ) async throws -> MessageID {
        let key = conversation ?? key
        let sender = sender ?? (isOutgoing ? juliet : key.address)
        return try await store.write { store throws(StoreError) in
            try store.receive(
                MessageCopy(
                    route: route, sender: sender, isOutgoing: isOutgoing, wireID: id, originID: id,
                    time: Self.time(seconds), content: content), in: key
            ).id
        }
    }

    @discardableResult
    package func receive(
        _ body: String, id: String, at seconds: Int64, from sender: JID? = nil, isOutgoing: Bool = false,
        in conversation: ConversationKey? = nil
    ) async throws -> MessageID {
        try await receive(
            .text(MessageText(body)), id: id, at: seconds, from: sender, isOutgoing: isOutgoing, in: conversation)
    }

    /// Many messages in one transaction.
    package func fill(_ range: Range<Int>, in conversation: ConversationKey? = nil, every seconds: Int64 = 60)
        async throws
    {
        let key = conversation ?? key
        try await store.write { store throws(StoreError) in
            for number in range {
                _ = try store.receive(
                    MessageCopy(
                        route: .live, sender: key.address, wireID: "m\(number)", originID: "m\(number)",
                        time: Self.time(Int64(number) * seconds), content: .text(MessageText("Number \(number)"))),
                    in: key)
            }
        }
    }

    @discardableResult
    package func send(_ content: MessageContent, id: String, at seconds: Int64) async throws -> MessageID {
        let (juliet, key) = (juliet, key)
        return try await store.write { store throws(StoreError) in
            try store.send(
                OutgoingMessage(sender: juliet, originID: id, time: Self.time(seconds), content: content), in: key)
        }
    }

    package func markRead(_ message: MessageID) async throws {
        try await store.write { store throws(StoreError) in try store.markRead(upTo: message) }
    }

    package func all(_ conversation: ConversationKey? = nil) async throws -> [StoredMessage] {
        let key = conversation ?? key
        return try await store.read { store throws(StoreError) in
            guard let id = try store.conversation(key) else { return [] }
            return try store.timeline(of: id, .newest, limit: 1_000_000)
        }
    }
}
