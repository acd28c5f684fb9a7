internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Localization
internal import MessageFeatures
internal import Observation
internal import XMPPAddress
internal import XMPPClient

/// Shows the changes of the models on the screen.
extension TerminalChat {
    // MARK: Observing

    /// Waits for the next change of anything that is drawn.
    func watch() {
        withObservationTracking {
            _ = conversations.rows.elements
            _ = (contactList.rows.elements, contactList.requests.elements, contactList.invitations.elements)
            _ = (playback.isPlaying, playback.position, playback.problem)
            guard let conversation else { return }
            let timeline = conversation.timeline
            _ = (timeline.items.elements, timeline.writing, timeline.olderMessages, timeline.problem)
            _ = conversation.messages.map { conversation.files.lines(of: $0) }
            _ = conversation.encryption.forecast
            guard let voice = conversation.voice else { return }
            _ = (voice.phase, voice.duration, voice.problem)
        } onChange: { [weak self] in
            Task { @MainActor [weak self] in self?.modelsChanged() }
        }
    }

    /// Merges all changes within ``frame`` into one update.
    func modelsChanged() {
        guard !isUpdatePending else { return }
        isUpdatePending = true
        Task { [weak self] in
            try? await Task.sleep(for: Self.frame)
            guard let self else { return }
            isUpdatePending = false
            watch()
            update()
        }
    }

    /// Reads the models and draws them.
    func update() {
        showLists()
        showVoice()
        showConversation()
        showEncryption()
        draw()
    }

    // MARK: Lists

    func showLists() {
        let before = contacts.contacts
        contacts.show(
            contactList.rows.elements, conversations.rows.elements, of: account.id, own: account.address)
        removed.formIntersection(before.map(\.address))
        let open = connection.isSettled ? conversation?.key.address : nil
        for line in ContactNews.lines(from: before, to: contacts.contacts, removed: removed, open: open) {
            showNotice(line)
        }
        for request in contactList.requests.elements where request.id.account == account.id {
            guard shownRequests.insert(request.address).inserted else { continue }
            let words = request.text.flatMap { $0.isEmpty ? nil : " “\(TextFolding.folded($0))”" } ?? ""
            showNotice(localized("%@ wants to add you.%@ /accept or /reject", request.address, words))
            if !request.isRepeated { screen.ring() }
        }
        shownRequests.formIntersection(contactList.requests.elements.map(\.address))
        for invitation in contactList.invitations.elements where invitation.id.account == account.id {
            guard shownInvitations.insert(invitation.id.room).inserted else { continue }
            showNotice(
                localized(
                    "%@ invites you to the room %@. /join %@ joins it.", invitation.inviterName ?? "?",
                    invitation.roomName, invitation.id.room))
            screen.ring()
        }
        shownInvitations.formIntersection(contactList.invitations.elements.map(\.id.room))
    }

    /// The title of a conversation; for a stranger the address, because its sender cannot choose it to look like the
    /// name of a contact.
    func name(of key: ConversationKey) -> String {
        if key.kind == .direct { return contacts.contact(key.address)?.name ?? key.address.description }
        return conversations.all[key]?.title ?? key.address.description
    }

    // MARK: The open conversation

    func showConversation() {
        guard let conversation else { return }
        let before = Dictionary(
            transcript.messages.map { ($0.id, $0) }, uniquingKeysWith: { first, _ in first })
        let isContact = conversation.key.kind == .direct && contacts.contact(conversation.key.address) != nil
        let changed = transcript.show(
            conversation.entries(name: name(of: conversation.key), fetches: isContact), conversation.messages)
        for message in conversation.messages {
            let old = before[message.id]
            if let reason = conversation.failures.reason(of: message.id, message.state, from: old?.state) {
                showNotice(localized("Not sent: “%@” (%@)", short(message.summary), reason.message))
                continue
            }
            guard let old else { continue }
            let isOutOfSight = changed.contains(.item(.message(message.id)))
            if let line = change(of: message, from: old, isOutOfSight: isOutOfSight) { showNotice(line) }
        }
        conversation.markRead()
    }

    /// The line about a change of a message that is not visible because its line was scrolled away.
    private func change(of message: TimelineMessage, from old: TimelineMessage, isOutOfSight: Bool) -> String? {
        guard isOutOfSight else { return nil }
        let author = TerminalText.harmless(message.senderName)
        let words = short(old.summary)
        if message.isOutgoing, message.isRetracted, !old.isRetracted { return localized("“%@” was retracted.", words) }
        if message.isOutgoing, message.text.body != old.text.body {
            return localized("“%@” is now: %@", words, TextFolding.folded(message.text.body))
        }
        if message.isRetracted, !old.isRetracted { return localized("%@ has retracted “%@”", author, words) }
        if message.text.body != old.text.body {
            return localized("%@ has changed “%@” to: %@", author, words, TextFolding.folded(message.text.body))
        }
        if message.reactions != old.reactions, let remarks = message.remarks {
            return localized("“%@” now has %@", words, remarks)
        }
        guard let files = conversation?.files, message.text.attachments != old.text.attachments else { return nil }
        return files.lines(of: message).joined(separator: "\n")
    }

    func short(_ text: String) -> String { DisplayWidth.truncate(TerminalText.harmless(text), to: 24) }

    // MARK: News of other conversations

    /// Shows a line, and rings the bell, for each notification of ChatModel's rules.
    func newsFeed() -> NotificationFeed {
        let feed = NotificationFeed(
            store: account.store, preferences: preferences, environment: environment,
            isQuiet: { [weak self] in self?.presence.show == .doNotDisturb },
            isInFront: { [weak self] in self?.conversation?.key == $0 })
        feed.announce = { [weak self] notification, key in self?.announce(notification, in: key) }
        return feed
    }

    private func announce(_ news: MessageNotification, in key: ConversationKey) {
        guard key.account == account.id else { return }
        let place = [name(of: key), news.senderName].compactMap { $0 }.joined(separator: ", ")
        let words = news.preview?.plainText ?? localized("New message")
        transcript.append(.elsewhere(place), words, time: environment.now())
        screen.ring()
        modelsChanged()
    }

    // MARK: The account

    func happened(_ event: ChatAccountEvent) {
        switch event {
        case .connection(let state): changed(state)
        case .problem(let problem): showNotice(TerminalText.harmless(Wording.problem(problem)))
        case .answer(let answer, let address):
            showNotice(TerminalText.harmless(Wording.answer(answer, of: address.description)))
        // Other events change the models.
        case .presence, .requests, .blocked, .invitations, .typing, .room, .encryption: return
        }
        modelsChanged()
    }

    func changed(_ state: ConnectionState) {
        if let line = connection.changed(state, describe: describe) { showNotice(line) }
        if connection.retryTime != nil { begin { await $0.countDown() } }
        guard connection.isOnline, let companion else { return }
        self.companion = nil
        begin { _ = try? await $0.account.contacts.add(companion, name: companion.local) }
    }

    /// How often the countdown to the next connection is drawn.
    private static let countdownStep = Duration.seconds(1)

    private func countDown() async {
        let end = connection.retryTime
        while let time = connection.retryTime, time == end, time > .now {
            draw()
            guard (try? await Task.sleep(for: Self.countdownStep)) != nil else { return }
        }
    }
}
