internal import ChatModel
internal import ChatStore
internal import Localization
internal import MessageFeatures

/// Writing messages and acting on them. Everything goes through the models, so that the desktop and the terminal behave
/// the same.
extension TerminalChat {
    /// Saves a message and sends it as soon as possible; its state is shown after it.
    func send(_ text: String) async -> Bool {
        guard let composer = conversation?.composer else { return true }
        composer.text = text
        if composer.isTooLong {
            if composer.edit == nil, account.media != nil {
                offerAsFile(text)
                return true
            }
            showNotice(localized("This text is too long for one message. Send it in parts."))
            return false
        }
        do throws(StoreError) {
            _ = try await composer.send()
            // After a correction, the text before it is restored.
            if input.isEmpty { input.replace(with: composer.text) }
            showWaitingNotice()
            return true
        } catch {
            showNotice(TerminalText.harmless(Wording.failure(error)))
            return false
        }
    }

    /// Shows once per offline period that messages are waiting.
    func showWaitingNotice() {
        if let line = connection.waitingLine() { showNotice(line) }
    }

    func edit(_ text: String) async -> Bool {
        guard let composer = conversation?.composer, (try? await composer.correctLast()) == true else {
            showNotice(localized("You have no message here that can be edited."))
            return false
        }
        return await send(text)
    }

    func reply(_ number: Int, _ text: String) async -> Bool {
        guard let pane = conversation else { return true }
        let others = pane.messages.reversed().filter { !$0.isRetracted && !$0.isOutgoing }
        guard others.indices.contains(number - 1) else {
            showNotice(localized("There is no such message to reply to."))
            return false
        }
        try? await pane.composer.reply(to: others[number - 1].id)
        guard pane.composer.reply != nil else {
            showUnidentifiedNotice()
            return false
        }
        return await send(text)
    }

    func deleteLast() async {
        guard let pane = conversation, let message = pane.last({ $0.isOutgoing }) else {
            return showNotice(localized("You have no message here that can be retracted."))
        }
        do throws(StoreError) {
            guard try await pane.timeline.retract(message.id) else { return showUnidentifiedNotice() }
            let id = message.id
            let isGone = try await account.store.read { store throws(StoreError) in try store.message(id) == nil }
            if isGone { showNotice(localized("Cancelled before it was sent.")) }
        } catch {
            showNotice(TerminalText.harmless(Wording.failure(error)))
        }
    }

    /// Adds an emoji to the last received message, or removes it; without an emoji removes all.
    func react(_ emoji: String?) async {
        guard let pane = conversation, let message = pane.last({ !$0.isOutgoing }) else {
            return showNotice(localized("There is nothing to react to."))
        }
        let own = message.reactions.filter(\.isOwn).map(\.emoji)
        if let emoji, let restrictions = pane.timeline.reactionRestrictions, !restrictions.accepts(emoji) {
            return showNotice(TerminalText.harmless(Wording.restrictions(restrictions)))
        }
        for emoji in emoji.map({ [$0] }) ?? own {
            do throws(StoreError) {
                guard try await pane.timeline.toggleReaction(emoji, to: message.id) else {
                    return showUnidentifiedNotice()
                }
            } catch {
                return showNotice(TerminalText.harmless(Wording.failure(error)))
            }
        }
    }

    func retry() async {
        guard let pane = conversation else { return showNotice(localized("Nothing has failed here.")) }
        let failed = pane.messages.filter { if case .failed = $0.state { $0.isOutgoing } else { false } }
        if failed.isEmpty { showNotice(localized("Nothing has failed here.")) }
        for message in failed {
            do throws(StoreError) {
                try await pane.timeline.retry(message.id)
            } catch {
                showNotice(TerminalText.harmless(Wording.failure(error)))
            }
        }
    }

    private func showUnidentifiedNotice() {
        showNotice(localized("The room has not assigned an identifier to that message yet; try again in a moment."))
    }
}
