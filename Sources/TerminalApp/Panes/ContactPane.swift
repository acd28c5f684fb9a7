internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress

/// The contacts in rows: online, then away, then offline, each group sorted by name. Rooms and conversations with
/// strangers follow.
struct ContactPane {
    private(set) var contacts: [ContactRow] = []
    /// Conversations with rooms and with strangers.
    private(set) var others: [ConversationRow] = []
    private(set) var selected: ConversationKey?
    private var unread: [ConversationKey: Int] = [:]

    /// Shows the rows of one account.
    mutating func show(_ contacts: [ContactRow], _ conversations: [ConversationRow], of account: AccountID, own: JID) {
        self.contacts = contacts.filter { $0.id.account == account }
        let known = Set(self.contacts.map(\.address))
        let mine = conversations.filter { $0.key.account == account && !$0.isArchived }
        others = mine.filter { row in
            row.key.address != own && (row.key.kind != .direct || !known.contains(row.key.address))
        }
        unread = Dictionary(
            mine.filter(\.isUnread).map { ($0.key, max($0.unreadCount, 1)) }, uniquingKeysWith: { first, _ in first })
        let keys = keys
        if selected.map({ !keys.contains($0) }) ?? true { selected = keys.first }
    }

    private var keys: [ConversationKey] { contacts.map(\.conversation) + others.map(\.key) }

    func contact(_ address: JID) -> ContactRow? { contacts.first { $0.address == address.bare } }

    /// The number of unread messages in other conversations.
    func unreadCount(besides key: ConversationKey?) -> Int {
        unread.reduce(0) { $0 + ($1.key == key ? 0 : $1.value) }
    }

    /// The next conversation with unread messages in the order of the list.
    func nextUnread(after key: ConversationKey?) -> ConversationKey? {
        let keys = keys
        let start = keys.firstIndex { $0 == key }.map { $0 + 1 } ?? 0
        return (keys[start...] + keys[..<start]).first { unread[$0] != nil && $0 != key }
    }

    /// The conversations with unread messages, each with its number in the list.
    func unreadLines(besides key: ConversationKey?) -> [String] {
        let names = contacts.map(\.name) + others.map(\.title)
        return zip(keys, names).enumerated().compactMap { index, row in
            guard let count = unread[row.0], row.0 != key else { return nil }
            return "\(index + 1). \(row.1): " + localized("%@ unread", plural: "%@ unread", count: count)
        }
    }

    /// The conversation with a number of the list, from 1 on.
    func conversation(number: Int) -> ConversationKey? {
        keys.indices.contains(number - 1) ? keys[number - 1] : nil
    }

    /// Moves the selection by this number of rows.
    mutating func move(_ step: Int) {
        let keys = keys
        guard let index = keys.firstIndex(where: { $0 == selected }) else { return }
        selected = keys[min(max(index + step, 0), keys.count - 1)]
    }

    /// The conversation for an input: by number, address, or a prefix of the name or address.
    func find(_ text: String) -> ConversationKey? {
        let keys = keys
        if let number = Int(text) { return conversation(number: number) }
        let wanted = text.lowercased()
        guard !wanted.isEmpty else { return nil }
        let names = contacts.map { $0.name.lowercased() } + others.map { $0.title.lowercased() }
        let addresses = keys.map(\.address.description)
        let index =
            addresses.firstIndex(of: wanted) ?? names.firstIndex(of: wanted)
            ?? keys.indices.first { names[$0].hasPrefix(wanted) || addresses[$0].hasPrefix(wanted) }
        return index.map { keys[$0] }
    }

    /// The names that start with the input; addresses if there are none.
    func completions(of beginning: String) -> [String] {
        let wanted = beginning.lowercased()
        var seen: Set<String> = []
        func matches(_ texts: [String]) -> [String] {
            texts.filter { $0.lowercased().hasPrefix(wanted) && seen.insert($0).inserted }
        }
        let names = matches(contacts.map(\.name) + others.map(\.title))
        return names.isEmpty ? matches(keys.map(\.address.description)) : names
    }

    // MARK: Rows

    /// At most this number of rows around the selected contact.
    func rows(columns: Int, maximum: Int) -> [TerminalScreen.Row] {
        let keys = keys
        guard !keys.isEmpty else {
            let text = localized("No contacts yet: /add ADDRESS adds one.")
            return TextWrapping.lines(of: text, columns: columns).map { [.init(text: $0, style: .dim)] }
        }
        let room = max(1, maximum - 2)
        let index = keys.firstIndex { $0 == selected } ?? 0
        let first = keys.count <= room ? 0 : min(max(0, index - room / 2), keys.count - room)
        let last = min(first + room, keys.count)
        var rows = (first..<last).map { row(of: $0, columns: columns) }
        if first > 0 { rows.insert(more(first, columns), at: 0) }
        if last < keys.count { rows.append(more(keys.count - last, columns)) }
        return rows
    }

    private func more(_ count: Int, _ columns: Int) -> TerminalScreen.Row {
        [
            .init(
                text: DisplayWidth.truncate(
                    localized("  … and %@ more", plural: "  … and %@ more", count: count), to: columns), style: .dim)
        ]
    }

    /// `> 1 ● Nurse  nurse@example.org | both | online: tea at five`.
    private func row(of index: Int, columns: Int) -> TerminalScreen.Row {
        guard index < contacts.count else { return row(of: others[index - contacts.count], index, columns) }
        let contact = contacts[index]
        let mark: (String, TerminalScreen.Style) =
            switch contact.section {
            case .online: ("●", .theirs)
            case .away: ("◐", .warning)
            case .offline: ("○", .dim)
            }
        var rest = "  \(contact.address) | \(contact.subscriptionText) | \(Wording.presence(contact.section))"
        if let status = contact.status { rest += ": " + status }
        return row(index, contact.conversation, mark, contact.name, rest, columns)
    }

    /// `> 3 # Balcony  balcony@rooms.example.org | room`.
    private func row(of other: ConversationRow, _ index: Int, _ columns: Int) -> TerminalScreen.Row {
        let isRoom = other.key.kind == .room
        let rest = "  \(other.key.address) | " + (isRoom ? localized("room") : localized("not a contact"))
        return row(index, other.key, (isRoom ? "#" : "·", .dim), other.title, rest, columns)
    }

    private func row(
        _ index: Int, _ key: ConversationKey, _ mark: (String, TerminalScreen.Style), _ name: String, _ rest: String,
        _ columns: Int
    ) -> TerminalScreen.Row {
        let isSelected = key == selected
        var row: TerminalScreen.Row = [
            .init(text: isSelected ? "> " : "  ", style: .bold), .init(text: String(index + 1) + " ", style: .dim),
            .init(text: mark.0 + " ", style: mark.1),
        ]
        var used = row.reduce(0) { $0 + DisplayWidth.of($1.text) }
        func append(_ text: String, _ style: TerminalScreen.Style) {
            let shown = DisplayWidth.truncate(TerminalText.harmless(text), to: max(0, columns - used))
            guard !shown.isEmpty else { return }
            row.append(.init(text: shown, style: style))
            used += DisplayWidth.of(shown)
        }
        append(name, isSelected ? .bold : .plain)
        if let count = unread[key] { append(" (\(count))", .warning) }
        append(rest, .dim)
        return row
    }
}

/// The changes of contacts between two snapshots, as lines for the user. Answers to contact requests are events of the account.
enum ContactNews {
    /// - Parameters:
    ///   - removed: contacts that the user has removed here.
    ///   - open: the contact of the open conversation, whose presence changes are reported.
    static func lines(
        from old: [ContactRow], to new: [ContactRow], removed: Set<JID>, open: JID?
    ) -> [String] {
        guard old != new else { return [] }
        let now = Dictionary(new.map { ($0.address, $0) }, uniquingKeysWith: { first, _ in first })
        var lines: [String] = []
        for before in old where !removed.contains(before.address) {
            guard let contact = now[before.address] else {
                lines.append(localized("%@ is no longer one of your contacts.", before.address))
                continue
            }
            if contact.address == open, contact.section != before.section {
                lines.append("\(contact.name): \(Wording.presence(contact.section))")
            }
        }
        return lines
    }
}
