internal import ChatEngine
internal import ChatModel
internal import GTKBinding
internal import Localization

/// The commands of a bot, contact or server: a list, then the questions of one of them, then its result.
final class CommandWindow {
    let window: Window
    let model: CommandModel
    let list = ListBox().css("boxed-list")
    let fields: FormFieldsView
    let forward = Button("").css("suggested-action")
    let back = Button(localized("_Back"))
    let cancel = Button(localized("_Cancel"))
    /// What the responder says: instructions, remarks, and the result.
    private(set) var texts: [String] = []

    private let title: WindowTitle
    private let name: String
    private let stack = Stack()
    private let again = Button(localized("_Try Again")).css("pill").align(horizontal: .center)
    private let empty: StatusPage
    private let heading = Label().wrap(maximumCharacters: 30).centered().css("title-2")
    private let says = Box(.vertical, spacing: 12)
    private let result = Box(.vertical, spacing: 12)
    private let failure = Label().wrap(maximumCharacters: 44).textAlignment(0).css("error").hidden()
    private let spinner = Spinner().hidden()
    /// The commands in the list.
    private(set) var shownOffers: [CommandService.Offer]?
    private var shownStage = 0
    private var shownFailure: String?
    /// A command that starts as soon as the window is shown.
    private let first: CommandService.Offer?

    /// - Parameters:
    ///   - name: whose commands these are.
    ///   - first: a command to start at once.
    init(_ model: CommandModel, name: String, first: CommandService.Offer? = nil, over parent: Window?) {
        self.model = model
        self.name = name
        self.first = first
        title = WindowTitle(localized("Commands"), name)
        empty = StatusPage(icon: "utilities-terminal-symbolic", title: "", again)
        fields = FormFieldsView(
            values: { [weak model] field in model?.answers[field.id] ?? field.values },
            set: { [weak model] field, values in
                model?.answers[field.id] = values
                model?.edited()
            })
        let header = HeaderBar(title: title)
        header.showsWindowButtons(start: false, end: true)
        for button in [cancel, back] { header.prepend(button) }
        header.append(forward)
        header.append(spinner)
        list.accessible(label: localized("Commands"))
        let page = Box.vertical(spacing: 18, heading, says, fields.root, result, failure)
            .margins(horizontal: 18, vertical: 18)
        stack.add(Box(.vertical), name: "loading")
        stack.add(
            ScrolledWindow(
                Clamp(list.align(vertical: .start).margins(horizontal: 12, vertical: 12), maximumWidth: 520)),
            name: "list")
        stack.add(empty, name: "empty")
        stack.add(ScrolledWindow(Clamp(page, maximumWidth: 520)), name: "page")
        window = Window(
            localized("Commands"), width: 460, height: 560, over: parent,
            Box.vertical(header, stack.expand(.vertical)))
        window.minimumSize(width: 340, height: 360)
        window.closesOnEscape()
        // A header gives a label that wraps two lines also where there is space for one.
        if ToolkitSettings.hasLargeText { forward.wrap() }
        forward.onClick { [weak self] in self?.goForward() }
        again.onClick { [weak model] in Task { await model?.load() } }
        back.onClick { [weak model] in Task { await model?.goBack() } }
        cancel.onClick { [weak model] in Task { await model?.cancel() } }
        observe(self) { view in view.show() }
    }

    func present() {
        window.retain(self)
        window.on("unrealize") { [model] in
            // An open question is cancelled, so that the bot does not wait for its answer.
            Task { await model.cancel() }
        }
        window.present()
        Task { [model, first] in
            if let first { await model.start(first) } else { await model.load() }
        }
    }

    private func goForward() {
        switch model.progress {
        case .asking: Task { [model] in await model.proceed() }
        case .finished:
            Task { [model] in
                await model.cancel()
                if !model.isLoaded { await model.load() }
            }
        case .choosing, .loading, .working: break
        }
    }

    // MARK: Content

    private func show() {
        let isPage = model.page != nil || model.current != nil
        let isBusy = model.progress == .loading || model.progress == .working
        spinner.isVisible = isBusy
        spinner.isSpinning = isBusy
        title.show(title: model.current?.name ?? localized("Commands"), subtitle: name)
        cancel.isVisible = model.progress == .asking || model.progress == .working && isPage
        back.isVisible = model.canGoBack
        showForward()
        let canAnswer = model.progress == .asking
        // GTK's entries do not handle losing the focus when they are disabled.
        if !canAnswer, fields.root.isSensitive { cancel.grabFocus() }
        fields.root.isSensitive = canAnswer
        if model.offers != shownOffers { showOffers() }
        if let page = model.page, model.stageCount != shownStage { showPage(page) }
        fields.show(wrong: model.wrongField)
        again.isVisible = model.failure != nil
        failure.text = model.failure ?? ""
        failure.isVisible = model.failure != nil
        if model.failure != shownFailure {
            shownFailure = model.failure
            if let wrong = model.wrongField { fields.focus(on: wrong) }
        }
        if isPage {
            stack.shown = model.page == nil ? "loading" : "page"
        } else if let sentence = model.failure {
            empty.show(title: localized("No Commands"), description: sentence)
            stack.shown = "empty"
        } else if model.progress == .loading || !model.isLoaded {
            stack.shown = "loading"
        } else if model.offers.isEmpty {
            empty.show(title: localized("No Commands"), description: localized("Nothing is offered to you here."))
            stack.shown = "empty"
        } else {
            stack.shown = "list"
        }
    }

    private func showForward() {
        switch model.progress {
        case .asking:
            forward.show(label: model.isLastQuestion ? localized("_Finish") : localized("_Next"))
            forward.isVisible = true
        case .finished:
            forward.show(label: localized("_Other Commands"))
            forward.isVisible = true
        case .choosing, .loading, .working: forward.isVisible = false
        }
    }

    private func showOffers() {
        shownOffers = model.offers
        list.removeAll()
        let responders = Set(model.offers.map(\.responder))
        for offer in model.offers {
            // Several devices of one contact may offer the same command.
            let device = responders.count > 1 ? offer.responder.resource ?? offer.responder.description : nil
            let row = ActionRow(offer.name, subtitle: device)
            row.append(Icon("go-next-symbolic"))
            row.onActivate { [weak model] in Task { await model?.start(offer) } }
            list.append(row)
        }
    }

    private func showPage(_ page: CommandPage) {
        shownStage = model.stageCount
        texts = []
        heading.text = page.title ?? model.current?.name ?? ""
        says.removeAll()
        for note in page.notes {
            let label = text(note.text)
            switch note.severity {
            case .information: break
            case .warning: label.css("warning")
            case .failure: label.css("error")
            }
            says.append(label)
        }
        for paragraph in page.paragraphs { says.append(text(paragraph).css("dim-label")) }
        fields.show(page.fields)
        for field in fields.fields { field.onActivate { [weak self] in self?.goForward() } }
        result.removeAll()
        if !page.entries.isEmpty { result.append(group(page.entries)) }
        for row in page.rows { result.append(group(row)) }
        if page.hiddenCount > 0 {
            result.append(
                text(
                    localized(
                        "%@ more entry is not shown.", plural: "%@ more entries are not shown.", count: page.hiddenCount
                    )
                )
                .css("dim-label"))
        }
        let isDone = model.progress == .finished
        if isDone, page.notes.isEmpty, page.entries.isEmpty, page.rows.isEmpty { says.append(text(localized("Done."))) }
        if let field = page.fields.first(where: { $0.kind != .remark }) {
            fields.focus(on: field.id)
        } else {
            forward.grabFocus()
        }
    }

    private func text(_ text: String) -> Label {
        texts.append(text)
        return Label(text).wrap(maximumCharacters: 44).textAlignment(0).selectable()
    }

    /// A result, or one row of its table.
    private func group(_ entries: [CommandPage.Entry]) -> Widget {
        PreferencesGroup(
            "", description: nil,
            entries.map { entry in
                texts.append(entry.label.isEmpty ? entry.text : "\(entry.label): \(entry.text)")
                guard !entry.label.isEmpty else {
                    return Label(entry.text).wrap(maximumCharacters: 44).textAlignment(0).selectable()
                        .margins(horizontal: 12, vertical: 8)
                }
                return ActionRow(entry.label, subtitle: entry.text)
            })
    }
}
