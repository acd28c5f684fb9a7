internal import ChatModel
internal import GTKBinding
internal import Localization

/// The window that says what has become of a message.
enum MessageLifeWindow {
    @discardableResult
    static func show(_ life: MessageLife, over parent: Window?) -> Window {
        let group = PreferencesGroup("", description: nil, life.steps.map(row))
        let advice = Label(life.advice ?? "").wrap(maximumCharacters: 40).textAlignment(0).hidden(life.advice == nil)
        let content = Box.vertical(spacing: 12, group, advice).margins(horizontal: 12, vertical: 12)
        let window = Window(
            localized("Message Info"), width: 400, height: -1, over: parent,
            Box.vertical(HeaderBar(title: WindowTitle(localized("Message Info"))), content))
        window.isModal(true)
        window.closesOnEscape()
        window.present()
        return window
    }

    private static func row(_ step: MessageLife.Step) -> Widget {
        let row = ActionRow(step.title, subtitle: step.detail)
        let icon = Icon(icon(step.progress), size: 16)
        icon.css("error", step.progress == .failed)
        icon.css("dim-label", step.progress == .open)
        icon.css("accent", step.progress == .done)
        row.prepend(icon)
        row.accessible(label: [spoken(step.progress), step.title, step.detail].joined(separator: ", "))
        return row
    }

    private static func icon(_ progress: MessageLife.Progress) -> String {
        switch progress {
        case .done: "object-select-symbolic"
        case .waiting: "content-loading-symbolic"
        case .open: "list-remove-symbolic"
        case .failed: "dialog-warning-symbolic"
        }
    }

    private static func spoken(_ progress: MessageLife.Progress) -> String {
        switch progress {
        case .done: localized("Done")
        case .waiting: localized("Waiting")
        case .open: localized("Not yet")
        case .failed: localized("Failed")
        }
    }
}
