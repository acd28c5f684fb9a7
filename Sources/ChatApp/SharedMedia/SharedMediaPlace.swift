internal import ChatModel
internal import GTKBinding

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
