internal import ChatModel
internal import ChatStore
internal import Localization

/// Writing, and what is done to messages. Everything goes through the models, so the desktop and the terminal do the same.
extension TerminalChat {
    /// Saves a message and sends it as soon as that is possible; what becomes of it shows behind it.
    func send(_ text: String) async -> Bool {
        guard let composer = conversation?.composer else { return true }
        composer.text = text
        if composer.isTooLong {
            if composer.edit == nil, account.media != nil {
                offerAsFile(text)
                return true
            }
            tell(localized("This text is too long for one message. Send it in parts."))
            return false
        }
        do throws(StoreError) {
            _ = try await composer.send()
            // A correction gives back what was written before it.
            if input.isEmpty { input.replace(with: composer.text) }
            tellWaiting()
            return true
        } catch {
            tell(TerminalText.harmless(Wording.failure(error)))
            return false
        }
    }

    /// Says once for each time without a connection that messages wait.
    func tellWaiting() {
        if let line = connection.waitingLine() { tell(line) }
    }

    func edit(_ text: String) async -> Bool {
        guard let composer = conversation?.composer, (try? await composer.correctLast()) == true else {
            tell(localized("There is no message of yours to change."))
            return false
        }
        return await send(text)
    }

    func reply(_ number: Int, _ text: String) async -> Bool {
        guard let pane = conversation else { return true }
        let others = pane.messages.reversed().filter { !$0.isRetracted && !$0.isOutgoing }
        guard others.indices.contains(number - 1) else {
            tell(localized("There is no such message to answer."))
            return false
        }
        try? await pane.composer.answer(others[number - 1].id)
        guard pane.composer.reply != nil else {
            tellNameless()
            return false
        }
        return await send(text)
    }

    func deleteLast() async {
        guard let pane = conversation, let message = pane.last({ $0.isOutgoing }) else {
            return tell(localized("There is no message of yours to take back."))
        }
        do throws(StoreError) {
            guard try await pane.timeline.retract(message.id) else { return tellNameless() }
            let id = message.id
            let isGone = try await account.store.read { store throws(StoreError) in try store.message(id) == nil }
            if isGone { tell(localized("Taken back before it was sent.")) }
        } catch {
            tell(TerminalText.harmless(Wording.failure(error)))
        }
    }

    /// Adds an emoji to the last message of the other side, or takes it back; without an emoji takes all back.
    func react(_ emoji: String?) async {
        guard let pane = conversation, let message = pane.last({ !$0.isOutgoing }) else {
            return tell(localized("There is nothing to react to."))
        }
        let own = message.reactions.filter(\.isOwn).map(\.emoji)
        for emoji in emoji.map({ [$0] }) ?? own {
            do throws(StoreError) {
                guard try await pane.timeline.toggleReaction(emoji, to: message.id) else { return tellNameless() }
            } catch {
                return tell(TerminalText.harmless(Wording.failure(error)))
            }
        }
    }

    func retry() async {
        guard let pane = conversation else { return tell(localized("Nothing has failed here.")) }
        let failed = pane.messages.filter { if case .failed = $0.state { $0.isOutgoing } else { false } }
        if failed.isEmpty { tell(localized("Nothing has failed here.")) }
        for message in failed {
            do throws(StoreError) {
                try await pane.timeline.retry(message.id)
            } catch {
                tell(TerminalText.harmless(Wording.failure(error)))
            }
        }
    }

    private func tellNameless() {
        tell(localized("The room has given that message no name yet; try again in a moment."))
    }
}
