internal import GTKBinding
internal import Localization

/// The header bar above the conversation list: the title, the way back from the archive, search and the main menu.
final class ConversationListHeader {
    let bar: HeaderBar
    let searchButton = ToggleButton(icon: "system-search-symbolic")
    let back = Button(icon: "go-previous-symbolic").named(localized("Back to the Conversations")).hidden()
    private let title = WindowTitle(localized("Hongyan"))
    /// Those that do not belong to the archive; its title needs their place.
    private var beginnings: [Widget] = []
    private var isArchive = false
    private var isNarrow = false

    init(menu: Menu) {
        bar = HeaderBar(title: title)
        searchButton.named(localized("Search conversations and messages"))
        bar.prepend(back)
        prepend(Button(icon: "list-add-symbolic").named(localized("New Conversation")).action("win.new"))
        bar.prepend(searchButton)
        let menuButton = MenuButton(icon: "open-menu-symbolic").primary()
        menuButton.show(menu)
        bar.append(menuButton.named(localized("Main Menu")))
    }

    /// Adds a button that is hidden in the archive.
    func prepend(_ button: Widget) {
        beginnings.append(button)
        bar.prepend(button)
    }

    func show(isArchive: Bool) {
        self.isArchive = isArchive
        back.isVisible = isArchive
        for button in beginnings { button.isVisible = !isArchive }
        title.show(title: isArchive ? localized("Archive") : localized("Hongyan"))
        showTitle()
    }

    func show(isNarrow: Bool) {
        self.isNarrow = isNarrow
        showTitle()
    }

    /// In a narrow window there is no room for the title between the window buttons.
    private func showTitle() { bar.show(title: isNarrow && !isArchive ? Label() : title) }
}
