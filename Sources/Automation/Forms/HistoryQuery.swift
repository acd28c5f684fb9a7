internal import ChatEngine
package import ChatModel
package import ChatStore
internal import Localization
package import XMPPAddress

/// A request to read stored messages.
package struct HistoryQuery: Sendable {
    /// The other side; `nil` is any.
    package var address: JID?
    package var searchText: String?
    package var before: HistoryPoint?
    package var limit = 50

    package static let limits = 1...100_000

    package init() {}
}

/// The result, oldest first.
package struct HistoryPage: Sendable {
    package struct Line: Sendable {
        package var message: StoredMessage
        package var key: ConversationKey
        package var author: String
    }

    package var lines: [Line] = []
    /// The message before which there are more; `nil` if there are none.
    package var next: MessageID?

    package init(lines: [Line] = [], next: MessageID? = nil) {
        self.lines = lines
        self.next = next
    }
}

extension HistoryQuery {
    /// Reads the requested messages.
    ///
    /// - Returns: `nil` if the message that it starts with does not exist.
    package func read(of account: AccountID, in store: any StoreReader) throws(StoreError) -> HistoryPage? {
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
        let book = try AddressBook(store, of: account)
        if searchText != nil || conversation == nil {
            return try search(of: account, conversation?.id, before: start, book, in: store)
        }
        guard let conversation else { return HistoryPage() }
        return try timeline(of: conversation, before: start, book, in: store)
    }

    private func timeline(
        of conversation: (id: ConversationID, key: ConversationKey), before start: StoredMessage?, _ book: AddressBook,
        in store: any StoreReader
    ) throws(StoreError) -> HistoryPage? {
        var anchor = TimelineAnchor.newest
        if let start {
            guard start.conversation == conversation.id else { return nil }
            anchor = .before(start.position)
        } else if case .time(let time)? = before {
            anchor = .before(.start(of: time))
        }
        // One more shows whether there are others.
        let messages = try store.timeline(of: conversation.id, anchor, limit: limit + 1)
        let shown = messages.suffix(limit)
        return HistoryPage(
            lines: shown.map { message in
                .init(
                    message: message, key: conversation.key,
                    author: message.author(in: conversation.key, book))
            }, next: messages.count > limit ? shown.first?.id : nil)
    }

    private func search(
        of account: AccountID, _ conversation: ConversationID?, before start: StoredMessage?, _ book: AddressBook,
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
                found.append(.init(message: message, key: key, author: message.author(in: key, book)))
            }
            next = page.next
            request.before = next
        } while next != nil && found.count < limit
        return HistoryPage(lines: found.reversed(), next: next)
    }
}

extension StoreReader {
    /// The account with this address, or the only one.
    package func account(meant address: JID?) throws(StoreError) -> Account? {
        if let address { return try account(address.bare) }
        let accounts = try accounts()
        return accounts.count == 1 ? accounts.first : nil
    }
}

extension StoredMessage {
    /// The name of the author, for display.
    package func author(in key: ConversationKey, _ book: AddressBook) -> String {
        isOutgoing ? localized("me") : book.author(sender, in: key)
    }
}

/// The position from which to read older messages.
package enum HistoryPoint: Equatable, Sendable {
    case message(MessageID)
    case time(MessageTime)
}
