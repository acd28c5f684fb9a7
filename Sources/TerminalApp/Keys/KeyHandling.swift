internal import ChatModel
internal import ChatStore
internal import Localization

/// What each key does.
@MainActor
final class KeyHandling {
    private var decoder = KeyDecoder()
    private var wasInterrupted = false

    /// Handles bytes of the keyboard, then shows their effects.
    func typed(_ bytes: [UInt8], in chat: TerminalChat) async {
        for key in decoder.decode(bytes) {
            await pressed(key, in: chat)
            if chat.isLeaving { return }
        }
        chat.updates.update()
    }

    private func pressed(_ key: KeyDecoder.Key, in chat: TerminalChat) async {
        let (models, console) = (chat.models, chat.console)
        if key != .interrupt { wasInterrupted = false }
        switch key {
        case .enter: await entered(in: chat)
        case .interrupt: await interrupted(in: chat)
        case .endOfInput where console.input.isEmpty: chat.quit()
        case .redraw: chat.display.drawAgain()
        case .tab: if LineCompletion(models: models, console: console).complete() { wrote(in: chat) }
        case .nextUnread:
            if let next = models.contacts.nextUnread(after: models.conversation?.key) {
                await chat.conversations.open(next)
            }
        case .conversation(let number):
            if let key = models.contacts.conversation(number: number), key != models.conversation?.key {
                await chat.conversations.open(key)
            }
        case .up where models.conversation == nil && console.input.isEmpty: models.moveSelection(-1)
        case .down where models.conversation == nil && console.input.isEmpty: models.moveSelection(1)
        case .pageUp: chat.scrolling.scroll(pages: 1)
        case .pageDown: chat.scrolling.scroll(pages: -1)
        case .end where models.conversation?.place != nil && console.input.isEmpty:
            await chat.scrolling.scrollToEnd()
        default: if console.input.apply(key) { wrote(in: chat) }
        }
    }

    private func entered(in chat: TerminalChat) async {
        let console = chat.console
        // A written text is sent first: a recording may be left over from an earlier run of the program.
        if let voice = chat.models.conversation?.voice, voice.phase != .idle, console.input.isEmpty,
            console.question == nil
        {
            return console.jobs.begin { await voice.send() }
        }
        await chat.scrolling.scrollToEnd()
        if let question = console.question {
            let line = console.input.take(isSecret: question.isSecret)
            console.question = nil
            return await question.onAnswer(line.trimmed)
        }
        let line = console.input.take()
        if chat.models.conversation == nil, !line.hasPrefix("/") { return await choose(line.trimmed, in: chat) }
        guard !line.trimmed.isEmpty else { return }
        // A failed command stays in the input, so that it can be corrected.
        if await !chat.perform(line) { console.input.replace(with: line) }
    }

    private func choose(_ text: String, in chat: TerminalChat) async {
        let contacts = chat.models.contacts
        if let key = text.isEmpty ? contacts.selected : contacts.find(text) {
            await chat.conversations.open(key)
        } else if !text.isEmpty {
            chat.console.showNotice(localized("No contact is called “%@”; /add %@ adds one.", text, text))
        }
    }

    /// Pressing once clears the input, pressing twice quits.
    private func interrupted(in chat: TerminalChat) async {
        let (models, console) = (chat.models, chat.console)
        if let voice = models.conversation?.voice, voice.phase != .idle {
            await voice.cancel()
            return console.showNotice(localized("Not sent."))
        }
        if models.playback.isPlaying { return await models.playback.stop() }
        if let open = console.question {
            console.question = nil
            _ = console.input.take(isSecret: true)
            await open.onCancel()
            return console.showNotice(localized("Nothing was changed."))
        }
        if let composer = models.conversation?.composer, composer.edit != nil || composer.reply != nil {
            composer.cancelCorrection()
            try? await composer.reply(to: nil)
            return console.input.replace(with: composer.text)
        }
        if !console.input.isEmpty {
            _ = console.input.take()
            return wrote(in: chat)
        }
        if wasInterrupted { chat.quit() }
        wasInterrupted = true
        if !chat.isLeaving {
            console.showNotice(localized("Press Ctrl-C again, or Ctrl-D, to sign off and quit."))
        }
    }

    /// Passes the input to the composer, which saves the draft and sends typing notifications. A command is not passed,
    /// so the draft stays unchanged.
    private func wrote(in chat: TerminalChat) {
        let console = chat.console
        guard let composer = chat.models.conversation?.composer, console.question == nil,
            console.isWriting || console.input.isEmpty
        else { return }
        composer.text = console.input.string
    }
}
