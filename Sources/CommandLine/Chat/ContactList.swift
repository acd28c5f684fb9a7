internal import Roster
internal import XMPPAddress

/// The friends in rows: those online first, then away, then offline; each group by name.
struct ContactList {
    private(set) var contacts: [Contact] = []
    private(set) var selected: JID?
    /// Messages that came while the conversation was not open.
    var unread: [JID: Int] = [:]

    mutating func update(_ contacts: [Contact]) {
        self.contacts = contacts
        if let selected, contacts.contains(where: { $0.address == selected }) { return }
        selected = contacts.first?.address
    }

    /// Moves the selection by so many rows.
    mutating func move(_ step: Int) {
        guard let index = contacts.firstIndex(where: { $0.address == selected }) else { return }
        selected = contacts[min(max(index + step, 0), contacts.count - 1)].address
    }

    /// The friend that a person means: by number, address, or the beginning of the name or address.
    func find(_ text: String) -> Contact? {
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
        guard !contacts.isEmpty else {
            let text = localized("No friends yet: /add ADDRESS asks somebody.")
            return TextWrapping.lines(of: text, columns: columns).map { [.init(text: $0, style: .dim)] }
        }
        let room = max(1, maximum - 2)
        let index = contacts.firstIndex { $0.address == selected } ?? 0
        let first = contacts.count <= room ? 0 : min(max(0, index - room / 2), contacts.count - room)
        let last = min(first + room, contacts.count)
        var rows = (first..<last).map { row(of: $0, columns: columns) }
        if first > 0 { rows.insert(more(first, columns), at: 0) }
        if last < contacts.count { rows.append(more(contacts.count - last, columns)) }
        return rows
    }

    private func more(_ count: Int, _ columns: Int) -> TerminalScreen.Row {
        [.init(text: DisplayWidth.truncate(localized("  … and %@ more", count), to: columns), style: .dim)]
    }

    /// `> 1 ● Nurse  nurse@example.org | both | online: tea at five`.
    private func row(of index: Int, columns: Int) -> TerminalScreen.Row {
        let contact = contacts[index]
        let isSelected = contact.address == selected
        let mark: (String, TerminalScreen.Style) =
            switch contact.section {
            case .online: ("●", .theirs)
            case .away: ("◐", .warning)
            case .offline: ("○", .dim)
            }
        let number = String(index + 1)
        var row: TerminalScreen.Row = [
            .init(text: isSelected ? "> " : "  ", style: .bold), .init(text: number + " ", style: .dim),
            .init(text: mark.0 + " ", style: mark.1),
        ]
        var used = row.reduce(0) { $0 + DisplayWidth.of($1.text) }
        func append(_ text: String, _ style: TerminalScreen.Style) {
            let shown = DisplayWidth.truncate(text, to: max(0, columns - used))
            guard !shown.isEmpty else { return }
            row.append(.init(text: shown, style: style))
            used += DisplayWidth.of(shown)
        }
        append(TerminalText.harmless(contact.displayName), isSelected ? .bold : .plain)
        if let count = unread[contact.address], count > 0 { append(" (\(count))", .warning) }
        var rest = "  \(contact.address) | \(ContactLine.subscription(contact.item)) | \(ContactLine.state(contact))"
        if let status = contact.status { rest += ": " + TerminalText.harmless(status) }
        append(rest, .dim)
        return row
    }
}
