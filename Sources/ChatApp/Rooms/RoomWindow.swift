internal import ChatModel
internal import GTKBinding
internal import Localization

/// The window about a room: its people and its settings.
final class RoomWindow {
    let window: Window
    let people: RoomPeopleView
    let page: RoomPage

    let stack = Stack()

    private let room: RoomModel
    private let toasts: ToastOverlay

    init(_ room: RoomModel, _ context: AppContext) {
        self.room = room
        people = context.rooms.people(room)
        page = context.rooms.page(room)
        stack.add(people.root, name: "people", title: localized("People"))
        stack.add(page.root, name: "room", title: localized("Room"))
        toasts = ToastOverlay(stack).css("over-button")
        window = Window(
            room.title, width: 420, height: 640, over: context.window?.window,
            Box.vertical(HeaderBar(title: StackSwitcher(stack).css("narrow")), toasts.expand(.vertical)))
        window.minimumSize(width: 340, height: 320)
        window.closesOnEscape()
        let parent: () -> Window? = { [weak self] in self?.window }
        let showToast: (String) -> Void = { [weak self] in self?.toasts.show($0) }
        people.menus.window = parent
        people.menus.showToast = showToast
        people.showToast = showToast
        people.window = parent
        page.window = parent
        page.showToast = showToast
        page.onLeft = { [weak self] in self?.window.close() }
        page.onShowConversation = { [weak self] in self?.window.close() }
        window.on("unrealize") { [weak self] in
            self?.page.media.close()
            self?.page.encryption?.close()
        }
        window.onCloseRequest { [weak self] in
            self?.room.search("")
            return false
        }
        observe(self) { view in if view.window.title != view.room.title { view.window.title = view.room.title } }
    }

    func present() {
        window.retain(self)
        window.present()
    }
}
