internal import ChatModel
internal import ChatStore
internal import GTKBinding
internal import Localization

/// The window with everything that was shared in a conversation: pictures, voice messages, and other files; there is one for each.
final class SharedMediaWindow {
    let window: Window
    let stack = Stack()
    /// Made when they are first looked at.
    private(set) var pictures: SharedPicturesView?
    private(set) var voice: SharedFilesView?
    private(set) var files: SharedFilesView?

    private let wishes: SharedMediaWishes
    private let toasts: ToastOverlay
    private let places = ["pictures": Bin(), "voice": Bin(), "files": Bin()]
    private static var open: [ConversationKey: SharedMediaWindow] = [:]

    private init(_ wishes: SharedMediaWishes, title: String, over parent: Window?) {
        self.wishes = wishes
        let titles = [
            ("pictures", localized("Pictures")), ("voice", localized("Voice")), ("files", localized("Files")),
        ]
        for (name, title) in titles { if let place = places[name] { stack.add(place, name: name, title: title) } }
        toasts = ToastOverlay(stack)
        window = Window(
            localized("Shared media: %@", title), width: 560, height: 640, over: parent,
            Box.vertical(HeaderBar(title: StackSwitcher(stack).css("narrow")), toasts.expand(.vertical)))
        window.minimumSize(width: 340, height: 320)
        window.closesOnEscape()
        wishes.window = { [weak self] in self?.window }
        wishes.say = { [weak self] in self?.toasts.show($0) }
        stack.onChange { [weak self] in self?.fill($0) }
        fill(stack.shown)
        let key = wishes.source.key
        // Closed by the person, or gone with the window that it stands over.
        window.on("unrealize") { [weak self] in
            self?.close()
            SharedMediaWindow.open[key] = nil
        }
        Self.open[key] = self
    }

    /// - Parameters:
    ///   - title: what the conversation is called.
    ///   - onLeave: the person goes to the conversation.
    @discardableResult
    static func show(
        _ source: SharedMediaSource, title: String, over parent: Window?, onLeave: @escaping () -> Void
    ) -> SharedMediaWindow {
        if let known = open[source.key] {
            known.window.present()
            return known
        }
        let wishes = SharedMediaWishes(source)
        let window = SharedMediaWindow(wishes, title: title, over: parent)
        wishes.onLeave = { [weak window] in
            window?.window.close()
            onLeave()
        }
        window.window.keep(window)
        window.window.present()
        return window
    }

    private func fill(_ name: String?) {
        guard let name, let place = places[name] else { return }
        switch name {
        case "pictures" where pictures == nil:
            let view = SharedPicturesView(wishes)
            pictures = view
            place.show(view.root)
        case "voice" where voice == nil:
            let view = SharedFilesView.voice(wishes)
            voice = view
            place.show(view.root)
        case "files" where files == nil:
            let view = SharedFilesView.files(wishes)
            files = view
            place.show(view.root)
        default: break
        }
    }

    private func close() {
        pictures?.close()
        voice?.close()
        files?.close()
    }
}

/// The place of a list of shared media: itself, or words where there is nothing. It follows the model as long as it is open, and reads
/// on where the end of what is here comes near.
final class SharedMediaPlace {
    let root: Widget
    /// It was scrolled, or is shown for the first time.
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
        observe(self) { place in place.show() }
        following = Task { await model.run() }
    }

    /// Ends what follows the conversation.
    func close() {
        following?.cancel()
        following = nil
    }

    /// Which of its pages is to be seen.
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

/// Shared media in words, for screen readers and the hint under the pointer.
enum SharedMediaWords {
    /// Who has sent it.
    static func sender(_ item: SharedMediaItem) -> String {
        item.message.isOutgoing ? localized("You") : item.message.senderName
    }

    /// What it is, whose, and of when.
    static func spoken(_ item: SharedMediaItem) -> String {
        [Wording.kind(item.attachment.kind), item.attachment.name, sender(item), Wording.full(item.message.time)]
            .compactMap(\.self).joined(separator: ", ")
    }
}
