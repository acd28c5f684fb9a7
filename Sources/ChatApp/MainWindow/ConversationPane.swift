internal import ChatStore
internal import GTKBinding

/// The pane with the open conversation, or with the one that the user only looks at while the focus is in the list.
final class ConversationPane {
    let root: Pane
    private(set) var view: ConversationView?
    /// `nil` while no conversation is open.
    private(set) var key: ConversationKey?
    /// The conversation is shown, but the focus is in the list: the user has not read it.
    private(set) var isLooking = false
    /// Whether the list stays visible beside the conversation.
    var mayLook: () -> Bool = { true }
    /// Called with the view of another conversation when it is shown.
    var onShow: (ConversationView) -> Void = { _ in }
    /// Called when a conversation was opened, or is read instead of looked at.
    var onChange: () -> Void = {}

    private let makeView: (ConversationKey) -> ConversationView
    private let otherwise: Widget
    /// Shows the conversation that the user has moved to in the list, once the keys rest.
    private var lookingSoon: Task<Void, Never>?

    /// How long the keys rest before a conversation is shown: holding an arrow key does not open each one.
    private static let lookDelay = Duration.milliseconds(120)

    /// - Parameters:
    ///   - otherwise: shown while no conversation is open.
    ///   - minimumWidth: in pixels.
    init(otherwise: Widget, minimumWidth: Int, makeView: @escaping (ConversationKey) -> ConversationView) {
        self.otherwise = otherwise
        self.makeView = makeView
        root = Pane(otherwise, width: minimumWidth * 2, minimum: minimumWidth)
        root.expand(.horizontal)
        root.onWidth { [weak self] in self?.view?.header.show(width: $0) }
    }

    /// Opens a conversation to write in it.
    func open(_ key: ConversationKey) {
        lookingSoon?.cancel()
        isLooking = false
        if key != self.key { show(key) }
        onChange()
    }

    /// Looks at a conversation as soon as the keys rest.
    func lookSoon(at key: ConversationKey) {
        lookingSoon?.cancel()
        guard mayLook() else { return }
        lookingSoon = Task { [weak self] in
            guard (try? await Task.sleep(for: Self.lookDelay)) != nil, !Task.isCancelled else { return }
            self?.look(at: key)
        }
    }

    /// Shows a conversation while the focus stays in the list.
    private func look(at key: ConversationKey) {
        guard key != self.key, mayLook() else { return }
        isLooking = true
        show(key)
        onChange()
    }

    private func show(_ key: ConversationKey) {
        view?.close()
        let view = makeView(key)
        self.view = view
        self.key = key
        view.header.show(width: root.width)
        root.show(view.root)
        onShow(view)
    }

    /// The focus has moved: a conversation that has it is read, not only looked at.
    func focusMoved() {
        guard isLooking, view?.root.containsFocus == true else { return }
        isLooking = false
        onChange()
    }

    /// Closes the conversation.
    func clear() {
        close()
        key = nil
        isLooking = false
        root.show(otherwise)
    }

    /// Stops everything that follows the conversation, when the window closes.
    func close() {
        lookingSoon?.cancel()
        view?.close()
        view = nil
    }
}
