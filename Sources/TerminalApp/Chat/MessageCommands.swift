internal import ChatModel
internal import ChatStore
internal import Localization
internal import MessageFeatures

/// Writing messages and acting on them. Everything goes through the models, so that the desktop and the terminal behave
/// the same.
@MainActor
struct MessageCommands {
    let models: AccountModels
    let console: ChatConsole
    let files: FileCommands

    /// Saves a message and sends it as soon as possible; its state is shown after it.
    ///
    /// - Returns: `false` if it was not sent, so that it can be corrected.
    func send(_ text: String) async -> Bool {
        guard let composer = models.conversation?.composer else { return true }
        composer.text = text
        if composer.isTooLong {
            if composer.edit == nil, models.account.media != nil {
                files.offerAsFile(text)
                return true
            }
            console.showNotice(localized("This text is too long for one message. Send it in parts."))
            return false
        }
        do throws(StoreError) {
            _ = try await composer.send()
            // After a correction, the text before it is restored.
            if console.input.isEmpty { console.input.replace(with: composer.text) }
            files.showWaiting()
            return true
        } catch {
            console.showHarmless(Wording.failure(error))
            return false
        }
    }

    func edit(_ text: String) async -> Bool {
        guard let composer = models.conversation?.composer, (try? await composer.correctLast()) == true else {
            console.showNotice(localized("You have no message here that can be edited."))
            return false
        }
        return await send(text)
    }

    /// Replies to a received message, by its number from the end.
    func reply(_ number: Int, _ text: String) async -> Bool {
        guard let pane = models.conversation else { return true }
        guard let message = pane.received(number) else {
            console.showNotice(localized("There is no such message to reply to."))
            return false
        }
        try? await pane.composer.reply(to: message.id)
        guard pane.composer.reply != nil else {
            showUnidentified()
            return false
        }
        return await send(text)
    }

    func deleteLast() async {
        guard let pane = models.conversation, let message = pane.last({ $0.isOutgoing }) else {
            return console.showNotice(localized("You have no message here that can be retracted."))
        }
        do throws(StoreError) {
            guard try await pane.timeline.actions.retract(message.id) else { return showUnidentified() }
            let id = message.id
            let isGone = try await models.account.store.read { store throws(StoreError) in
                try store.message(id) == nil
            }
            if isGone { console.showNotice(localized("Cancelled before it was sent.")) }
        } catch {
            console.showHarmless(Wording.failure(error))
        }
    }

    /// Adds an emoji to the last received message, or removes it; without an emoji removes all.
    func react(_ emoji: String?) async {
        guard let pane = models.conversation, let message = pane.last({ !$0.isOutgoing }) else {
            return console.showNotice(localized("There is nothing to react to."))
        }
        let own = message.reactions.filter(\.isOwn).map(\.emoji)
        if let emoji, let restrictions = pane.timeline.actions.reactionRestrictions, !restrictions.accepts(emoji) {
            return console.showHarmless(Wording.restrictions(restrictions))
        }
        for emoji in emoji.map({ [$0] }) ?? own {
            do throws(StoreError) {
                guard try await pane.timeline.actions.toggleReaction(emoji, to: message.id) else {
                    return showUnidentified()
                }
            } catch {
                return console.showHarmless(Wording.failure(error))
            }
        }
    }

    func retry() async {
        guard let pane = models.conversation else { return console.showNotice(localized("Nothing has failed here.")) }
        let failed = pane.messages.filter { if case .failed = $0.state { $0.isOutgoing } else { false } }
        if failed.isEmpty { console.showNotice(localized("Nothing has failed here.")) }
        for message in failed {
            do throws(StoreError) {
                try await pane.timeline.actions.retry(message.id)
            } catch {
                console.showHarmless(Wording.failure(error))
            }
        }
    }

    private func showUnidentified() {
        console.showNotice(
            localized("The room has not assigned an identifier to that message yet; try again in a moment."))
    }
}
