internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The window with the page of a contact; there is one for each.
final class ContactWindow {
    let window: Window
    let view: ContactView
    private let toasts: ToastOverlay
    private static var open: [ContactRow.ID: ContactWindow] = [:]

    private init(_ wishes: ContactWishes, _ context: AppContext, over parent: Window?) {
        view = context.contactView(wishes)
        toasts = ToastOverlay(view.root)
        window = Window(
            localized("Contact"), width: 420, height: 720, over: parent,
            Box.vertical(HeaderBar(title: WindowTitle(localized("Contact"))), toasts.expand(.vertical)))
        window.minimumSize(width: 340, height: 360)
        window.closesOnEscape()
        wishes.window = { [weak self] in self?.window }
        wishes.say = { [weak self] in self?.toasts.show($0) }
        wishes.onDeleted = { [weak self] in self?.window.close() }
        view.onClose = { [weak self] in self?.window.close() }
        let id = wishes.model.id
        // Closed by the person, or gone with the window that it stands over.
        window.on("unrealize") { [weak self] in
            self?.view.close()
            ContactWindow.open[id] = nil
        }
        Self.open[id] = self
    }

    /// The page of somebody is on the screen.
    static func isOpen(_ id: ContactRow.ID) -> Bool { open[id] != nil }

    /// Shows the page of somebody; `nil` where the account is not at work.
    @discardableResult
    static func show(_ id: ContactRow.ID, _ context: AppContext, over parent: Window?) -> ContactWindow? {
        if let known = open[id] {
            known.window.present()
            return known
        }
        guard let wishes = context.contactWishes(id) else { return nil }
        let window = ContactWindow(wishes, context, over: parent)
        window.window.keep(window)
        window.window.present()
        window.view.focus()
        return window
    }
}
