internal import ChatModel
internal import GTKBinding
internal import Localization

/// The choices above the conversation list: all conversations, unread ones, people, rooms; and the way to the archive.
final class ConversationFilterBar {
    let root: Widget
    let archive = Button("").css("flat", "archive-row")
    private(set) var buttons:
        [(filter: ConversationBrowser.Filter, button: ToggleButton, connection: Object.Connection)] =
            []
    private let pills = FoldingRow(spacing: 4, .start).margins(horizontal: 8, vertical: 4)
    private let archiveTitle = Label(localized("Archive")).textAlignment(0).expand(.horizontal)
    private let archiveCount = Label().css("dim-label")
    private let browser: ConversationBrowser

    /// The number of conversations from which on a filter helps: more than fit into a small window.
    static let usefulCount = 8

    init(_ browser: ConversationBrowser) {
        self.browser = browser
        let line = Box.horizontal(
            spacing: 12, Icon("folder-symbolic", size: 16).css("dim-label"), archiveTitle, archiveCount)
        archive.show(content: line)
        root = Box.vertical(pills, archive.margins(horizontal: 6, vertical: 0))
        for filter in ConversationBrowser.Filter.allCases {
            let button = ToggleButton(Self.title(filter)).css("pill-small", "flat")
            let connection = button.onToggle { [weak self] isOn in self?.toggled(filter, isOn) }
            pills.append(button)
            buttons.append((filter, button, connection))
        }
        archive.onClick { [weak browser] in browser?.show(.archive) }
        observe(self) { bar in bar.show() }
    }

    static func title(_ filter: ConversationBrowser.Filter) -> String {
        switch filter {
        case .all: localized("All")
        case .unread: localized("Unread")
        case .people: localized("People", context: "filter of conversations")
        case .rooms: localized("Rooms")
        }
    }

    private func toggled(_ filter: ConversationBrowser.Filter, _ isOn: Bool) {
        // A second click on a filter removes it.
        browser.show(isOn ? filter : .all)
        show()
    }

    private func show() {
        for (filter, button, connection) in buttons {
            button.withoutHearing(connection) { button.isActive = filter == browser.filter }
        }
        pills.isVisible = browser.count >= Self.usefulCount || browser.filter != .all
        archive.isVisible = browser.archivedCount > 0 && browser.place == .conversations
        let unread = browser.archivedUnreadCount
        archiveCount.text =
            unread > 0 ? localized("%@ unread", plural: "%@ unread", count: unread) : "\(browser.archivedCount)"
        archive.accessible(label: "\(archiveTitle.text), \(archiveCount.text)")
    }
}
