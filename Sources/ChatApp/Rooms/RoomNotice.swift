internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization
internal import XMPPAddress

/// The bar above the messages of a room that says why the user is not in the room, with a button to join; hidden
/// otherwise.
final class RoomNotice {
    let root: Revealer
    let label = Label().wrap().textAlignment(0).css("caption")
    let button = Button(localized("_Join")).css("caption").align(horizontal: .end)

    private let room: RoomModel
    private let accounts: AccountList
    private let entering: RoomJoining
    private var joining: Task<Void, Never>? { didSet { show() } }

    init(_ room: RoomModel, _ accounts: AccountList, _ entering: RoomJoining) {
        self.room = room
        self.accounts = accounts
        self.entering = entering
        root = Revealer(Box.vertical(spacing: 4, label, button).css("notice"), .slideDown)
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

    /// Cancels the current operation.
    func close() { joining?.cancel() }

    private func show() {
        guard room.isKnown, !room.isInside else { return root.isRevealed = false }
        let isOnline = accounts.rows[room.key.account]?.connection.isOnline ?? false
        let isEntering = joining != nil || room.joinsAutomatically && room.absence == nil
        if !isOnline {
            label.text =
                room.joinsAutomatically
                ? localized("Not connected. The room is joined as soon as the account is online.")
                : localized("You are not in this room.")
        } else if isEntering {
            label.text = localized("Joining the room…")
        } else if let absence = room.absence {
            label.text =
                absence.isTriedAgain
                ? Wording.absence(absence) + " " + localized("The program retries automatically.")
                : Wording.absence(absence)
        } else {
            label.text = localized("You are not in this room.")
        }
        button.isVisible = isOnline && !isEntering
        button.show(label: room.absence == nil ? localized("_Join") : localized("_Join Again"))
        root.isRevealed = true
    }
}

/// What a conversation in a room has in addition: the notice above the messages, and the window about the room.
final class RoomAccessories {
    let model: RoomModel
    let notice: RoomNotice
    let button = Button(icon: "help-about-symbolic").named(localized("About the Room"))
    /// Called to mention a nickname in the composer.
    var onMention: (String) -> Void = { _ in }

    private let makeWindow: () -> RoomWindow?
    private(set) weak var window: RoomWindow?

    /// - Parameter makeWindow: creates the window about the room.
    init(_ model: RoomModel, _ notice: RoomNotice, makeWindow: @escaping () -> RoomWindow?) {
        self.model = model
        self.notice = notice
        self.makeWindow = makeWindow
        button.onClick { [weak self] in self?.open() }
    }

    /// Opens the window about the room.
    func open() {
        if let window { return window.window.present() }
        guard let window = makeWindow() else { return }
        window.people.menus.onMention = { [weak self] nickname in
            self?.window?.window.close()
            self?.onMention(nickname)
        }
        self.window = window
        window.present()
    }

    func close() {
        notice.close()
        window?.window.close()
    }
}

extension ComposerView {
    /// Mentions a nickname in the composer.
    func address(_ nickname: String) {
        let before = entry.text.unicodeScalars.prefix(entry.cursor)
        let needsSpace = before.last.map { !$0.properties.isWhitespace } ?? false
        entry.insert(entry.text.isEmpty ? "\(nickname): " : "\(needsSpace ? " " : "")@\(nickname) ")
        focus()
    }
}
