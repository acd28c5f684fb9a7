internal import ChatModel
internal import ChatStore
internal import Localization

extension TerminalChat {
    func pressed(_ key: KeyDecoder.Key) async {
        if key != .interrupt { wasInterrupted = false }
        switch key {
        case .enter: await entered()
        case .interrupt: await interrupted()
        case .endOfInput where input.isEmpty: isLeaving = true
        case .redraw: drawAgain()
        case .tab: complete()
        case .nextUnread: if let next = contacts.nextUnread(after: conversation?.key) { await open(next) }
        case .conversation(let number):
            if let key = contacts.conversation(number: number), key != conversation?.key { await open(key) }
        case .up where conversation == nil && input.isEmpty: contacts.move(-1)
        case .down where conversation == nil && input.isEmpty: contacts.move(1)
        case .pageUp: scroll(pages: 1)
        case .pageDown: scroll(pages: -1)
        case .end where conversation?.place != nil && input.isEmpty: await scrollToEnd()
        default: if input.apply(key) { wrote() }
        }
    }

    private func entered() async {
        // A written text is sent first: a recording may be left over from an earlier run of the program.
        if let voice = conversation?.voice, voice.phase != .idle, input.isEmpty, question == nil {
            return begin { _ in await voice.send() }
        }
        await scrollToEnd()
        if let question {
            let line = input.take(isSecret: question.isSecret)
            self.question = nil
            return await question.onAnswer(line.trimmed)
        }
        let line = input.take()
        if conversation == nil, !line.hasPrefix("/") { return await choose(line.trimmed) }
        guard !line.trimmed.isEmpty else { return }
        // A failed command stays in the input, so that it can be corrected.
        if await !perform(ChatCommand(line)) { input.replace(with: line) }
    }

    private func choose(_ text: String) async {
        if let key = text.isEmpty ? contacts.selected : contacts.find(text) {
            await open(key)
        } else if !text.isEmpty {
            showNotice(localized("No contact is called “%@”; /add %@ adds one.", text, text))
        }
    }

    /// Asks for a confirmation.
    func confirm(_ prompt: String, _ onYes: @escaping @MainActor (TerminalChat) async -> Void) {
        question = Question(prompt: prompt) { [weak self] answer in
            guard let self else { return }
            let isYes = [localized("yes"), "yes", "y", "是"].contains(answer.lowercased())
            if isYes { begin(onYes) } else { showNotice(localized("Nothing was changed.")) }
        }
    }

    /// Pressing once clears the input, pressing twice quits.
    private func interrupted() async {
        if let voice = conversation?.voice, voice.phase != .idle {
            await voice.cancel()
            return showNotice(localized("Not sent."))
        }
        if playback.isPlaying { return await playback.stop() }
        if let open = question {
            question = nil
            _ = input.take(isSecret: true)
            await open.onCancel()
            return showNotice(localized("Nothing was changed."))
        }
        if let composer = conversation?.composer, composer.edit != nil || composer.reply != nil {
            composer.cancelCorrection()
            try? await composer.reply(to: nil)
            return input.replace(with: composer.text)
        }
        if !input.isEmpty {
            _ = input.take()
            return wrote()
        }
        if wasInterrupted { isLeaving = true }
        wasInterrupted = true
        if !isLeaving { showNotice(localized("Press Ctrl-C again, or Ctrl-D, to sign off and quit.")) }
    }

    // MARK: Writing

    /// Whether the input is a message, and not a command or an answer.
    var isWriting: Bool { !input.isEmpty && !input.string.hasPrefix("/") && question == nil }

    /// Passes the input to the composer, which saves the draft and sends typing notifications. A command is not passed,
    /// so the draft stays unchanged.
    private func wrote() {
        guard let composer = conversation?.composer, question == nil, isWriting || input.isEmpty else { return }
        composer.text = input.string
    }

    // MARK: Completion

    private func complete() {
        let line = input.string
        guard line.hasPrefix("/") else { return completeNickname() }
        guard let space = line.firstIndex(where: \.isWhitespace) else {
            return offer(ChatCommand.completions(of: line)) { $0 + " " }
        }
        let head = String(line[...space])
        let typed = String(line[line.index(after: space)...])
        switch line[..<space] {
        case "/picture", "/voice", "/play", "/file":
            let (text, choices) = PathCompletion.complete(typed)
            input.replace(with: head + text)
            if text == typed { show(choices) }
        case "/chat", "/invite", "/block", "/remove": offer(contacts.completions(of: typed)) { head + $0 }
        case "/kick", "/ban":
            let names = conversation?.room?.people.filter { !$0.isOwn }.map(\.nickname) ?? []
            offer(names.filter { $0.lowercased().hasPrefix(typed.lowercased()) }.sorted()) { head + $0 }
        default: break
        }
    }

    private func completeNickname() {
        let line = input.string
        guard let people = conversation?.room?.people, input.cursor == line.count else { return }
        let names = people.filter { !$0.isOwn }.map(\.nickname)
        guard let completion = MentionCompletion(in: line, at: line.endIndex, of: names) else { return }
        offer(completion.candidates) { line[..<completion.range.lowerBound] + completion.replacement(for: $0) }
        wrote()
    }

    /// Inserts the only completion, or shows all of them.
    private func offer(_ choices: [String], _ whole: (String) -> String) {
        if choices.count == 1 { return input.replace(with: whole(choices[0])) }
        show(choices)
    }

    /// The maximum number of completions that are shown.
    private static let choiceLimit = 20

    private func show(_ choices: [String]) {
        guard !choices.isEmpty else { return }
        let shown = choices.prefix(Self.choiceLimit).joined(separator: "  ")
        let more = choices.count - Self.choiceLimit
        showNotice(more > 0 ? shown + localized("  … and %@ more", plural: "  … and %@ more", count: more) : shown)
    }
}
