internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// Says over the messages of a room that nobody there hears this person, why, and what can be done; nothing while all is well.
final class RoomNotice {
    let root: Revealer
    let words = Label().wrap().textAlignment(0).css("caption")
    let button = Button(localized("_Join")).css("caption").align(horizontal: .end)

    private let room: RoomModel
    private let accounts: AccountList
    private let entering: RoomJoining
    private var joining: Task<Void, Never>? { didSet { show() } }

    init(_ room: RoomModel, _ accounts: AccountList, _ entering: RoomJoining) {
        self.room = room
        self.accounts = accounts
        self.entering = entering
        root = Revealer(Box.vertical(spacing: 4, words, button).css("notice"), .slideDown)
        button.onClick { [weak self] in self?.join() }
        observe(self) { notice in notice.show() }
    }

    func join() {
        guard joining == nil else { return }
        joining = Task { [weak self, room, entering] in
            await entering.join(room.key.address, as: room.nickname, of: room.key.account)
            self?.joining = nil
        }
    }

    /// Gives up what goes on.
    func close() { joining?.cancel() }

    private func show() {
        guard room.isKnown, !room.isInside else { return root.isRevealed = false }
        let isOnline = accounts.rows[room.key.account]?.connection.isOnline ?? false
        let isEntering = joining != nil || room.entersAutomatically && room.absence == nil
        if !isOnline {
            words.text =
                room.entersAutomatically
                ? localized("Not connected. The room is entered as soon as the account is online.")
                : localized("You are not in this room.")
        } else if isEntering {
            words.text = localized("Entering the room…")
        } else if let absence = room.absence {
            words.text =
                absence.isTriedAgain
                ? Wording.absence(absence) + " " + localized("It is tried again by itself.") : Wording.absence(absence)
        } else {
            words.text = localized("You are not in this room.")
        }
        button.isVisible = isOnline && !isEntering
        button.show(label: room.absence == nil ? localized("_Join") : localized("_Join again"))
        root.isRevealed = true
    }
}
