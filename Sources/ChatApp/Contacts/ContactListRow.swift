internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// One line of the list of contacts: who it is, whether that person is there, and what it says; or the heading of a section.
final class ContactListRow: ListRow {
    let root: Widget
    private(set) var item: ContactListItem?
    /// Asked for a menu at a place of the row.
    var onMenu: (ContactRow, Widget, Double, Double) -> Void = { _, _, _, _ in }

    private let heading = Label().textAlignment(0).css("contact-heading", "dim-label")
    private let line: Box
    private let picture: PersonPicture
    private let dot: PresenceDot
    // However much there is to say, the list does not ask for more room than others.
    private let name = Label().ellipsize().characters(maximum: 20).textAlignment(0).css("conversation-title")
    private let words = Label().ellipsize().characters(maximum: 20).textAlignment(0)
        .css("conversation-preview", "dim-label")
    private let more = Button(icon: "view-more-symbolic").css("flat", "circular", "contact-more").align(
        vertical: .center)

    var isActivatable: Bool { item?.contact != nil }

    init(_ avatars: AvatarLoader) {
        picture = PersonPicture(avatars, size: 36)
        dot = PresenceDot(on: picture)
        let column = Box.vertical(spacing: 1, name, words).expand(.horizontal).align(vertical: .center)
        line = Box.horizontal(spacing: 12, dot.widget, column, more).margins(horizontal: 8, vertical: 6)
        root = Box.vertical(heading, line)
        root.onMenu { [weak self] x, y in
            if let self, let row = self.item?.contact { self.onMenu(row, self.root, x, y) }
        }
        more.onClick { [weak self] in
            guard let self, let row = self.item?.contact else { return }
            self.onMenu(row, self.more, Double(self.more.width) / 2, Double(self.more.height))
        }
    }

    func show(_ item: ContactListItem) {
        self.item = item
        switch item.content {
        case .heading(let section, let count): showHeading(section, count)
        case .contact(let row): showContact(row)
        }
        heading.isVisible = item.contact == nil
        line.isVisible = item.contact != nil
    }

    private func showHeading(_ section: ContactPresence.Section, _ count: Int) {
        heading.text = "\(Wording.heading(section)) · \(count)"
        root.tip(nil)
        root.accessible(label: "\(Wording.heading(section)), \(count)")
    }

    private func showContact(_ row: ContactRow) {
        picture.show(name: row.name, hash: row.avatarHash)
        dot.show(row.section)
        name.text = row.name
        words.text = ContactWords.line(row)
        more.named(localized("What can be done with %@", row.name))
        root.tip(row.address.description)
        root.accessible(
            label: [row.name, Wording.presence(row.section), ContactWords.line(row)].joined(separator: ", "))
    }
}
