internal import ChatModel
internal import ChatStore
internal import GroupChat
internal import Localization
internal import MessageFeatures
internal import XMPPAddress

extension Chat {
    // MARK: What was said

    /// The newest message here that fits.
    private func last(_ isWanted: (StoredMessage) -> Bool) -> StoredMessage? {
        shown.values.filter { !$0.isRetracted && isWanted($0) }.max { $0.position < $1.position }
    }

    private func send(_ content: MessageContent, in key: ConversationKey) async {
        if case .text(let text) = content, content.isTooLong { return offerAsFile(text.body) }
        guard !content.isTooLong else {
            return tell(localized("This text is too long for one message. Send it in parts."))
        }
        do {
            _ = try await account.send(content, in: key)
            tellWaiting()
        } catch {
            tell(CommandError(error).description)
        }
    }

    func edit(_ text: String) async {
        guard let key = openKey, let message = last({ $0.isOutgoing && $0.text.attachments.isEmpty }),
            let target = message.correctionTarget
        else { return tell(localized("There is no message of yours to change.")) }
        await send(.correction(of: target, MessageText(text)), in: key)
    }

    func reply(_ number: Int, _ text: String) async {
        let others = shown.values.filter { !$0.isRetracted && !$0.isOutgoing }.sorted { $0.position > $1.position }
        guard let key = openKey, others.indices.contains(number - 1) else {
            return tell(localized("There is no such message to answer."))
        }
        guard let target = others[number - 1].target(in: key.kind) else {
            return tell(localized("The room has given that message no name yet; try again in a moment."))
        }
        await send(.text(MessageText(text, reply: target)), in: key)
    }

    func deleteLast() async {
        guard let key = openKey, let message = last({ $0.isOutgoing }) else {
            return tell(localized("There is no message of yours to take back."))
        }
        // What did not leave need not be taken back from anybody.
        let (owner, id) = (account.id, message.id)
        let isUntouched =
            (try? await store.read { store throws(StoreError) in
                try store.sendQueue(of: owner).contains { $0.message.id == id && $0.attempts == 0 }
            }) ?? false
        if isUntouched, (try? await account.cancel(id)) != nil {
            return tell(localized("Taken back before it was sent."))
        }
        guard let target = message.target(in: key.kind) else {
            return tell(localized("The room has given that message no name yet; try again in a moment."))
        }
        await send(.retraction(of: target), in: key)
    }

    func react(_ emoji: String?) async {
        guard let key = openKey, let message = last({ !$0.isOutgoing }) else {
            return tell(localized("There is nothing to react to."))
        }
        guard let target = message.target(in: key.kind) else {
            return tell(localized("The room has given that message no name yet; try again in a moment."))
        }
        await send(.reactions(to: target, emoji.map { [MessageReactions.qualified($0)] } ?? []), in: key)
    }

    func retry() async {
        let failed = shown.values.filter { if case .failed = $0.state { $0.isOutgoing } else { false } }
            .sorted { $0.position < $1.position }
        guard !failed.isEmpty else { return tell(localized("Nothing has failed here.")) }
        for message in failed {
            do {
                try await account.retry(message.id)
            } catch {
                tell(CommandError(error).description)
            }
        }
    }

    /// As many as a screen shows at a glance.
    private static let hits = 12

    func search(_ words: String) async {
        guard let key = openKey, let id = openID else { return tell(localized("Nothing was found.")) }
        let request = SearchRequest(words, account: account.id, conversation: id, limit: Self.hits)
        do {
            let found = try await store.read { store throws(StoreError) in try store.search(request) }
            if found.messages.isEmpty { return tell(localized("Nothing was found.")) }
            for message in found.messages.reversed() {
                let time = message.time.timestamp
                let words = TerminalText.harmless(message.words)
                tell("\(time.dayText) \(time.clockText) \(message.author(in: key.kind, names: names)): \(words)")
            }
        } catch {
            tell(CommandError(error).description)
        }
    }

    // MARK: Rooms

    func join(_ text: String, nickname: String?) {
        let room: JID
        do {
            room = try ContactAddress.parse(text, account: address).bare
        } catch {
            return tell(CommandError(error).description)
        }
        let nickname = nickname ?? address.local ?? address.domain
        meter = localized("entering %@…", room)
        begin { chat in
            do throws(GroupChatError) {
                try await chat.account.enterRoom(room, nickname: nickname)
                await chat.entered(room)
            } catch {
                await chat.couldNotEnter(error)
            }
        }
    }

    private func entered(_ room: JID) async {
        meter = nil
        await open(ConversationKey(account: account.id, address: room, kind: .room))
        redraw()
    }

    private func couldNotEnter(_ error: GroupChatError) {
        meter = nil
        tell(CommandError.oneLine(error.description))
        redraw()
    }

    func tellWho() async {
        guard let key = openKey, key.kind == .room else { return tell(localized("This is no room; /join enters one.")) }
        let state = await account.roomState(key.address)
        room = state
        guard state.isInside else { return tell(localized("You are not in the room at the moment.")) }
        tell(
            state.people.map { $0.isOwn ? "\($0.nickname) (\(localized("me")))" : $0.nickname }.joined(separator: ", "))
    }

    func leaveRoom() async {
        guard let key = openKey, key.kind == .room else { return tell(localized("This is no room; /join enters one.")) }
        await account.leaveRoom(key.address)
        view = .friends
        await account.opened(nil)
        tell(localized("You have left %@; what was said there stays in the list.", name(of: key.address)))
    }
}
