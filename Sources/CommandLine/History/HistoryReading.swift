internal import ChatEngine
internal import ChatStore
internal import Localization
internal import XMPPAddress

/// A request to read stored messages.
struct HistoryRequest: Sendable {
    /// With whom; `nil` is everybody.
    var address: JID?
    var searchText: String?
    var before: HistoryPoint?
    var limit = 50

    static let limits = 1...100_000
}

/// What was found, oldest first.
struct HistoryPage: Sendable {
    struct Line: Sendable {
        var message: StoredMessage
        var key: ConversationKey
        var author: String
    }

    var lines: [Line] = []
    /// The number of the message before which there is more; `nil` where that is all.
    var next: MessageID?
}

extension HistoryRequest {
    /// Reads what is asked for.
    ///
    /// - Returns: `nil` where the message that it begins with is not there.
    func read(of account: AccountID, in store: any StoreReader) throws(StoreError) -> HistoryPage? {
        var conversation: (id: ConversationID, key: ConversationKey)?
        if let address {
            let key = try store.conversation(with: address, of: account)
            // There is no conversation with an unknown address.
            guard let id = try store.conversation(key) else { return HistoryPage() }
            conversation = (id, key)
        }
        var start: StoredMessage?
        if case .message(let id)? = before {
            guard let message = try store.message(id) else { return nil }
            start = message
        }
        let names = try store.names(of: account)
        if searchText != nil || conversation == nil {
            return try search(of: account, conversation?.id, before: start, names: names, in: store)
        }
        guard let conversation else { return HistoryPage() }
        return try timeline(of: conversation, before: start, names: names, in: store)
    }

    private func timeline(
        of conversation: (id: ConversationID, key: ConversationKey), before start: StoredMessage?, names: [JID: String],
        in store: any StoreReader
    ) throws(StoreError) -> HistoryPage? {
        var anchor = TimelineAnchor.newest
        if let start {
            guard start.conversation == conversation.id else { return nil }
            anchor = .before(start.position)
        } else if case .time(let time)? = before {
            anchor = .before(.start(of: time))
        }
        // One more tells whether there is more.
        let messages = try store.timeline(of: conversation.id, anchor, limit: limit + 1)
        let shown = messages.suffix(limit)
        return HistoryPage(
            lines: shown.map { message in
                .init(
                    message: message, key: conversation.key,
                    author: message.author(in: conversation.key.kind, names: names))
            }, next: messages.count > limit ? shown.first?.id : nil)
    }

    private func search(
        of account: AccountID, _ conversation: ConversationID?, before start: StoredMessage?, names: [JID: String],
        in store: any StoreReader
    ) throws(StoreError) -> HistoryPage {
        var end: MessageTime?
        if case .time(let time)? = before { end = time }
        var found: [HistoryPage.Line] = []
        var request = SearchRequest(
            searchText ?? "", account: account, conversation: conversation, before: start?.id, limit: limit)
        var next: MessageID?
        repeat {
            let page = try store.search(request)
            for message in page.messages where found.count < limit && end.map({ message.time < $0 }) ?? true {
                guard let key = try store.conversation(message.conversation)?.key else { continue }
                found.append(.init(message: message, key: key, author: message.author(in: key.kind, names: names)))
            }
            next = page.next
            request.before = next
        } while next != nil && found.count < limit
        return HistoryPage(lines: found.reversed(), next: next)
    }
}

extension StoreReader {
    /// The account of that address, or the only one that is there.
    func account(meant address: JID?) throws(StoreError) -> Account? {
        if let address { return try account(address.bare) }
        let accounts = try accounts()
        return accounts.count == 1 ? accounts.first : nil
    }

    /// The names that a person gave to contacts and rooms.
    func names(of account: AccountID) throws(StoreError) -> [JID: String] {
        var names: [JID: String] = [:]
        for contact in try contacts(of: account) { names[contact.address] = contact.name }
        for room in try rooms(of: account) { names[room.address] = room.name }
        return names
    }
}

extension StoredMessage {
    /// Who says it, for a person.
    func author(in kind: ConversationKey.Kind, names: [JID: String]) -> String {
        if isOutgoing { return localized("me") }
        switch kind {
        case .room, .occupant: return sender.resource ?? names[sender] ?? sender.description
        case .direct: return names[sender.bare] ?? sender.bare.description
        }
    }
}
