internal import GTKBinding
internal import Localization

/// A form page: title, fields, error text, one button, and the progress of the operation.
final class FormPage {
    let root: Widget
    /// Called for the button, and for Return in a field.
    var onContinue: () -> Void = {}
    /// Called to cancel the operation.
    var onCancel: () -> Void = {}

    private let fields = Box(.vertical, spacing: 18)
    let failure = Label().wrap(maximumCharacters: 40).textAlignment(0).css("error").hidden()
    let button: Button
    private let spinner = Spinner()
    private let progress = Label().wrap(maximumCharacters: 40).textAlignment(0).expand(.horizontal)
    private let cancel = Button(localized("_Cancel")).css("flat").align(vertical: .center)
    private let waiting: Box
    private var isBusy = false
    private var isButtonNeeded = true
    private var order: [Widget] = []

    /// - Parameter title: `nil` where the header bar has it.
    init(title: String?, description: String?, button label: String) {
        button = Button(label).css("suggested-action", "pill").align(horizontal: .center)
        waiting = Box.horizontal(spacing: 12, spinner, progress, cancel)
        waiting.hidden()
        let content = Box.vertical(spacing: 18)
        if let title { content.append(Label(title).wrap(maximumCharacters: 24).centered().css("title-1")) }
        if let description {
            content.append(Label(description).wrap(maximumCharacters: 44).centered().css("dim-label"))
        }
        for widget in [fields, failure, button, waiting] as [Widget] { content.append(widget) }
        content.margins(horizontal: 18, vertical: 24)
        root = ScrolledWindow(Clamp(content, maximumWidth: 460)).expand(.vertical, .horizontal)
        button.onClick { [weak self] in self?.onContinue() }
        cancel.onClick { [weak self] in self?.onCancel() }
    }

    func add(_ widget: Widget) { fields.append(widget) }
    func remove(_ widget: Widget) { fields.remove(widget) }

    /// Sets the order of the fields and choices: Return in a field activates the button, and Tab moves to the next one, where GTK
    /// would leave the list.
    func order(_ rows: [Widget]) {
        for row in rows where !order.contains(where: { $0 === row }) {
            (row as? EntryRow)?.onActivate { [weak self] in self?.onContinue() }
            row.onKey { [weak self, weak row] key in
                guard let self, let row, key.key == .tab, !key.modifiers.contains(.control) else { return false }
                return self.move(from: row, forward: !key.modifiers.contains(.shift))
            }
        }
        order = rows
    }

    private func move(from row: Widget, forward: Bool) -> Bool {
        guard let index = order.firstIndex(where: { $0 === row }) else { return false }
        let others = forward ? Array(order[(index + 1)...]) : order[..<index].reversed()
        return others.contains { $0.isMapped && $0.isSensitive && $0.grabFocus() }
    }

    func show(failure sentence: String?) {
        failure.text = sentence ?? ""
        failure.isVisible = sentence != nil
    }

    /// - Parameter text: the step in progress; `nil` while the user fills in the form.
    func show(progress text: String?) {
        progress.text = text ?? ""
        let isBusy = text != nil
        guard isBusy != self.isBusy else { return }
        self.isBusy = isBusy
        spinner.isSpinning = isBusy
        // Moves the focus out of a field before it is disabled: GTK's entries do not handle losing it otherwise.
        if isBusy {
            waiting.isVisible = true
            cancel.grabFocus()
            fields.isSensitive = false
            showButton()
        } else {
            fields.isSensitive = true
            showButton()
            if cancel.hasFocus { button.grabFocus() }
            waiting.isVisible = false
        }
    }

    func show(button label: String) { button.show(label: label) }
    func show(isButtonSensitive: Bool) { button.isSensitive = isButtonSensitive }

    /// - Parameter isButtonNeeded: `false` when the page has nothing to continue with.
    func show(isButtonNeeded: Bool) {
        self.isButtonNeeded = isButtonNeeded
        showButton()
    }

    private func showButton() { button.isVisible = isButtonNeeded && !isBusy }
}
