internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The window with the shared media of a conversation: pictures, voice messages and other files. Each conversation has
/// at most one.
final class SharedMediaWindow {
    let window: Window
    let stack = Stack()
    /// The tabs are created when they are first shown.
    private(set) var pictures: SharedPicturesView?
    private(set) var voice: SharedFilesView?
    private(set) var files: SharedFilesView?

    private let actions: SharedMediaActions
    private let toasts: ToastOverlay
    private let pages = ["pictures": Bin(), "voice": Bin(), "files": Bin()]
    private static var open: [ConversationKey: SharedMediaWindow] = [:]

    private init(_ actions: SharedMediaActions, title: String, over parent: Window?) {
        self.actions = actions
        let titles = [
            ("pictures", localized("Pictures")), ("voice", localized("Voice")), ("files", localized("Files")),
        ]
        for (name, title) in titles { if let page = pages[name] { stack.add(page, name: name, title: title) } }
        toasts = ToastOverlay(stack)
        window = Window(
            localized("Shared Media: %@", title), width: 560, height: 640, over: parent,
            Box.vertical(HeaderBar(title: StackSwitcher(stack).css("narrow")), toasts.expand(.vertical)))
        window.minimumSize(width: 340, height: 320)
        window.closesOnEscape()
        actions.window = { [weak self] in self?.window }
        actions.showToast = { [weak self] in self?.toasts.show($0) }
        stack.onChange { [weak self] in self?.fill($0) }
        fill(stack.shown)
        let key = actions.source.key
        // Closed by the user, or destroyed together with its parent window.
        window.on("unrealize") { [weak self] in
            self?.close()
            SharedMediaWindow.open[key] = nil
        }
        Self.open[key] = self
    }

    /// - Parameters:
    ///   - title: the name of the conversation.
    ///   - onLeave: called when the user goes to the conversation.
    @discardableResult
    static func show(
        _ source: SharedMediaSource, title: String, over parent: Window?, onLeave: @escaping () -> Void
    ) -> SharedMediaWindow {
        if let known = open[source.key] {
            known.window.present()
            return known
        }
        let actions = SharedMediaActions(source)
        let window = SharedMediaWindow(actions, title: title, over: parent)
        actions.onLeave = { [weak window] in
            window?.window.close()
            onLeave()
        }
        window.window.retain(window)
        window.window.present()
        return window
    }

    private func fill(_ name: String?) {
        guard let name, let page = pages[name] else { return }
        switch name {
        case "pictures" where pictures == nil:
            let view = SharedPicturesView(actions)
            pictures = view
            page.show(view.root)
        case "voice" where voice == nil:
            let view = SharedFilesView.voice(actions)
            voice = view
            page.show(view.root)
        case "files" where files == nil:
            let view = SharedFilesView.files(actions)
            files = view
            page.show(view.root)
        default: break
        }
    }

    private func close() {
        pictures?.close()
        voice?.close()
        files?.close()
    }
}

/// The frame of a list of shared media: the list, or a placeholder if it is empty. It follows the model until it is
/// closed, and loads more when the end of the list comes near.
final class SharedMediaPane {
    let root: Widget
    /// Called after scrolling, and when the list is first shown.
    var onScroll: () -> Void = {}

    private let model: SharedMediaModel
    private let scroller: ScrolledWindow
    private let stack = Stack()
    private var following: Task<Void, Never>?
    private var isLoading = false

    init(_ model: SharedMediaModel, _ scroller: ScrolledWindow, empty: Widget) {
        self.model = model
        self.scroller = scroller
        stack.add(Bin(), name: "unknown")
        stack.add(scroller, name: "items")
        stack.add(empty, name: "empty")
        root = stack
        scroller.onScroll { [weak self] in self?.scrolled() }
        observe(self) { pane in pane.show() }
        following = Task { await model.run() }
    }

    /// Stops following the conversation.
    func close() {
        following?.cancel()
        following = nil
    }

    /// The name of the visible page of the stack.
    var page: String? { stack.shown }

    private func show() {
        stack.shown = !model.isKnown ? "unknown" : model.items.elements.isEmpty ? "empty" : "items"
    }

    private func scrolled() {
        onScroll()
        guard scroller.pageHeight > 0, scroller.remaining < scroller.pageHeight, model.hasMore, !isLoading else {
            return
        }
        isLoading = true
        Task { [weak self, model] in
            await model.loadMore()
            self?.isLoading = false
        }
    }
}

/// The texts about shared media, for screen readers and tooltips.
enum SharedMediaText {
    /// The name of the sender.
    static func sender(_ item: SharedMediaItem) -> String {
        item.message.isOutgoing ? localized("You") : item.message.senderName
    }

    /// Kind, file name, sender and time.
    static func accessibilityText(_ item: SharedMediaItem) -> String {
        [Wording.kind(item.attachment.kind), item.attachment.name, sender(item), Wording.full(item.message.time)]
            .compactMap(\.self).joined(separator: ", ")
    }
}
