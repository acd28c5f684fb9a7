internal import GTKBinding
internal import Localization

/// Which groups somebody is in: those that there are, and one that is new.
final class GroupsQuestion {
    let root: Widget
    private let known: [(name: String, button: CheckButton)]
    let new = EntryRow(localized("New group"))

    /// As high as a few groups; the others are scrolled to.
    private static let height = 280

    init(known names: [String], chosen: [String]) {
        let all = names + chosen.filter { !names.contains($0) }
        known = all.map { name in
            let button = CheckButton().align(vertical: .center).accessible(label: name)
            button.isActive = chosen.contains(name)
            return (name, button)
        }
        let group = PreferencesGroup()
        for (name, button) in known {
            let row = ActionRow(name)
            row.prepend(button)
            row.activates(button)
            group.add(row)
        }
        group.add(new)
        new.activatesDefault()
        root = known.isEmpty ? group : ScrolledWindow(group).growsWithContent(upTo: Self.height)
    }

    /// What is chosen now.
    var groups: [String] { known.filter(\.button.isActive).map(\.name) + (new.text.isEmpty ? [] : [new.text]) }

    /// As a click on a group does.
    func choose(_ name: String, _ isChosen: Bool) {
        known.first { $0.name == name }?.button.isActive = isChosen
    }
}
