internal import ChatModel
internal import GTKBinding
internal import Localization

/// The button with the user's own presence, and the popover that changes presence and status text.
final class PresenceButton {
    let widget: MenuButton
    private let picture: AvatarImage

    private let actions: any OwnPresenceActions
    let dot = AvailabilityDot()
    let status = Entry(placeholder: localized("Status message"))
    private var choices: [(availability: Availability, button: CheckButton, connection: Object.Connection)] = []
    let popover: Popover

    init(_ actions: any OwnPresenceActions) {
        self.actions = actions
        picture = AvatarImage(actions.avatars, size: 28)
        widget = MenuButton(
            Overlay(picture.widget, dot.widget.align(horizontal: .end, vertical: .end).targetable(false))
        ).css("flat", "own-presence")
        let box = Box(.vertical, spacing: 6)
        popover = Popover(box)
        box.margins(horizontal: 6, vertical: 6)
        var first: CheckButton?
        for availability in Availability.allCases {
            let button = CheckButton(Wording.availability(availability), inGroupOf: first)
            first = first ?? button
            box.append(Box.horizontal(spacing: 12, button.expand(.horizontal), AvailabilityDot(availability).widget))
            let connection = button.onToggle { [weak self] isOn in
                if isOn { self?.choose(availability) }
            }
            choices.append((availability, button, connection))
        }
        box.append(Separator(.horizontal))
        status.accessible(label: localized("Status text"))
        status.text = actions.statusText ?? ""
        box.append(status)
        widget.show(popover)
        status.onActivate { [weak self] in self?.popover.close() }
        popover.onClose { [weak self] in self?.saveStatus() }
        observe(self) { button in button.show() }
    }

    private func choose(_ availability: Availability) {
        let text = status.text
        Task { [actions] in await actions.show(availability, saying: text) }
    }

    private func saveStatus() {
        let text = status.text
        guard text != actions.statusText ?? "" else { return }
        Task { [actions] in await actions.show(actions.availability, saying: text) }
    }

    private func show() {
        let current = actions.availability
        let accounts = actions.accounts.rows.elements.filter(\.isEnabled)
        let isOffline = !accounts.contains { $0.connection.isOnline }
        // Without a connection nobody sees the chosen presence.
        let name = isOffline ? Wording.ownOffline(accounts) : Wording.availability(current)
        dot.show(isOffline ? .invisible : current)
        if let first = accounts.first ?? actions.accounts.rows.elements.first {
            picture.show(name: first.name, hash: first.avatarHash, of: first.address.description)
        }
        // It may have been changed in another program; what the user types here is not touched.
        let known = actions.statusText ?? ""
        if !popover.isMapped { status.text = known }
        let text = actions.statusText.map { "\(name): \($0)" } ?? name
        widget.accessible(label: localized("Your presence: %@", text)).tip(text)
        for choice in choices {
            choice.button.withoutHearing(choice.connection) { choice.button.isActive = choice.availability == current }
        }
    }
}

/// A dot that shows an availability by shape and colour: full, half, with a bar, or empty.
final class AvailabilityDot {
    let widget: Widget
    private let dot = Box(.horizontal).css("presence-dot", "own")
    private static let classes: [Availability: String] = [
        .available: "online", .away: "away", .doNotDisturb: "busy", .invisible: "offline",
    ]

    init(_ availability: Availability = .available) {
        dot.align(horizontal: .center, vertical: .center)
        widget = dot
        show(availability)
    }

    func show(_ availability: Availability) {
        for (each, name) in Self.classes { dot.css(name, each == availability) }
    }
}
