internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress

extension Chat {
    /// How long a person who writes may pause before the other side is told.
    private static let pauseAfter = Duration.seconds(6)

    func pressed(_ key: KeyDecoder.Key) async {
        if key != .interrupt { wasInterrupted = false }
        switch key {
        case .enter: await entered()
        case .interrupt: await interrupted()
        case .endOfInput where input.isEmpty: isLeaving = true
        case .redraw: drawAnew()
        case .tab: complete()
        case .up where view == .friends && input.isEmpty: friends.move(-1)
        case .down where view == .friends && input.isEmpty: friends.move(1)
        case .pageUp: await scroll(pages: 1)
        case .pageDown: await scroll(pages: -1)
        case .end where scrolledRows > 0 && input.isEmpty: scrollToEnd()
        default:
            if input.apply(key) { await wrote() }
        }
    }

    private func entered() async {
        if recorder != nil { return await finishRecording() }
        scrollToEnd()
        let line = input.take()
        if let question {
            self.question = nil
            let isYes = [localized("yes"), "yes", "y", "是"].contains(line.trimmed.lowercased())
            return isYes ? await question.onYes(self) : tell(localized("Nothing was done."))
        }
        if view == .friends, !line.hasPrefix("/") { return await choose(line.trimmed) }
        guard !line.trimmed.isEmpty else { return }
        let command = ChatCommand(line)
        await perform(command)
        if case .message = command { await keepDraft() }
    }

    private func choose(_ text: String) async {
        if text.isEmpty {
            if let other = friends.others.first(where: { $0.key.address == friends.selected }) {
                return await open(other.key)
            }
            if let selected = friends.selected { await open(selected) }
        } else if let contact = friends.find(text) {
            await open(contact.address)
        } else if let other = friends.findOther(text) {
            await open(other.key)
        } else {
            tell(localized("No friend is called “%@”; /add %@ asks somebody.", text, text))
        }
    }

    /// Once clears what is written, twice leaves.
    private func interrupted() async {
        if let recorder {
            self.recorder = nil
            meter = nil
            await recorder.discard()
            return tell(localized("Not sent."))
        }
        if let player { return await player.stop() }
        if question != nil {
            question = nil
            return tell(localized("Nothing was done."))
        }
        if !input.isEmpty {
            _ = input.take()
            return await wrote()
        }
        if wasInterrupted { isLeaving = true }
        wasInterrupted = true
        if !isLeaving { tell(localized("Ctrl-C once more, or Ctrl-D, signs off and leaves.")) }
    }

    private func complete() {
        let line = input.string
        guard line.hasPrefix("/") else { return }
        guard let space = line.firstIndex(where: \.isWhitespace) else {
            let names = ChatCommand.completions(of: line)
            if names.count == 1 { return replaceInput(names[0] + " ") }
            return names.isEmpty ? () : tell(names.joined(separator: "  "))
        }
        guard ["/picture", "/voice", "/play"].contains(String(line[..<space])) else { return }
        let typed = String(line[line.index(after: space)...])
        let (text, choices) = PathCompletion.complete(typed)
        replaceInput(String(line[...space]) + text)
        if text == typed, !choices.isEmpty {
            let shown = choices.prefix(20).joined(separator: "  ")
            tell(
                choices.count > 20
                    ? shown + localized("  … and %@ more", plural: "  … and %@ more", count: choices.count - 20) : shown
            )
        }
    }

    func replaceInput(_ text: String) {
        _ = input.apply(.end)
        _ = input.apply(.deleteToStart)
        _ = input.apply(.text(text))
    }

    /// Tells the other side that a message is being written, and when that stops (XEP-0085).
    private func wrote() async {
        keyCount += 1
        guard let key = openKey else { return }
        let isWriting = isWriting
        begin { [keyCount] chat in
            try? await Task.sleep(for: Self.draftAfter)
            await chat.keepDraft(since: keyCount)
        }
        await account.setComposing(isWriting, in: key)
        guard isWriting else { return }
        let count = keyCount
        begin { chat in
            try? await Task.sleep(for: Self.pauseAfter)
            await chat.pausedWriting(since: count, in: key)
        }
    }

    /// A message is being written, and not a command or an answer.
    var isWriting: Bool { !input.isEmpty && !input.string.hasPrefix("/") && question == nil }

    /// What was written and not sent is kept so soon after the last key.
    private static let draftAfter = Duration.seconds(1)

    private func keepDraft(since count: Int) async {
        if count == keyCount { await keepDraft() }
    }

    private func pausedWriting(since count: Int, in key: ConversationKey) async {
        if count == keyCount { await account.setComposing(false, in: key) }
    }
}
