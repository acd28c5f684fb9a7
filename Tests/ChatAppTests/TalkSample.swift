import ChatStore
import Foundation
import GTKBinding
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel

/// Juliet's program with received messages, without a network.
@MainActor
final class TalkSample {
    let home: ChatHome
    let storage: MemoryAccountStorage
    let context: AppContext
    let account: AccountID
    let juliet: JID
    let romeo: JID
    private var number = 0
    /// Added once for all windows, as in the program.
    private static let style: Void = Style.use()

    init(media: MediaCache? = nil, isEnabled: Bool = true) async throws {
        storage = MemoryAccountStorage(media: media)
        home = try await ChatHome.unreachable("juliet@capulet.example", isEnabled: isEnabled, storage: storage)
        context = AppContext(home: home)
        juliet = try JID("juliet@capulet.example")
        romeo = try JID("romeo@montague.example")
        let own = juliet
        let account = try await home.store.read { store throws(StoreError) in try store.account(own)?.id }
        guard let account else { throw Missing() }
        self.account = account
        _ = Self.style
        try await save(StoredContact(address: romeo, name: sampleWords("Romeo")))
    }

    struct Missing: Error {}

    /// How many minutes ago it was noon yesterday: around it no day begins, and no clock is changed.
    static var noonYesterday: Int64 {
        let calendar = Calendar.current
        let noon = calendar.date(byAdding: .hour, value: -12, to: calendar.startOfDay(for: .now)) ?? .now
        return Int64(Date.now.timeIntervalSince(noon) / 60)
    }

    var key: ConversationKey { ConversationKey(account: account, address: romeo, kind: .direct) }

    func key(_ address: String, _ kind: ConversationKey.Kind = .direct) throws -> ConversationKey {
        ConversationKey(account: account, address: try JID(address), kind: kind)
    }

    func save(_ contact: StoredContact) async throws {
        let account = account
        try await home.store.write { store throws(StoreError) in try store.save(contact, of: account) }
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Result
    ) async throws -> Result {
        try await home.store.write { store throws(StoreError) in try body(store) }
    }

    /// - Parameters:
    ///   - minutes: the age of the message.
    ///   - isOwn: an outgoing message that the server has.
    @discardableResult
    func say(
        _ content: MessageContent, ago minutes: Int64 = 0, from sender: JID? = nil, isOwn: Bool = false,
        in other: ConversationKey? = nil
    ) async throws -> MessageID {
        number += 1
        let (key, name) = (other ?? key, "m\(number)")
        let sender = sender ?? (isOwn ? juliet : key.address)
        let time = MessageTime.now.advanced(by: -minutes * 60_000)
        return try await write { store throws(StoreError) in
            try store.receive(
                MessageCopy(
                    route: isOwn ? .carbon : .live, sender: sender, isOutgoing: isOwn, wireID: name, originID: name,
                    time: time, content: content), in: key
            ).id
        }
    }

    @discardableResult
    func say(
        _ body: String, ago minutes: Int64 = 0, from sender: JID? = nil, isOwn: Bool = false,
        in other: ConversationKey? = nil
    ) async throws -> MessageID {
        try await say(.text(MessageText(sampleWords(body))), ago: minutes, from: sender, isOwn: isOwn, in: other)
    }

    /// The sender's id of the last message.
    var lastReference: TargetReference { .sent(id: "m\(number)") }

    func messages(in other: ConversationKey? = nil) async throws -> [StoredMessage] {
        let key = other ?? key
        return try await home.store.read { store throws(StoreError) in
            guard let id = try store.conversation(key) else { return [] }
            return try store.timeline(of: id, .newest, limit: 10_000)
        }
    }

    /// Many messages in one transaction, one per minute, the newest a minute old.
    func fill(
        _ count: Int, in other: ConversationKey? = nil,
        body: @escaping @Sendable (Int) -> String = { sampleWords("Number %@", $0) }
    )
        async throws
    {
        let key = other ?? key
        let now = MessageTime.now
        try await write { store throws(StoreError) in
            for index in 0..<count {
                _ = try store.receive(
                    MessageCopy(
                        route: .live, sender: key.address, wireID: "f\(index)", originID: "f\(index)",
                        time: now.advanced(by: Int64(index - count) * 60_000), content: .text(MessageText(body(index)))),
                    in: key)
            }
        }
    }

    /// A conversation in a window, and its timeline.
    func open(_ other: ConversationKey? = nil, width: Int = 560, height: Int = 640) async -> (Window, ConversationView)
    {
        let view = context.conversationView(other ?? key)
        let window = Window("Talk", width: width, height: height, view.root)
        window.present()
        _ = await Toolkit.eventually { view.timeline.position.isOpened }
        await Toolkit.settle()
        return (window, view)
    }

    func end() async { await home.stop() }
}

extension TimelineView {
    /// The row of a message, if it exists as a widget.
    func row(of message: MessageID) -> TimelineRow? {
        var found: TimelineRow?
        list.forEachRow { if $1.item?.message?.id == message { found = $1 } }
        return found
    }

    func bubble(of message: MessageID) -> MessageBubble? { row(of: message)?.bubble }

    /// The existing rows in order.
    var rows: [TimelineRow] {
        var rows: [(Int, TimelineRow)] = []
        list.forEachRow { rows.append(($0, $1)) }
        return rows.sorted { $0.0 < $1.0 }.map(\.1)
    }
}
