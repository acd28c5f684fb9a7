internal import ChatModel
internal import GTKBinding
internal import Localization

/// One line of the list of people: who, whether somebody is there, and what this person is in the room.
final class RoomPersonListRow: ListRow {
    let root: Widget
    private(set) var row: RoomPersonRow?
    /// Asked for a menu at a place of the row.
    var onMenu: (RoomPersonRow, Widget, Double, Double) -> Void = { _, _, _, _ in }

    private let picture: PersonPicture
    private let name = Label().ellipsize().textAlignment(0).css("conversation-title")
    private let hats = Box.horizontal(spacing: 4)
    private let line = Label().ellipsize().textAlignment(0).css("caption", "dim-label")
    private let standing = Label().css("caption", "dim-label").align(vertical: .center)
    private var shownHats: [String] = []

    /// More would leave no room for the name.
    private static let hatLimit = 2
    private static let hatLength = 12

    init(_ avatars: AvatarLoader) {
        picture = PersonPicture(avatars, size: 36)
        let upper = Box.horizontal(spacing: 6, name, hats)
        let words = Box.vertical(spacing: 1, upper, line).expand(.horizontal).align(vertical: .center)
        root = Box.horizontal(spacing: 12, picture.widget.align(vertical: .center), words, standing)
            .margins(horizontal: 10, vertical: 6)
        root.onMenu { [weak self] x, y in
            if let self, let row = self.row { self.onMenu(row, self.root, x, y) }
        }
    }

    func show(_ item: RoomPersonRow) {
        row = item
        let person = item.person
        picture.show(name: item.nickname, hash: item.avatarHash)
        name.text = item.nickname
        line.text = RoomWords.line(person)
        let place = Wording.standing(person)
        standing.text = place ?? ""
        standing.isVisible = place != nil
        // Who is not looking is there all the same, only paler.
        picture.widget.css("dim-label", person.availability != .online)
        show(hats: person.hats)
        root.accessible(label: RoomWords.spoken(person))
    }

    private func show(hats titles: [String]) {
        guard titles != shownHats else { return }
        shownHats = titles
        hats.removeAll()
        for title in titles.prefix(Self.hatLimit) {
            let hat = Label(title).ellipsize().characters(maximum: Self.hatLength).css("hat")
            hats.append(title.count > Self.hatLength ? hat.tip(title) : hat)
        }
    }
}
