internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress

extension TerminalChat {
    /// Performs the command of a line.
    ///
    /// - Returns: `false` if the command is incomplete or invalid, so that it can be corrected.
    func perform(_ command: ChatCommand) async -> Bool {
        switch command {
        case .message(let text): return await send(text)
        case .edit(let text): return await edit(text)
        case .reply(let number, let text): return await reply(number, text)
        case .react(let emoji): await react(emoji)
        case .delete: await deleteLast()
        case .retry: await retry()
        case .picture(let file): sendFile(file, isPicture: true)
        case .file(let file): sendFile(file, isPicture: false)
        case .voice(let file?): sendVoice(file)
        case .voice(nil): record()
        case .play(let file): play(file)
        case .get: fetch()
        case .search(let words): await search(words)
        case .open(let text): return await open(named: text)
        case .status(let show, let text): await appear(show, text)
        case .add(let address, let name): add(address, name: name)
        case .accept(let text): answer(text, accepting: true)
        case .reject(let text): answer(text, accepting: false)
        case .remove(let text): askRemoval(text)
        case .join(let room, let nickname): join(room, nickname: nickname)
        case .who: await showOccupants()
        case .leave: await leaveRoom()
        case .nickname(let name): changeNickname(to: name)
        case .topic(let text): topic(text)
        case .invite(let text): invite(text)
        case .kick(let text): removeOccupant(text, isBan: false)
        case .ban(let text): removeOccupant(text, isBan: true)
        case .moderate(let number, let reason): await moderate(number, reason: reason)
        case .block(let text): block(text)
        case .unblock(let text): unblock(text)
        case .unread: showUnread()
        case .keys(let text): showKeys(text)
        case .trust(let text, let isVerified): decide(isVerified ? .verified : .trusted, text)
        case .distrust(let text): decide(.distrusted, text)
        case .encryption(let text): return await encryption(text)
        case .commands(let text): listCommands(text)
        case .run(let text): runCommand(text)
        case .help: help()
        case .quit: isLeaving = true
        case .unknown(let name): runUnknown(name)
        case .incomplete(let usage): showNotice(localized("Type %@.", usage))
        }
        return true
    }

    // MARK: Conversations

    private func open(named text: String?) async -> Bool {
        guard let text else {
            await showContacts()
            return true
        }
        if let key = contacts.find(text) {
            await open(key)
            return true
        }
        do throws(ContactAddress.Refusal) {
            await open(try ContactAddress.complete(text, for: account.address))
            return true
        } catch {
            showNotice(refusal(error, of: text))
            return false
        }
    }

    /// Opens the room or the conversation with an address.
    func open(_ peer: JID) async {
        let id = account.id
        let kinds: [ConversationKey.Kind] = peer.isBare ? [.room, .direct] : [.occupant, .room, .direct]
        let keys = kinds.map { ConversationKey(account: id, address: $0 == .occupant ? peer : peer.bare, kind: $0) }
        await open(keys.first { conversations.all[$0] != nil } ?? keys[keys.count - 1])
    }

    /// Opens a conversation and shows its messages at once.
    func open(_ key: ConversationKey) async {
        await closeConversation()
        let pane = ConversationPane(
            key, account: account, downloads: downloads, environment: environment,
            roomChanged: { [weak self] in self?.modelsChanged() })
        await pane.open()
        // Unread lines of the program belong below the messages.
        let remarks = transcript.entries
        transcript = Transcript()
        conversation = pane
        shownForecast = nil
        isSwitching = false
        // A draft stays with the previous conversation.
        if input.isEmpty || isWriting { input.replace(with: pane.composer.text) }
        watch()
        showLists()
        showConversation()
        for remark in remarks { transcript.append(remark.author, remark.text, time: remark.time) }
        draw()
    }

    /// Shows the list of contacts.
    func showContacts() async {
        await closeConversation()
        isSwitching = false
        watch()
    }

    /// Writes the lines on the screen permanently, because other content follows below them.
    private func closeConversation() async {
        let pane = conversation
        await scrollToEnd()
        if hasDrawn {
            writePermanently()
            transcript = Transcript()
        }
        isSwitching = true
        conversation = nil
        // A number belongs to the list that was shown here.
        commandDialog = nil
        await pane?.close()
    }

    // MARK: The rest

    private func appear(_ show: String, _ text: String?) async {
        presence = OwnPresence(show: PresenceText.shows[show] ?? nil, status: text)
        await account.setPresence(presence)
        let state = Wording.presence(presence.show)
        showNotice(localized("Your contacts see you as: %@", state + (text.map { ": " + $0 } ?? "")))
    }

    /// The maximum number of search results: as many as fit on a screen.
    private static let hits = 12

    private func search(_ words: String) async {
        guard let key = conversation?.key, let id = conversations.all[key]?.id else {
            return showNotice(localized("Nothing was found."))
        }
        let model = SearchModel(store: account.store, environment: environment)
        await model.search(words, in: .conversation(id))
        if let problem = model.problem { return showNotice(TerminalText.harmless(Wording.failure(problem))) }
        if model.hits.elements.isEmpty { return showNotice(localized("Nothing was found.")) }
        for hit in model.hits.elements.prefix(Self.hits).reversed() {
            let time = hit.message.time.timestamp
            let author = hit.message.isOutgoing ? localized("me") : hit.senderName
            showNotice("\(time.dayText) \(time.clockText) \(author): \(hit.snippet.text)")
        }
    }

    private func help() {
        var lines = ChatCommand.all.map { command in
            let left = [command.name, ChatCommand.shown(command.argument)].filter { !$0.isEmpty }.joined(separator: " ")
            return localized("%@: %@", left, localized(command.help))
        }
        lines.append(
            localized(
                "Tab completes commands, names and files; Alt+A opens the next unread conversation, Alt+1 to Alt+9 those of the list; a message that begins with / is written with //."
            ))
        lines.append(
            localized("PageUp shows older messages. Marks: … waits, ✓ on the server, ✓✓ delivered, ✔✔ seen, ✗ failed."))
        if account.encryption != nil {
            lines.append(
                localized(
                    "🔒 encrypted, 🔐 with a verified key, 🔒! with a key that you do not trust, or not for all devices; 🔓 not encrypted."
                ))
        }
        showNotice(lines.joined(separator: "\n"))
    }

    func refusal(_ refusal: ContactAddress.Refusal, of text: String) -> String {
        Wording.refusal(refusal, of: TerminalText.harmless(text))
    }
}
