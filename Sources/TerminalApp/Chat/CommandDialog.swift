internal import ChatEngine
package import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress

/// The commands of a bot or server in the terminal: a numbered list, then the questions of one of them, one line each.
@MainActor
final class CommandDialog {
    let model: CommandModel
    private let console: ChatConsole

    /// Stages of one command. A responder that asks more questions asks in a circle.
    private static let stageLimit = 32

    init(_ address: JID, account: ChatAccount, console: ChatConsole) {
        model = CommandModel(address, account: account)
        self.console = console
    }

    /// Shows the list.
    func list() async {
        await model.load()
        if let failure = model.failure { return show(failure) }
        if model.offers.isEmpty { return show(localized("%@ has no commands for you.", model.address)) }
        for (number, offer) in zip(1..., model.offers) { show("\(number)  \(offer.name)  (\(offer.node))") }
        show(localized("/run NUMBER executes one of them."))
    }

    /// Executes a command by its number in the list, its node or its name.
    ///
    /// - Returns: `false` if there is no such command.
    func run(_ text: String) async -> Bool {
        if !model.isLoaded { await model.load() }
        if let failure = model.failure {
            show(failure)
            return true
        }
        let number = Int(text).flatMap { model.offers.indices.contains($0 - 1) ? model.offers[$0 - 1] : nil }
        guard let offer = number ?? model.offer(named: text) else { return false }
        await model.start(offer)
        showStage(remaining: Self.stageLimit)
        return true
    }

    private func showStage(remaining: Int) {
        if let failure = model.failure { show(failure) }
        guard let page = model.page else { return }
        if let title = page.title { show(title) }
        for note in page.notes { show(Wording.note(note.text, note.severity)) }
        for paragraph in page.paragraphs { show(paragraph) }
        for entry in page.entries { show(entry) }
        for row in page.rows {
            show("—")
            for entry in row { show(entry) }
        }
        if page.hiddenCount > 0 {
            show(
                localized(
                    "%@ more entry is not shown.", plural: "%@ more entries are not shown.", count: page.hiddenCount))
        }
        switch model.progress {
        case .finished:
            if page.notes.isEmpty, page.entries.isEmpty, page.rows.isEmpty { show(localized("Done.")) }
            cancel()
        case .asking:
            guard remaining > 0 else {
                show(localized("The command asks without end; it was canceled."))
                return cancel()
            }
            ask(page.fields[...], remaining: remaining)
        case .loading, .choosing, .working: break
        }
    }

    private func show(_ entry: CommandPage.Entry) {
        show(entry.label.isEmpty ? entry.text : "\(entry.label): \(entry.text)")
    }

    private func show(_ text: String) { console.showNotice(TerminalText.harmless(text, keepingLines: true)) }

    private func cancel() { console.jobs.begin { [model] in await model.cancel() } }

    /// Asks the first of these fields, then the others; then the answers are sent.
    private func ask(_ fields: ArraySlice<FormField>, remaining: Int) {
        guard let field = fields.first else {
            return console.jobs.begin { [weak self] in
                guard let self else { return }
                await self.model.proceed()
                // A wrong answer is asked again.
                if self.model.progress == .asking, let wrong = self.model.wrongField {
                    self.show(self.model.failure ?? "")
                    let again = (self.model.page?.fields ?? []).filter { $0.id == wrong }
                    for field in again { self.model.answers[field.id] = field.values }
                    return self.ask(again[...], remaining: remaining)
                }
                self.showStage(remaining: remaining - 1)
            }
        }
        guard field.kind != .remark else {
            show(field.label)
            return ask(fields.dropFirst(), remaining: remaining)
        }
        if let text = field.explanation, !text.trimmed.isEmpty { show(text) }
        if let link = field.link { show(link) }
        for (number, option) in zip(1..., field.options) { show("  \(number)  \(option.label)") }
        console.question = Question(
            prompt: field.prompt(suggesting: model.answers[field.id] ?? field.values), isSecret: field.kind == .secret,
            onCancel: { [weak self] in self?.cancel() },
            onAnswer: { [weak self] line in
                guard let self else { return }
                // An empty line takes what is suggested.
                if !line.isEmpty { self.model.answers[field.id] = field.values(ofLine: line) }
                self.ask(fields.dropFirst(), remaining: remaining)
            })
    }
}

extension FormField {
    /// The question for the field, as for a terminal: `Branch [main]: `.
    ///
    /// - Parameter values: taken if the answer is empty.
    package func prompt(suggesting values: [String]) -> String {
        var prompt = TerminalText.harmless(label)
        if kind == .yesOrNo { prompt += " (" + localized("yes/no") + ")" }
        let suggested = values.map { value in
            TerminalText.harmless(options.first { $0.value == value }?.label ?? value)
        }
        if kind != .secret, !suggested.isEmpty { prompt += " [" + suggested.joined(separator: ", ") + "]" }
        return prompt + ": "
    }
}
