internal import ChatModel
internal import ChatStore
internal import GTKBinding

/// The size of the main window and its open conversation, stored in the preferences for the next start.
final class WindowState {
    private let preferences: Preferences
    private var noting: Task<Void, Never>?

    /// In pixels. A smaller or larger stored size is a mistake.
    private static let (widths, heights) = (360...16_384, 400...16_384)
    /// The delay before a new size is stored: dragging the edge of a window changes it many times.
    private static let delay = Duration.seconds(1)

    init(_ preferences: Preferences) { self.preferences = preferences }

    /// Gives a new window the size of the previous one.
    func apply(to window: Window) {
        let place = preferences.values.window
        window.setDefaultSize(
            width: min(max(place.width, Self.widths.lowerBound), Self.widths.upperBound),
            height: min(max(place.height, Self.heights.lowerBound), Self.heights.upperBound))
        if place.isMaximized { window.maximize() }
    }

    /// Notes each size of a window soon: a program that is killed does not close its windows.
    func follow(_ window: Window) {
        for property in ["default-width", "default-height", "maximized"] {
            window.on("notify::\(property)") { [weak self, weak window] in
                if let window { self?.noteSoon(window) }
            }
        }
    }

    private func noteSoon(_ window: Window) {
        noting?.cancel()
        noting = Task { [weak self, weak window] in
            guard (try? await Task.sleep(for: Self.delay)) != nil, !Task.isCancelled, let window else { return }
            self?.note(window)
        }
    }

    /// Notes the size of a window now, because it is being closed.
    func note(_ window: Window) {
        noting?.cancel()
        let size = window.defaultSize
        guard Self.widths.contains(size.width), Self.heights.contains(size.height) else { return }
        var place = preferences.values.window
        (place.width, place.height, place.isMaximized) = (size.width, size.height, window.isMaximized)
        if preferences.values.window != place { preferences.values.window = place }
    }

    /// The open conversation; `nil` for none.
    var conversation: ConversationKey? {
        get { preferences.values.window.conversation }
        set { if newValue != conversation { preferences.values.window.conversation = newValue } }
    }

    /// The stored conversation, if its account still exists.
    func storedConversation(among accounts: AccountList) -> ConversationKey? {
        conversation.flatMap { accounts.rows[$0.account] == nil ? nil : $0 }
    }
}
