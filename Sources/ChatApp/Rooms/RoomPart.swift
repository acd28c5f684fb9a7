internal import ChatModel
internal import GTKBinding
internal import Localization

/// What a conversation has more where it is in a room: the notice over the messages, and the window about the room.
final class RoomPart {
    let model: RoomModel
    let notice: RoomNotice
    let button = Button(icon: "system-users-symbolic").named(localized("About the room"))
    /// Somebody is to be addressed in what is written.
    var onMention: (String) -> Void = { _ in }

    private let makeWindow: () -> RoomWindow?
    private(set) weak var window: RoomWindow?

    /// - Parameter makeWindow: makes the window about the room.
    init(_ model: RoomModel, _ notice: RoomNotice, makeWindow: @escaping () -> RoomWindow?) {
        self.model = model
        self.notice = notice
        self.makeWindow = makeWindow
        button.onClick { [weak self] in self?.open() }
    }

    /// Shows who is in the room and what it is like.
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
    /// Addresses somebody in what is written.
    func address(_ nickname: String) {
        let before = entry.text.unicodeScalars.prefix(entry.cursor)
        let needsSpace = before.last.map { !$0.properties.isWhitespace } ?? false
        entry.insert(entry.text.isEmpty ? "\(nickname): " : "\(needsSpace ? " " : "")@\(nickname) ")
        focus()
    }
}
