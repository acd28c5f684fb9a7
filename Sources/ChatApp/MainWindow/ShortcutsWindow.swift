internal import GTKBinding
internal import Localization

/// The keys that do something, in groups, with a field to find one. GTK's own window for this needs more width than a narrow screen
/// has, and is only hidden when it is closed.
enum ShortcutsWindow {
    @discardableResult
    static func show(over parent: Window?) -> PreferencesWindow {
        let groups = Shortcuts.groups.map { group in PreferencesGroup(group.title, group.shortcuts.map(row)) }
        let window = PreferencesWindow(
            localized("Keyboard shortcuts"), over: parent, [PreferencesPage(localized("Keyboard shortcuts"), groups)])
        window.isModal(true)
        window.setDefaultSize(width: 480, height: 640)
        window.present()
        return window
    }

    private static func row(_ shortcut: Shortcuts.Shortcut) -> Widget {
        let row = ActionRow(shortcut.title)
        // Below each other, so that there is room for the title in a narrow window.
        let keys = Box(.vertical, spacing: 6).align(vertical: .center).margins(horizontal: 0, vertical: 6)
        for each in shortcut.keys { keys.append(ShortcutLabel(each).align(horizontal: .end)) }
        row.append(keys)
        let words = shortcut.keys.compactMap(ShortcutLabel.words).joined(separator: ", ")
        row.accessible(label: "\(shortcut.title): \(words)")
        return row
    }
}
