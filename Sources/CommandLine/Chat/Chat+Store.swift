internal import ChatModel
internal import ChatStore
internal import Localization
internal import MessageFeatures
internal import Roster
internal import XMPPAddress

extension Chat {
    /// Messages that a conversation shows when it is opened, and that each page brings.
    static let pageSize = 40

    /// What rings although it was not there when the program began: not what an archive brings from last week.
    private static let newsAge: Int64 = 15 * 60_000

    // MARK: People

    /// Contacts as they are kept, until the server says how they are now; conversations with others; what is unread.
    func loadPeople() async {
        let (id, isOffline) = (account.id, live.roster == nil || !wasOnline)
        typealias People = (
            contacts: [ChatStore.Contact], names: [JID: String], conversations: [Conversation], newest: MessageID
        )
        let people = try? await store.read { store throws(StoreError) -> People in
            let conversations = try store.conversations().filter { $0.key.account == id && !$0.settings.isArchived }
            return (
                try store.contacts(of: id), try ConversationFinder.names(of: id, in: store), conversations,
                conversations.compactMap { $0.lastMessage?.id }.max() ?? MessageID(rawValue: 0)
            )
        }
        guard let people else { return }
        names = people.names
        if newestAtStart.rawValue == .max { newestAtStart = people.newest }
        if isOffline {
            // As the list of a session shows them: nobody who has agreed to nothing.
            let agreed = people.contacts.filter { $0.subscription != .none || $0.isPending }
            friends.update(agreed.map { Self.contact($0) }.sorted(by: Self.precedes))
        }
        let known = Set(friends.contacts.map(\.address))
        friends.updateOthers(
            people.conversations.filter { !known.contains($0.key.address) && $0.key.address != address }.map {
                ContactList.Other(
                    key: $0.key, name: people.names[$0.key.address] ?? $0.key.address.description)
            })
        friends.unread = Dictionary(
            people.conversations.filter { $0.unreadCount > 0 }.map { ($0.key.address, $0.unreadCount) },
            uniquingKeysWith: +)
    }

    private static func contact(_ kept: ChatStore.Contact) -> RosterContact {
        let subscription: RosterItem.Subscription =
            switch kept.subscription {
            case .none: .none
            case .to: .to
            case .from: .from
            case .both: .both
            }
        return RosterContact(
            item: RosterItem(
                address: kept.address, name: kept.name, subscription: subscription, isPending: kept.isPending,
                groups: Set(kept.groups)))
    }

    private static func precedes(_ left: RosterContact, _ right: RosterContact) -> Bool {
        RosterContact.precedes(left, right)
    }

    // MARK: The open conversation

    /// Shows a conversation: what was said there, at once.
    func open(_ peer: JID) async {
        let id = account.id
        let known = try? await store.read { store throws(StoreError) in
            try ConversationFinder.conversation(with: peer, of: id, in: store)?.key
        }
        await open(known ?? nil ?? ConversationKey(account: id, address: peer, kind: .direct))
    }

    func open(_ key: ConversationKey) async {
        view = .conversation(key)
        openID = nil
        scrolledRows = 0
        room = nil
        shown = [:]
        // What stands on the screen is written for good; the conversation goes on below it.
        if hasDrawn { writeForGood() }
        let remarks = hasDrawn ? [] : timeline.entries
        timeline = Timeline()
        typealias Opening = (
            id: ConversationID?, messages: [StoredMessage], unread: TimelinePosition?, count: Int
        )
        let opening = try? await store.read { store throws(StoreError) -> Opening in
            guard let id = try store.conversation(key) else { return (nil, [], nil, 0) }
            let count = try store.conversation(id)?.unreadCount ?? 0
            return (
                id, try store.timeline(of: id, .newest, limit: Self.pageSize),
                count > 0 ? try store.firstUnread(in: id) : nil, count
            )
        }
        openID = opening?.id
        _ = timeline.append(
            .divider, localized("Conversation with %@", name(of: key.address)),
            time: opening?.messages.first?.time.timestamp ?? .now)
        var hasDivided = false
        for message in opening?.messages ?? [] {
            if !hasDivided, let unread = opening?.unread, message.position >= unread {
                hasDivided = true
                _ = timeline.append(
                    .divider, localized("%@ unread", opening?.count ?? 0), time: message.time.timestamp)
            }
            await show(message, in: key)
        }
        for remark in remarks { _ = timeline.append(.notice, remark.text, time: remark.time) }
        await bringDraft(in: key)
        await account.opened(key)
        if key.kind == .room { room = await account.roomState(key.address) }
        markRead()
        redraw()
    }

    // MARK: Drafts

    /// What is written and not sent stays with its conversation. A command that is written in its place is nobody's, and the
    /// draft stays what it was.
    func keepDraft() async {
        guard let key = openKey, isWriting || input.isEmpty else { return }
        let draft = isWriting ? Draft(body: input.string, time: .now) : nil
        guard draft?.body != draftKept else { return }
        draftKept = draft?.body
        _ = try? await store.write { store throws(StoreError) in
            if draft == nil, try store.conversation(key) == nil { return }
            try store.saveDraft(draft, in: store.openConversation(key))
        }
    }

    private func bringDraft(in key: ConversationKey) async {
        let draft = try? await store.read { store throws(StoreError) in
            try store.conversation(key).map { id throws(StoreError) in try store.draft(in: id) } ?? nil
        }
        draftKept = draft?.body
        // What was being written before stays with the conversation before.
        if input.isEmpty || isWriting { replaceInput(draftKept ?? "") }
    }

    /// The name under which the person knows somebody.
    func name(of peer: JID) -> String {
        if let contact = friends.contacts.first(where: { $0.address == peer.bare }) { return contact.displayName }
        return names[peer] ?? peer.description
    }

    /// Puts a message onto the screen, or shows what has become of it.
    @discardableResult
    func show(_ message: StoredMessage, in key: ConversationKey) async -> Timeline.Placement {
        var answered: StoredMessage?
        if let reply = message.text.reply {
            answered =
                (try? await store.read { store throws(StoreError) in
                    try store.message(reply, in: message.conversation)
                }) ?? nil
        }
        let entry = ConversationEntry(
            message, in: key.kind, names: names, answered: answered, note: await note(of: message))
        shown[message.id] = message
        return timeline.put(entry)
    }

    private func note(of message: StoredMessage) async -> String? {
        if let path = sentFiles[message.id] { return path }
        if let id = message.wireID, let note = fileNotes[LiveName(sender: message.sender.bare, id: id)] { return note }
        // Fetched, or sent, before the program was started.
        guard let media, !message.isRetracted, let attachment = message.text.attachments.first,
            let hash = attachment.contentHash.flatMap({ ChatStore.ContentHash($0) }),
            let path = await media.file(of: hash)
        else { return nil }
        return attachment.words + "\n" + Self.short(path)
    }

    /// What was found out about a file stands behind its message, and in the store.
    func noted(_ name: LiveName, _ file: FetchedFile) async {
        let id = account.id
        // Under its hash it is found again after a restart, whatever becomes of the file with the name.
        let isKept = (try? await media?.insert(contentsOf: file.path)) != nil
        let keys = [ConversationKey.Kind.direct, .occupant].map {
            ConversationKey(account: id, address: name.sender, kind: $0)
        }
        _ = try? await store.write { store throws(StoreError) in
            for key in keys {
                guard let conversation = try store.conversation(key),
                    let message = try store.message(.sent(id: name.id), in: conversation),
                    var attachment = message.text.attachments.first
                else { continue }
                attachment.contentHash = file.sha256
                attachment.isLocal = isKept
                attachment.mediaType = file.details.type
                attachment.size = Int64(file.details.byteCount)
                attachment.width = file.details.width ?? attachment.width
                attachment.height = file.details.height ?? attachment.height
                attachment.duration = file.details.milliseconds.map { Int64($0) } ?? attachment.duration
                try store.update(attachment, at: 0, of: message.id)
                return
            }
        }
        if let key = openKey,
            let message = shown.values.first(where: { $0.wireID == name.id && $0.sender.bare == name.sender })
        {
            await show(message, in: key)
        }
        redraw()
    }

    /// Everything up to the end was seen.
    func markRead() {
        guard let key = openKey, scrolledRows == 0,
            let last = shown.values.filter({ !$0.isOutgoing }).max(by: { $0.position < $1.position })?.id
        else { return }
        begin { chat in try? await chat.account.markRead(upTo: last, in: key) }
    }

    // MARK: Changes

    func stored(_ change: StoreChanges) async {
        if !change.conversations.isEmpty || !change.accounts.isEmpty { await loadPeople() }
        if let key = openKey {
            if openID == nil {
                openID = (try? await store.read { store throws(StoreError) in try store.conversation(key) }) ?? nil
            }
            if let id = openID, let ids = change.messages[id] { await openChanged(ids, in: key) }
        }
        let others = change.messages.filter { $0.key != openID || openKey == nil }
        if !others.isEmpty { await othersChanged(others) }
        redraw()
    }

    private func openChanged(_ ids: Set<MessageID>, in key: ConversationKey) async {
        let messages =
            (try? await store.read { store throws(StoreError) -> [MessageID: StoredMessage] in
                var messages: [MessageID: StoredMessage] = [:]
                for id in ids { messages[id] = try store.message(id) }
                return messages
            }) ?? [:]
        for id in ids.subtracting(messages.keys) where shown.removeValue(forKey: id) != nil {
            timeline.remove(ConversationEntry.id(of: id))
        }
        let oldest = shown.values.map(\.position).min()
        for message in messages.values.sorted(by: { $0.position < $1.position }) {
            let old = shown[message.id]
            // What is older than everything shown comes into sight when somebody scrolls there.
            if old == nil, let oldest, message.position < oldest, shown.count >= Self.pageSize { continue }
            let placement = await show(message, in: key)
            if case .failed(let reason) = message.state, old?.state != message.state,
                old != nil || message.id > newestAtStart
            {
                let words = DisplayWidth.truncate(TerminalText.harmless(message.words), to: 24)
                tell(localized("Not sent: “%@”. %@", words, reason.sentence))
            } else if placement == .changedOutOfSight, let old {
                tellChange(of: message, from: old, in: key)
            }
        }
        if timeline.isOutOfOrder { drawAnew() }
        markRead()
    }

    /// The line itself has scrolled away, so the change is told below.
    private func tellChange(of message: StoredMessage, from old: StoredMessage, in key: ConversationKey) {
        let author = message.author(in: key.kind, names: names)
        let words = DisplayWidth.truncate(TerminalText.harmless(old.words), to: 24)
        if message.isRetracted, !old.isRetracted {
            tell(localized("%@ has taken back “%@”", author, words))
        } else if message.text.body != old.text.body {
            tell(localized("%@ has changed “%@” to: %@", author, words, message.text.body))
        } else if message.reactions != old.reactions, let remarks = message.remarks {
            tell(localized("“%@” now has %@", words, remarks))
        }
    }

    /// News of other conversations: a line in this one, and the bell.
    private func othersChanged(_ changes: [ConversationID: Set<MessageID>]) async {
        let begin = newestAtStart
        let oldest = MessageTime.now.advanced(by: -Self.newsAge)
        let id = account.id
        typealias News = (message: StoredMessage, key: ConversationKey)
        let news =
            (try? await store.read { store throws(StoreError) -> [News] in
                var news: [News] = []
                for (conversation, messages) in changes {
                    guard let key = try store.conversation(conversation)?.key, key.account == id else { continue }
                    let read = try store.readPosition(in: conversation)
                    for id in messages where id > begin {
                        guard let message = try store.message(id), !message.isOutgoing, !message.isRetracted,
                            message.time > oldest, read.map({ $0 < message.position }) ?? true
                        else { continue }
                        news.append((message, key))
                    }
                }
                return news.sorted { $0.message.position < $1.message.position }
            }) ?? []
        for (message, key) in news where announced.insert(message.id).inserted {
            // In a room people talk to each other; only what is about this person rings elsewhere.
            if key.kind == .room {
                let nickname = await account.roomState(key.address).nickname ?? address.local ?? ""
                guard NotificationPolicy.mentions([nickname], in: message.text.body) else { continue }
            }
            let author = message.author(in: key.kind, names: names)
            let place = key.kind == .room ? "\(name(of: key.address)), \(author)" : author
            _ = timeline.append(.elsewhere(place), message.words, time: message.time.timestamp)
            screen.ring()
        }
    }

    // MARK: Scrolling

    /// Looks so many screens further up or down; older messages come from the store, and from the server when that has all.
    func scroll(pages: Int) async {
        guard openKey != nil else { return }
        let page = max(1, screen.rows - 3)
        let wanted = max(0, scrolledRows + pages * page)
        if wanted == 0 { return scrollToEnd() }
        var count = timeline.allRows(columns: screen.columns).count
        if wanted + page > count, await loadOlder() { count = timeline.allRows(columns: screen.columns).count }
        scrolledRows = max(0, min(wanted, count - page))
        if scrolledRows == 0 { return drawAnew() }
        redraw()
    }

    func scrollToEnd() {
        guard scrolledRows > 0 else { return }
        scrolledRows = 0
        drawAnew()
        markRead()
    }

    /// Puts a page of older messages in front.
    ///
    /// - Returns: whether there were any.
    private func loadOlder() async -> Bool {
        guard let key = openKey, let id = openID else { return false }
        if await loadOlderStored(id, key) { return true }
        guard case .online = link, !isLoadingOlder else { return false }
        isLoadingOlder = true
        meter = localized("asking the server for older messages…")
        redraw()
        let answer = await account.loadOlder(in: key)
        meter = nil
        isLoadingOlder = false
        return answer == .arrived ? await loadOlderStored(id, key) : false
    }

    private func loadOlderStored(_ id: ConversationID, _ key: ConversationKey) async -> Bool {
        guard let oldest = timeline.entries.first(where: { $0.position != nil })?.position else { return false }
        let older =
            (try? await store.read { store throws(StoreError) in
                try store.timeline(of: id, .before(oldest), limit: Self.pageSize)
            }) ?? []
        guard openKey == key, !older.isEmpty else { return false }
        for message in older { shown[message.id] = message }
        var entries: [ConversationEntry] = []
        for message in older {
            entries.append(ConversationEntry(message, in: key.kind, names: names, note: await note(of: message)))
        }
        guard openKey == key else { return false }
        timeline.prepend(entries)
        return true
    }
}
