internal import ChatModel
internal import ChatStore
internal import Localization
internal import XMPPAddress

/// Opens conversations and the list of contacts, and searches in them.
@MainActor
struct ConversationCommands {
    let models: AccountModels
    let console: ChatConsole
    let display: ChatDisplay
    let updates: ModelUpdates
    let scrolling: ConversationScrolling
    let bots: BotCommands

    // MARK: Opening

    /// Opens a conversation by number, name or address.
    ///
    /// - Returns: `false` if the text is not an address, so that it can be corrected.
    func open(named text: String?) async -> Bool {
        guard let text else {
            await showContacts()
            return true
        }
        if let key = models.contacts.find(text) {
            await open(key)
            return true
        }
        do throws(ContactAddress.Refusal) {
            await open(try ContactAddress.complete(text, for: models.account.address))
            return true
        } catch {
            console.refuse(error, of: text)
            return false
        }
    }

    /// Opens the room or the conversation with an address.
    func open(_ peer: JID) async {
        let id = models.account.id
        let kinds: [ConversationKey.Kind] = peer.isBare ? [.room, .direct] : [.occupant, .room, .direct]
        let keys = kinds.map { ConversationKey(account: id, address: $0 == .occupant ? peer : peer.bare, kind: $0) }
        await open(keys.first { models.conversations.all[$0] != nil } ?? keys[keys.count - 1])
    }

    /// Opens a conversation and shows its messages at once.
    func open(_ key: ConversationKey) async {
        await closeConversation()
        let pane = models.pane(of: key)
        await pane.open()
        // Unread lines of the program belong below the messages.
        let remarks = console.transcript.entries
        console.transcript = Transcript()
        models.show(pane)
        display.endSwitching()
        // A draft stays with the previous conversation.
        if console.input.isEmpty || console.isWriting { console.input.replace(with: pane.composer.text) }
        updates.watch()
        updates.showLists()
        updates.showConversation()
        for remark in remarks { console.transcript.append(remark.author, remark.text, time: remark.time) }
        display.draw()
    }

    /// Shows the list of contacts.
    func showContacts() async {
        await closeConversation()
        display.endSwitching()
        updates.watch()
    }

    private func closeConversation() async {
        let pane = models.conversation
        await scrolling.scrollToEnd()
        display.beginSwitching()
        models.show(nil)
        bots.forgetList()
        await pane?.close()
    }

    // MARK: Finding

    /// Lists the other conversations with unread messages, with the numbers that `/chat` and Alt+1 … Alt+9 take.
    func showUnread() {
        let lines = models.contacts.unreadLines(besides: models.conversation?.key)
        guard !lines.isEmpty else { return console.showNotice(localized("There are no other unread messages.")) }
        for line in lines { console.showHarmless(line) }
    }

    /// The maximum number of search results: as many as fit on a screen.
    private static let hits = 12

    func search(_ words: String) async {
        guard let key = models.conversation?.key, let id = models.conversations.all[key]?.id else {
            return console.showNotice(localized("Nothing was found."))
        }
        let model = SearchModel(store: models.account.store, environment: models.environment)
        await model.search(words, in: .conversation(id))
        if let problem = model.problem { return console.showHarmless(Wording.failure(problem)) }
        if model.hits.elements.isEmpty { return console.showNotice(localized("Nothing was found.")) }
        for hit in model.hits.elements.prefix(Self.hits).reversed() {
            let time = hit.message.time.timestamp
            let author = hit.message.isOutgoing ? localized("me") : hit.senderName
            console.showNotice("\(time.dayText) \(time.clockText) \(author): \(hit.snippet.text)")
        }
    }
}
