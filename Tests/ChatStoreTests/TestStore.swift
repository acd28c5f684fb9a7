import ChatStore
import Foundation
import MessageSemantics
import XMPPAddress

/// The stores that must follow the same rules.
enum StoreKind: CaseIterable, Sendable {
    case memory
    case file
}

/// A new store of one kind with one account; its folder is removed with it.
final class TestStore: Sendable {
    let store: any LocalStore
    let account: AccountID
    let folder: TemporaryFolder?

    init(_ kind: StoreKind) async throws {
        switch kind {
        case .memory:
            folder = nil
            store = MemoryStore()
        case .file:
            let folder = try TemporaryFolder()
            self.folder = folder
            store = try await SQLiteStore.open(at: folder.path + "/chat.db")
        }
        account = try await store.write { store throws(StoreError) in try store.addAccount(.juliet) }
    }

    /// The conversation with Romeo.
    var romeo: ConversationKey { ConversationKey(account: account, address: .romeo, kind: .direct) }
    var balcony: ConversationKey { ConversationKey(account: account, address: .balcony, kind: .room) }

    @discardableResult
    func receive(_ copy: MessageCopy, in key: ConversationKey? = nil) async throws -> Reception {
        let key = key ?? romeo
        return try await store.write { store throws(StoreError) in try store.receive(copy, in: key) }
    }

    func receive(_ page: StoredArchivePage) async throws {
        let account = account
        try await store.write { store throws(StoreError) in try store.receive(page, account: account) }
    }

    func report(_ report: StateReport, in key: ConversationKey? = nil) async throws {
        let key = key ?? romeo
        try await store.write { store throws(StoreError) in try store.receive(report, in: key) }
    }

    func send(_ body: String, id: String, at time: Int64, in key: ConversationKey? = nil) async throws -> MessageID {
        let key = key ?? romeo
        let sender: JID = key.kind == .room ? .julietInBalcony : .juliet
        return try await store.write { store throws(StoreError) in
            try store.send(
                OutgoingMessage(sender: sender, originID: id, time: .at(time), content: .text(MessageText(body))),
                in: key)
        }
    }

    func timeline(
        _ key: ConversationKey? = nil, _ anchor: TimelineAnchor = .newest, limit: Int = 100
    ) async throws -> [StoredMessage] {
        let key = key ?? romeo
        return try await store.read { store throws(StoreError) in
            guard let conversation = try store.conversation(key) else { return [] }
            return try store.timeline(of: conversation, anchor, limit: limit)
        }
    }

    func bodies(_ key: ConversationKey? = nil) async throws -> [String] { try await timeline(key).map(\.text.body) }

    func conversation(_ key: ConversationKey? = nil) async throws -> Conversation? {
        let key = key ?? romeo
        return try await store.read { store throws(StoreError) in
            guard let id = try store.conversation(key) else { return nil }
            return try store.conversation(id)
        }
    }

    func found(_ text: String, limit: Int = 50) async throws -> [String] {
        try await store.read { store throws(StoreError) in
            try store.search(SearchRequest(text, limit: limit)).messages.map(\.text.body)
        }
    }
}

extension JID {
    static func known(_ text: StaticString) -> JID {
        guard let address = try? JID("\(text)") else { preconditionFailure("\(text) is an address") }
        return address
    }

    static let juliet = known("juliet@capulet.example")
    static let romeo = known("romeo@montague.example")
    static let romeoPhone = known("romeo@montague.example/phone")
    static let tybalt = known("tybalt@capulet.example")
    static let balcony = known("balcony@rooms.example")
    static let julietInBalcony = known("balcony@rooms.example/Juliet")
    static let romeoInBalcony = known("balcony@rooms.example/Romeo")
    static let nurseInBalcony = known("balcony@rooms.example/Nurse")
}

extension MessageTime {
    /// A time relative to an evening in 2024.
    static func at(_ seconds: Int64) -> MessageTime {
        MessageTime(millisecondsSince1970: 1_720_000_000_000 + seconds * 1000)
    }
}

extension MessageCopy {
    /// A message of Romeo.
    static func text(
        _ body: String, from sender: JID = .romeoPhone, id: String? = nil, origin: String? = nil,
        archived: String? = nil,
        by archive: JID = .juliet, at time: Int64, source: TimeSource = .clock, isOutgoing: Bool = false,
        occupant: String? = nil, stay: Int64? = nil, route: Route = .live
    ) -> MessageCopy {
        with(
            .text(MessageText(body)), from: sender, id: id ?? origin, origin: origin, archived: archived, by: archive,
            at: time, source: source, isOutgoing: isOutgoing, occupant: occupant, stay: stay, route: route)
    }

    static func with(
        _ content: MessageContent, from sender: JID = .romeoPhone, id: String? = nil, origin: String? = nil,
        archived: String? = nil, by archive: JID = .juliet, at time: Int64, source: TimeSource = .clock,
        isOutgoing: Bool = false, occupant: String? = nil, stay: Int64? = nil, route: Route = .live
    ) -> MessageCopy {
        MessageCopy(
            route: route, sender: sender, occupantID: occupant,
            stay: stay.map { OccupantStay(rawValue: $0) }, isOutgoing: isOutgoing, wireID: id ?? origin,
            originID: origin, archiveReferences: archived.map { [ArchiveReference(archive: archive, id: $0)] } ?? [],
            time: .at(time), timeSource: source, content: content)
    }
}

/// A temporary folder for one test, removed at its end.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "hongyan-store-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func mode(of name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: "\(path)/\(name)")[.posixPermissions] as? Int
    }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() }
}

/// The attachment of a message; Swift Testing has a type of the same name.
typealias Attachment = ChatStore.Attachment
