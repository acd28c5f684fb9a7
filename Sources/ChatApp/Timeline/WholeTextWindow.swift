internal import ChatModel
internal import GTKBinding
internal import Localization

/// A window with the whole text of a long message. It loads while scrolling, so it opens at once for any length.
final class WholeTextWindow {
    let window: Window
    let view = TextView()
    let scroller: ScrolledWindow
    private var portions: TextPortions
    private var isFilling = false
    /// Whether all of the text is loaded.
    private(set) var isComplete = false

    private init(_ text: String, title: String, over parent: Window?) {
        portions = TextPortions(text)
        view.plain().padding(horizontal: 12, vertical: 12)
        view.accessible(label: localized("Whole Message"))
        scroller = ScrolledWindow(view).expand(.vertical)
        let copy = Button(icon: "edit-copy-symbolic").named(localized("Copy Text"))
        let header = HeaderBar(title: WindowTitle(localized("Whole Message"), title))
        header.append(copy)
        window = Window(
            localized("Whole Message"), width: 560, height: 640, over: parent,
            Box.vertical(header, scroller))
        window.closesOnEscape()
        copy.onClick { Clipboard.copy(text) }
        scroller.onScroll { [weak self] in self?.scheduleFilling() }
        fill()
    }

    /// - Parameter title: the name of the sender.
    @discardableResult
    static func show(_ text: String, title: String, over parent: Window?) -> WholeTextWindow {
        let view = WholeTextWindow(text, title: title, over: parent)
        view.window.retain(view)
        view.window.present()
        return view
    }

    private func scheduleFilling() {
        guard !isFilling, !isComplete, scroller.remaining < 2 * scroller.pageHeight else { return }
        isFilling = true
        // Not while GTK is reporting the new height, and one portion per main loop iteration.
        MainLoop.schedule(.idle) { [weak self] in
            self?.isFilling = false
            self?.fill()
        }
    }

    private func fill() {
        guard let portion = portions.next() else {
            isComplete = true
            return
        }
        view.append(portion)
    }
}
