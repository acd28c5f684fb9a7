internal import ChatModel
internal import Localization

/// Draws the models and the console on the screen.
@MainActor
final class ChatDisplay {
    private let models: AccountModels
    private let console: ChatConsole
    private var screen = TerminalScreen.standardOutput()
    /// Whether anything was drawn.
    private var hasDrawn = false
    /// Whether another conversation is being loaded; until then the screen stays unchanged.
    private var isSwitching = false
    /// Whether the screen was closed; nothing is drawn on it any more.
    private var isOver = false

    init(_ models: AccountModels, _ console: ChatConsole) {
        self.models = models
        self.console = console
    }

    var columns: Int { screen.columns }

    /// The number of visible rows of the conversation while it is scrolled.
    var pageRows: Int { max(1, screen.rows - 3) }

    func setBracketedPaste(_ isOn: Bool) { screen.setBracketedPaste(isOn) }

    func ring() { screen.ring() }

    /// Writes the final lines permanently and redraws the others.
    func draw() {
        guard !isOver, !isSwitching else { return }
        screen.prompt = prompt
        screen.isSecret = console.question?.isSecret ?? false
        screen.status = hint
        hasDrawn = true
        if let place = models.conversation?.place { return drawScrolled(to: place) }
        if console.transcript.isOutOfOrder { return drawAgain() }
        let final = console.transcript.takeFinalRows(columns: columns, maximumLive: max(1, screen.maximumLiveRows - 1))
        screen.show(
            final: final, live: console.transcript.liveRows(columns: columns) + lowerRows, input: console.input)
    }

    /// Redraws everything on an empty screen, after its size has changed or something else has written on it.
    func drawAgain() {
        if models.conversation?.place != nil { return draw() }
        let lower = lowerRows.count
        screen.clear()
        console.transcript.rewind(columns: columns, rows: max(1, screen.rows - lower - 2))
        draw()
    }

    /// Draws the earlier part of the conversation on the whole screen.
    private func drawScrolled(to place: Transcript.Place) {
        let rows = console.transcript.allRows(columns: columns)
        let end = console.transcript.end(of: place, in: rows)
        screen.clear()
        let hint = console.activity ?? olderText ?? localized("scrolled up · PageDown or End returns")
        screen.show(
            live: rows[max(0, end - pageRows)..<end].map(\.row) + [TranscriptEntry.divider(hint, columns: columns)],
            input: console.input)
    }

    private var olderText: String? {
        models.conversation?.timeline.olderMessages == .loading
            ? localized("loading older messages from the server…") : nil
    }

    // MARK: Another conversation

    /// Writes the lines on the screen permanently, because other content follows below them.
    func beginSwitching() {
        if hasDrawn {
            screen.show(final: rest, live: [], input: console.input)
            console.transcript = Transcript()
        }
        isSwitching = true
    }

    func endSwitching() { isSwitching = false }

    /// All lines that are not permanent yet.
    private var rest: [TerminalScreen.Row] {
        let final = console.transcript.takeFinalRows(columns: columns, maximumLive: 0)
        return final + console.transcript.liveRows(columns: columns)
    }

    /// Leaves the last lines on the screen and draws nothing more.
    func finish() {
        if models.conversation?.place != nil || console.transcript.isOutOfOrder {
            models.conversation?.place = nil
            drawAgain()
        }
        let rows = rest
        isOver = true
        screen.finish(last: rows)
        screen.setBracketedPaste(false)
    }

    // MARK: The lowest rows

    private var lowerRows: [TerminalScreen.Row] {
        let list =
            models.conversation == nil ? models.contacts.rows(columns: columns, maximum: screen.maximumLiveRows) : []
        let hint = StatusRow.hint(
            about: console.isWriting ? console.input.string : "", in: models.conversation?.room)
        return list + [StatusRow(models, activity: console.activity ?? hint).row(columns: columns)]
    }

    private var prompt: String {
        if let question = console.question { return TerminalText.harmless(question.prompt) }
        guard let conversation = models.conversation else { return localized("Contact: ") }
        let lock = conversation.encryption.isAvailable ? conversation.encryption.sign.mark : ""
        // A reply or a correction that was started elsewhere continues here.
        if conversation.composer.edit != nil { return lock + "✎ " }
        return lock + (conversation.composer.reply != nil ? "↪ " : "> ")
    }

    private var hint: String {
        if console.question != nil { return "" }
        return models.conversation == nil
            ? localized("Enter opens, ↑↓ choose, or type a number, a name, /add ADDRESS")
            : localized("write a message, or / for a command")
    }
}
