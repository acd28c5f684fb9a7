internal import GTKBinding
internal import Localization

/// The keyboard shortcuts: for registration and for the list that the user sees.
enum Shortcuts {
    struct Shortcut {
        let action: String
        let keys: [String]
        let title: String
    }

    static var conversations: [Shortcut] {
        [
            Shortcut(action: "win.new", keys: ["<Control>n"], title: localized("New Conversation")),
            Shortcut(
                action: "win.next-unread", keys: ["<Control><Shift>n"], title: localized("Next unread conversation")),
            Shortcut(action: "win.join-room", keys: ["<Control>j"], title: localized("Join or Create a Room")),
            Shortcut(action: "win.room", keys: ["<Control>i"], title: localized("About the Room")),
            Shortcut(action: "win.search", keys: ["<Control>k"], title: localized("Search conversations and messages")),
            Shortcut(action: "win.next", keys: ["<Control>Page_Down"], title: localized("Next conversation")),
            Shortcut(action: "win.previous", keys: ["<Control>Page_Up"], title: localized("Previous conversation")),
            Shortcut(
                action: "win.down", keys: ["<Alt>Down"],
                title: localized("Next conversation, or in the list: move a pinned one down")),
            Shortcut(
                action: "win.up", keys: ["<Alt>Up"],
                title: localized("Previous conversation, or in the list: move a pinned one up")),
            Shortcut(action: "win.contacts", keys: ["<Control><Shift>c"], title: localized("Contacts")),
            Shortcut(action: "win.add-contact", keys: ["<Control><Shift>a"], title: localized("Add a Contact")),
            Shortcut(action: "win.back", keys: ["<Alt>Left"], title: localized("Back to the list")),
        ]
    }

    static var messages: [Shortcut] {
        [
            Shortcut(action: "win.find", keys: ["<Control>f"], title: localized("Find in this conversation")),
            Shortcut(action: "win.date", keys: ["<Control>d"], title: localized("Go to a day")),
            Shortcut(action: "win.newest", keys: ["<Control>End"], title: localized("Go to the newest message")),
            Shortcut(action: "win.unread", keys: ["<Control>u"], title: localized("Go to the first unread message")),
        ]
    }

    /// Keys that a timeline handles itself, see `TimelineView+Keys`.
    static var chosenMessage: [Shortcut] {
        [
            Shortcut(
                action: "", keys: ["<Control>Up", "<Control>Down"], title: localized("Choose a message")),
            Shortcut(action: "", keys: ["r", "Return"], title: localized("Reply")),
            Shortcut(action: "", keys: ["e"], title: localized("Edit")),
            Shortcut(action: "", keys: ["1", "2", "3"], title: localized("React")),
            Shortcut(action: "", keys: ["f"], title: localized("Forward…")),
            Shortcut(action: "", keys: ["s"], title: localized("Select")),
            Shortcut(action: "", keys: ["<Control>c"], title: localized("Copy Text")),
            Shortcut(action: "", keys: ["Delete"], title: localized("Delete, with undo")),
            Shortcut(action: "", keys: ["Menu", "<Shift>F10"], title: localized("Open the menu")),
        ]
    }

    static var program: [Shortcut] {
        [
            Shortcut(
                action: "win.shortcuts", keys: ["<Control>question"], title: localized("Keyboard Shortcuts")),
            Shortcut(
                action: "win.zoom-in", keys: ["<Control>plus", "<Control>equal"], title: localized("Larger text")),
            Shortcut(action: "win.zoom-out", keys: ["<Control>minus"], title: localized("Smaller text")),
            Shortcut(action: "win.zoom-reset", keys: ["<Control>0"], title: localized("Normal text size")),
            Shortcut(action: "win.close", keys: ["<Control>w"], title: localized("Close the window")),
            Shortcut(action: "app.preferences", keys: ["<Control>comma"], title: localized("Preferences")),
            Shortcut(action: "app.quit", keys: ["<Control>q"], title: localized("Quit")),
        ]
    }

    static var groups: [(title: String, shortcuts: [Shortcut])] {
        [
            (localized("Conversations"), conversations), (localized("Messages"), messages),
            (localized("Chosen message"), chosenMessage), (localized("Program"), program),
        ]
    }

    /// Those that activate an action of the program.
    static var all: [Shortcut] { groups.flatMap(\.shortcuts).filter { !$0.action.isEmpty } }
}

/// The list of keyboard shortcuts in groups, with a search field. GTK's own shortcuts window is wider than a narrow
/// screen, and closing it only hides it.
enum ShortcutsWindow {
    @discardableResult
    static func show(over parent: Window?) -> PreferencesWindow {
        let groups = Shortcuts.groups.map { group in PreferencesGroup(group.title, group.shortcuts.map(row)) }
        let window = PreferencesWindow(
            localized("Keyboard Shortcuts"), over: parent, [PreferencesPage(localized("Keyboard Shortcuts"), groups)])
        window.isModal(true)
        window.setDefaultSize(width: 480, height: 640)
        window.present()
        return window
    }

    private static func row(_ shortcut: Shortcuts.Shortcut) -> Widget {
        let row = ActionRow(shortcut.title)
        // Stacked vertically, which leaves room for the title in a narrow window.
        let keys = Box(.vertical, spacing: 6).align(vertical: .center).margins(horizontal: 0, vertical: 6)
        for each in shortcut.keys { keys.append(ShortcutLabel(each).align(horizontal: .end)) }
        row.append(keys)
        let names = shortcut.keys.compactMap(ShortcutLabel.text).joined(separator: ", ")
        row.accessible(label: "\(shortcut.title): \(names)")
        return row
    }
}
