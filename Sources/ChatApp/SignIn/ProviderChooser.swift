internal import ChatModel
internal import GTKBinding
internal import Localization

/// The providers to choose from, with their countries and rules, and another one that is typed.
final class ProviderChooser {
    let root: PreferencesGroup
    /// Called with the chosen provider; `nil` for another one.
    var onChoice: (KnownProvider?) -> Void = { _ in }
    private let known: [KnownProvider]
    private(set) var buttons: [CheckButton] = []

    init(_ known: [KnownProvider]) {
        self.known = known
        root = PreferencesGroup(
            localized("Provider"),
            description: localized("From the list of providers.xmpp.net, July 2026: they are free of charge."), [])
        for provider in known { add(provider.domain, Wording.provider(provider), rules: provider.rules) }
        add(localized("Other provider…"), localized("For example that of your school or club"), rules: nil)
        for (index, button) in buttons.enumerated() {
            button.onToggle { [weak self] isOn in
                guard isOn, let self else { return }
                self.onChoice(self.known.indices.contains(index) ? self.known[index] : nil)
            }
        }
    }

    /// Whether a provider is typed.
    var isOther: Bool { buttons.last?.isActive ?? true }

    func focus() { buttons.first?.grabFocus() }

    private func add(_ title: String, _ subtitle: String, rules: String?) {
        let button = CheckButton(inGroupOf: buttons.first).align(vertical: .center).accessible(label: title)
        let row = ActionRow(title, subtitle: subtitle)
        row.prepend(button)
        row.activates(button)
        if let rules {
            let link = Button(localized("Rules")).css("flat").align(vertical: .center).tip(rules)
            link.accessible(label: localized("Rules of %@", title))
            link.onClick { ToolkitSettings.open(rules, over: nil) }
            row.append(link)
        }
        buttons.append(button)
        root.add(row)
    }
}
