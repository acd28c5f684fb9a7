internal import ChatEngine
internal import ChatStore
internal import Glibc
internal import Localization
internal import MessageFeatures
internal import TerminalApp
internal import XMPPAddress

/// A request to read stored messages.
struct HistoryRequest: Sendable {
    /// The other side; `nil` is any.
    var address: JID?
    var searchText: String?
    var before: HistoryPoint?
    var limit = 50

    static let limits = 1...100_000
}

/// The result, oldest first.
struct HistoryPage: Sendable {
    struct Line: Sendable {
        var message: StoredMessage
        var key: ConversationKey
        var author: String
    }

    var lines: [Line] = []
    /// The message before which there are more; `nil` if there are none.
    var next: MessageID?
}

extension HistoryRequest {
    /// Reads the requested messages.
    ///
    /// - Returns: `nil` if the message that it starts with does not exist.
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
        // One more shows whether there are others.
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
    /// The account with this address, or the only one.
    func account(meant address: JID?) throws(StoreError) -> Account? {
        if let address { return try account(address.bare) }
        let accounts = try accounts()
        return accounts.count == 1 ? accounts.first : nil
    }

    /// The names that the user gave to contacts and rooms.
    func names(of account: AccountID) throws(StoreError) -> [JID: String] {
        var names: [JID: String] = [:]
        for contact in try contacts(of: account) { names[contact.address] = contact.name }
        for room in try rooms(of: account) { names[room.address] = room.name }
        return names
    }
}

extension StoredMessage {
    /// The name of the author, for display.
    func author(in kind: ConversationKey.Kind, names: [JID: String]) -> String {
        if isOutgoing { return localized("me") }
        switch kind {
        case .room, .occupant: return sender.resource ?? names[sender] ?? sender.description
        case .direct: return names[sender.bare] ?? sender.bare.description
        }
    }
}

/// The position from which to read older messages, as the user types it: a date or time by the clock of this computer,
/// a time in UTC (XEP-0082), or the number of a message.
enum HistoryPoint: Equatable, Sendable {
    case message(MessageID)
    case time(MessageTime)

    /// Reads `2026-11-21`, `2026-11-21 14:05`, `2026-11-21T14:05:09`, `2026-11-21T13:05:09Z` or `4711`.
    init(_ text: String) throws(CommandError) {
        let text = text.trimmed
        if let number = Int64(text), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            self = .message(MessageID(rawValue: number))
        } else if let moment = Timestamp(text) {
            self = .time(MessageTime(millisecondsSince1970: moment.millisecondsSince1970))
        } else if let time = Self.localTime(text) {
            self = .time(time)
        } else {
            throw .usage(
                localized(
                    "“%@” is neither a time nor a message; write 2026-11-21, “2026-11-21 14:05” or a number.", text))
        }
    }

    /// A date, optionally followed by a time, by the clock of this computer.
    private static func localTime(_ text: String) -> MessageTime? {
        let parts = text.split(omittingEmptySubsequences: false) { $0 == " " || $0 == "T" }
        guard (1...2).contains(parts.count) else { return nil }
        let day = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Int32($0) }
        let clock =
            parts.count == 2 ? parts[1].split(separator: ":", omittingEmptySubsequences: false).map { Int32($0) } : []
        guard day.count == 3, let year = day[0], let month = day[1], let dayOfMonth = day[2], (1...9999).contains(year),
            (1...12).contains(month), (1...31).contains(dayOfMonth), clock.isEmpty || (2...3).contains(clock.count),
            !clock.contains(nil)
        else { return nil }
        let units = clock.compactMap { $0 } + [0, 0, 0]
        guard (0...23).contains(units[0]), (0...59).contains(units[1]), (0...60).contains(units[2]) else { return nil }
        var moment = tm()
        (moment.tm_year, moment.tm_mon, moment.tm_mday) = (year - 1900, month - 1, dayOfMonth)
        (moment.tm_hour, moment.tm_min, moment.tm_sec) = (units[0], units[1], units[2])
        // The C library determines whether daylight saving time applied.
        moment.tm_isdst = -1
        let seconds = mktime(&moment)
        return seconds == -1 ? nil : MessageTime(millisecondsSince1970: Int64(seconds) * 1000)
    }
}
