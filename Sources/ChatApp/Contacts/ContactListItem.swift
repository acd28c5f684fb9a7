internal import ChatEngine
internal import ChatModel

/// One line of the list of contacts: the heading of a section, or a person.
nonisolated struct ContactListItem: Identifiable, Equatable, Sendable {
    enum ID: Hashable, Sendable {
        case heading(ContactPresence.Section)
        case contact(ContactRow.ID)
    }

    enum Content: Equatable, Sendable {
        case heading(ContactPresence.Section, count: Int)
        case contact(ContactRow)
    }

    let content: Content

    var id: ID {
        switch content {
        case .heading(let section, _): .heading(section)
        case .contact(let row): .contact(row.id)
        }
    }

    var contact: ContactRow? { if case .contact(let row) = content { row } else { nil } }

    /// People in the order of a list, with a heading over each section in which somebody is.
    static func items(_ rows: [ContactRow]) -> [ContactListItem] {
        var counts: [ContactPresence.Section: Int] = [:]
        for row in rows { counts[row.section, default: 0] += 1 }
        var items: [ContactListItem] = []
        items.reserveCapacity(rows.count + counts.count)
        var section: ContactPresence.Section?
        for row in rows {
            if row.section != section {
                section = row.section
                items.append(ContactListItem(content: .heading(row.section, count: counts[row.section] ?? 0)))
            }
            items.append(ContactListItem(content: .contact(row)))
        }
        return items
    }
}
