internal import MessageFeatures
internal import XMPPAddress
internal import XMPPStanzas

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
        default:
            if input.apply(key) { await wrote() }
        }
    }

    private func entered() async {
        if recorder != nil { return await finishRecording() }
        let line = input.take()
        if let question {
            self.question = nil
            let isYes = [localized("yes"), "yes", "y", "是"].contains(line.trimmed.lowercased())
            return isYes ? await question.onYes(self) : tell(localized("Nothing was done."))
        }
        if view == .friends, !line.hasPrefix("/") { return choose(line.trimmed) }
        guard !line.trimmed.isEmpty else { return }
        await perform(ChatCommand(line))
    }

    private func choose(_ text: String) {
        let contact = text.isEmpty ? friends.contacts.first { $0.address == friends.selected } : friends.find(text)
        if let contact {
            open(contact.address)
        } else if !text.isEmpty {
            tell(localized("No friend is called “%@”; /add %@ asks somebody.", text, text))
        }
    }

    func open(_ address: JID) {
        view = .conversation(address)
        friends.unread[address] = nil
        let name = friends.contacts.first { $0.address == address }?.displayName ?? address.description
        tell(localized("Conversation with %@", name))
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
            tell(choices.count > 20 ? shown + localized("  … and %@ more", choices.count - 20) : shown)
        }
    }

    private func replaceInput(_ text: String) {
        _ = input.apply(.end)
        _ = input.apply(.deleteToStart)
        _ = input.apply(.text(text))
    }

    /// Tells the other side that a message is being written, and when that stops (XEP-0085).
    private func wrote() async {
        keyCount += 1
        let isWriting = !input.isEmpty && !input.string.hasPrefix("/") && question == nil
        await announce(isWriting ? .composing : .active)
        guard isWriting else { return }
        let count = keyCount
        begin { chat in
            try? await Task.sleep(for: Self.pauseAfter)
            await chat.pausedWriting(since: count)
        }
    }

    private func pausedWriting(since count: Int) async {
        guard count == keyCount, myState == .composing else { return }
        await announce(.paused)
    }

    /// Sends a state of its own if it is news and the other side is there and has shown that it knows states.
    private func announce(_ state: ChatState) async {
        guard case .conversation(let peer) = view, state != myState else { return }
        myState = state
        guard tellsStates[peer.bare] != false,
            friends.contacts.first(where: { $0.address == peer.bare }).map({ $0.section != .offline }) ?? false
        else { return }
        var message = Message(to: peer, type: .chat)
        message.payloads.append(state)
        _ = try? await session.send(message)
    }
}
