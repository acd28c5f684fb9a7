internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// One row of the contact list: name, presence and status text; or the heading of a section.
final class ContactListRow: ListRow {
    let root: Widget
    private(set) var item: ContactListItem?
    /// Called when the user asks for a menu, with the position in the widget.
    var onMenu: (ContactRow, Widget, Double, Double) -> Void = { _, _, _, _ in }
    /// Called when the user swipes over the contact from right to left.
    var onSwipe: (ContactRow) -> Void = { _ in }

    private(set) var accessibleText: String?

    private let heading = Label().textAlignment(0).css("contact-heading", "dim-label")
    private let line: Box
    private let picture: AvatarImage
    private let dot: PresenceDot
    // Limits the natural width, so that long names do not widen the list.
    private let name = Label().ellipsize().characters(maximum: 20).textAlignment(0).css("conversation-title")
    private let label = Label().ellipsize().characters(maximum: 20).textAlignment(0)
        .css("conversation-preview", "dim-label")
    private let more = Button(icon: "view-more-symbolic").css("flat", "circular", "contact-more").align(
        vertical: .center)

    var isActivatable: Bool { item?.contact != nil }

    /// - Parameter hasMenu: `false` in search results, which open and do nothing else.
    init(_ avatars: AvatarLoader, hasMenu: Bool = true) {
        picture = AvatarImage(avatars, size: 36)
        dot = PresenceDot(on: picture)
        let column = Box.vertical(spacing: 1, name, label).expand(.horizontal).align(vertical: .center)
        line = Box.horizontal(spacing: 12, dot.widget, column, more).margins(horizontal: 8, vertical: 6)
        root = Box.vertical(heading, line)
        more.isVisible = hasMenu
        root.onMenu { [weak self] x, y in
            if let self, let row = self.item?.contact { self.onMenu(row, self.root, x, y) }
        }
        root.onSwipeLeft { [weak self] in
            if let self, let row = self.item?.contact { self.onSwipe(row) }
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
        accessibleText = "\(Wording.heading(section)), \(count)"
    }

    private func showContact(_ row: ContactRow) {
        picture.show(name: row.name, hash: row.avatarHash, of: row.address.description)
        dot.show(row.section)
        name.text = row.name
        label.text = ContactText.line(row)
        more.named(localized("Actions for %@", row.name))
        root.tip(row.address.description)
        accessibleText = [row.name, Wording.presence(row.section), ContactText.line(row)].joined(separator: ", ")
    }
}

/// The content of one row of the contact list: a section heading or a contact.
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

    /// The contacts in their order, with a heading above each section that is not empty.
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

/// An avatar with a dot at its edge: full for online, half for away, empty for offline.
final class PresenceDot {
    let widget: Overlay
    /// Created when it is shown for the first time.
    private var dot: Box?
    private let isLarge: Bool
    private static let classes: [ContactPresence.Section: String] = [
        .online: "online", .away: "away", .offline: "offline",
    ]

    private let showsOffline: Bool

    /// - Parameters:
    ///   - isLarge: the avatar of a page, not of a list.
    ///   - showsOffline: marks offline people, too. In a list of conversations most are, and a mark would say nothing.
    init(on picture: AvatarImage, isLarge: Bool = false, showsOffline: Bool = true) {
        (self.isLarge, self.showsOffline) = (isLarge, showsOffline)
        widget = Overlay(picture.widget).align(horizontal: .center, vertical: .center)
    }

    /// - Parameter section: `nil` if the presence is not known.
    func show(_ section: ContactPresence.Section?) {
        let isShown = section != nil && (showsOffline || section != .offline)
        dot?.isVisible = isShown
        guard let section, isShown else { return }
        let dot = dot ?? makeDot()
        for (each, name) in Self.classes { dot.css(name, each == section) }
        dot.tip(Wording.presence(section))
    }

    private func makeDot() -> Box {
        let dot = Box(.horizontal).css("presence-dot").align(horizontal: .end, vertical: .end).targetable(false)
        dot.css("large", isLarge)
        widget.add(dot)
        self.dot = dot
        return dot
    }

    /// Whether the mark is visible, for tests.
    var isShown: Bool { dot?.isVisible ?? false }
}
