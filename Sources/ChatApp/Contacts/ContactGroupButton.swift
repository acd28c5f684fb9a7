internal import GTKBinding
internal import Localization

/// The choice of the group whose contacts are listed; hidden while there are no groups.
final class ContactGroupButton {
    let button: MenuButton
    /// `nil` for all contacts.
    private(set) var group: String?
    private(set) var groups: [String] = []
    /// Called when another group was chosen.
    var onChoice: () -> Void = {}

    private let label = Label().ellipsize().textAlignment(0)

    init() {
        button = MenuButton(Box.horizontal(spacing: 6, label, Icon("pan-down-symbolic", size: 16)))
        button.css("flat").align(horizontal: .start).margins(horizontal: 8, vertical: 0)
        button.show(whenOpened: { [weak self] in self?.choices() ?? Popover() })
        show([])
    }

    /// Shows the groups that there are now.
    func show(_ groups: [String]) {
        if groups != self.groups { button.show(nil as Popover?) }
        self.groups = groups
        if let chosen = group, !groups.contains(chosen) { group = nil }
        button.isVisible = !groups.isEmpty
        label.text = group ?? localized("All Contacts")
        button.accessible(label: localized("Group: %@", label.text))
    }

    /// Chooses a group; `nil` for all contacts.
    func choose(_ group: String?) {
        guard group != self.group else { return }
        self.group = group
        show(groups)
        onChoice()
    }

    private func choices() -> Popover {
        let column = Box.vertical(spacing: 2)
        let popover = Popover(fitting: column, upTo: 320, showsBar: true)
        for choice in [nil] + groups.map(Optional.some) {
            let text = Label(choice ?? localized("All Contacts")).ellipsize().textAlignment(0)
            let row = Button("").css("flat")
            row.show(content: text)
            row.accessible(label: text.text)
            row.onClick { [weak self, weak popover] in
                popover?.close()
                self?.choose(choice)
            }
            column.append(row)
        }
        return popover
    }
}
