internal import ChatStore
internal import Localization
internal import Roster
internal import XMPPAddress

/// The friends in rows: those online first, then away, then offline; each group by name. Rooms and other people with whom
/// something was said follow.
struct ContactList {
    /// A conversation with a room, or with somebody who is no friend.
    struct Other: Equatable {
        var key: ConversationKey
        var name: String
    }

    private(set) var contacts: [RosterContact] = []
    private(set) var others: [Other] = []
    private(set) var selected: JID?
    /// Messages that came while the conversation was not open.
    var unread: [JID: Int] = [:]

    mutating func update(_ contacts: [RosterContact]) {
        self.contacts = contacts
        let known = Set(contacts.map(\.address))
        others.removeAll { known.contains($0.key.address) }
        keepSelection()
    }

    mutating func updateOthers(_ others: [Other]) {
        self.others = others
        keepSelection()
    }

    private var addresses: [JID] { contacts.map(\.address) + others.map(\.key.address) }

    private mutating func keepSelection() {
        let addresses = addresses
        if let selected, addresses.contains(selected) { return }
        selected = addresses.first
    }

    /// Moves the selection by so many rows.
    mutating func move(_ step: Int) {
        let addresses = addresses
        guard let index = addresses.firstIndex(where: { $0 == selected }) else { return }
        selected = addresses[min(max(index + step, 0), addresses.count - 1)]
    }

    /// The conversation that a person means and that is not with a friend: by number, address, or the beginning of the name.
    func findOther(_ text: String) -> Other? {
        if let number = Int(text), others.indices.contains(number - 1 - contacts.count) {
            return others[number - 1 - contacts.count]
        }
        let wanted = text.lowercased()
        guard !wanted.isEmpty else { return nil }
        return others.first { $0.key.address.description == wanted }
            ?? others.first {
                $0.name.lowercased().hasPrefix(wanted) || $0.key.address.description.hasPrefix(wanted)
            }
    }

    /// The friend that a person means: by number, address, or the beginning of the name or address.
    func find(_ text: String) -> RosterContact? {
        if let number = Int(text), contacts.indices.contains(number - 1) { return contacts[number - 1] }
        let wanted = text.lowercased()
        return contacts.first { $0.address.description == wanted }
            ?? contacts.first { $0.displayName.lowercased() == wanted }
            ?? contacts.first {
                $0.displayName.lowercased().hasPrefix(wanted) || $0.address.description.hasPrefix(wanted)
            }
    }

    /// The rows, at most so many, around the selected friend.
    func rows(columns: Int, maximum: Int) -> [TerminalScreen.Row] {
        guard !addresses.isEmpty else {
            let text = localized("No friends yet: /add ADDRESS asks somebody.")
            return TextWrapping.lines(of: text, columns: columns).map { [.init(text: $0, style: .dim)] }
        }
        let room = max(1, maximum - 2)
        let count = contacts.count + others.count
        let index = addresses.firstIndex { $0 == selected } ?? 0
        let first = count <= room ? 0 : min(max(0, index - room / 2), count - room)
        let last = min(first + room, count)
        var rows = (first..<last).map { row(of: $0, columns: columns) }
        if first > 0 { rows.insert(more(first, columns), at: 0) }
        if last < count { rows.append(more(count - last, columns)) }
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
        var rest = "  \(contact.address) | \(ContactLine.subscription(contact.item)) | \(ContactLine.state(contact))"
        if let status = contact.status { rest += ": " + TerminalText.harmless(status) }
        return row(index, contact.address, mark, contact.displayName, rest, columns)
    }

    /// `> 3 # Balcony  balcony@rooms.example.org | room`.
    private func row(of other: Other, _ index: Int, _ columns: Int) -> TerminalScreen.Row {
        let isRoom = other.key.kind == .room
        let address = other.key.address
        let rest =
            (other.name == address.description ? "" : "  \(address)") + " | "
            + (isRoom ? localized("room") : localized("not a friend"))
        return row(index, address, (isRoom ? "#" : "·", .dim), other.name, rest, columns)
    }

    private func row(
        _ index: Int, _ address: JID, _ mark: (String, TerminalScreen.Style), _ name: String, _ rest: String,
        _ columns: Int
    ) -> TerminalScreen.Row {
        let isSelected = address == selected
        var row: TerminalScreen.Row = [
            .init(text: isSelected ? "> " : "  ", style: .bold), .init(text: String(index + 1) + " ", style: .dim),
            .init(text: mark.0 + " ", style: mark.1),
        ]
        var used = row.reduce(0) { $0 + DisplayWidth.of($1.text) }
        func append(_ text: String, _ style: TerminalScreen.Style) {
            let shown = DisplayWidth.truncate(text, to: max(0, columns - used))
            guard !shown.isEmpty else { return }
            row.append(.init(text: shown, style: style))
            used += DisplayWidth.of(shown)
        }
        append(TerminalText.harmless(name), isSelected ? .bold : .plain)
        if let count = unread[address], count > 0 { append(" (\(count))", .warning) }
        append(rest, .dim)
        return row
    }
}
