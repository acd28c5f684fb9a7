internal import ChatModel
internal import ChatStore
internal import FileSharing
internal import Localization
internal import MessageFeatures
internal import Roster
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas
internal import XMPPStream

extension Chat {
    /// How often the countdown to the next connection is drawn.
    private static let countdownStep = Duration.seconds(1)

    // MARK: The account

    func happened(_ event: ChatAccountEvent) async {
        switch event {
        case .connection(let state):
            changed(state)
            if case .online(isResumed: false) = state { await wentOnline() }
        case .typing(let key): await typingChanged(in: key)
        case .room(let address):
            // In a large room these are thousands at once; the state is read and drawn a few times a second.
            if openKey?.address == address { roomChanges?.call() }
            return
        case .problem(let text): tell(CommandError.oneLine(text))
        case .presence(let contact):
            // Who was not there when the first letter was typed learns of it now.
            if let key = openKey, key.address == contact { await account.setComposing(isWriting, in: key) }
        case .requests, .blocked, .invitations: break
        }
        redraw()
    }

    /// How often the state of the open room is read and drawn.
    static let roomInterval = Duration.milliseconds(250)

    func showRoom() async {
        guard let key = openKey, key.kind == .room else { return }
        let state = await account.roomState(key.address)
        guard openKey == key, state != room else { return }
        room = state
        redraw()
    }

    func changed(_ state: ConnectionState) {
        switch state {
        case .online(let isResumed):
            if case .online = link { return }
            link = .online
            hasToldWaiting = false
            toldReason = nil
            if wasOnline {
                tell(isResumed ? localized("Online again; nothing was lost.") : localized("Online again."))
            }
            wasOnline = true
            isRegistering = false
        case .connecting: link = .connecting
        case .offline(nil, _): link = .offline(reason: nil, retryAt: nil)
        case .offline(let error?, let pause):
            // An account that is registered now was unknown a moment ago.
            if isRegistering, error.isWrongPassword { return }
            let reason = error.streamFailure?.phrase.text ?? CommandError(error).description
            // One attempt after the other fails for the same reason; once is enough.
            if reason != toldReason { tell(localized("Offline: %@", reason)) }
            toldReason = reason
            link = .offline(reason: reason, retryAt: pause.map { .now + $0 })
            states = [:]
            if pause != nil { begin { await $0.countDown() } }
        }
    }

    /// A new session knows who there is.
    private func wentOnline() async {
        guard let roster = live.roster else { return }
        friends.update(await roster.contacts)
        await loadPeople()
        for address in await roster.requests where !requests.contains(address) {
            requests.append(address)
            tellRequest(address, text: nil)
        }
        if let companion {
            self.companion = nil
            _ = try? await roster.add(companion, name: companion.local)
        }
    }

    private func typingChanged(in key: ConversationKey) async {
        let writers = await account.typing[key] ?? [:]
        states[key.address] = writers.values.contains(.composing) ? .composing : writers.values.first
    }

    private func countDown() async {
        while case .offline(_, let retryAt?) = link, retryAt > .now, !Task.isCancelled {
            redraw()
            try? await Task.sleep(for: Self.countdownStep)
        }
    }

    // MARK: The session

    func received(_ event: LiveSession.Event) async {
        switch event {
        case .contacts(let batch): await changed(batch)
        case .messages(let batch):
            for case .message(let message) in batch { await received(message) }
            redraw()
        }
    }

    /// Texts come from the store; files are fetched as they come.
    private func received(_ message: Message) async {
        guard let sender = message.from, message.type != .groupchat, sender.bare != address else { return }
        guard case .file(let offer) = IncomingContent(message) else { return }
        let name = message.id.map { LiveName(sender: sender.bare, id: $0) }
        let key = ConversationKey(account: account.id, address: sender.bare, kind: .direct)
        let isFamiliar = try? await store.read { store throws(StoreError) in try store.downloadsUnasked(in: key) }
        if waitingOffers.count >= Self.offerLimit { waitingOffers.removeFirst() }
        guard isFamiliar == true else {
            waitingOffers.append((offer, sender, name))
            return tell(
                self.name(of: sender.bare) + ": "
                    + localized("[%@] from somebody who is no friend; /get fetches it.", offer.kind.label))
        }
        let size = offer.metadata.size.map { Int64(clamping: $0) } ?? Int64(FetchedFile.sizeLimit)
        guard runningFetches < Self.fetchLimit, let unasked = budget.begin(sender.bare, bytes: size, now: .now) else {
            waitingOffers.append((offer, sender, name))
            return tell(
                self.name(of: sender.bare) + ": "
                    + localized("[%@] is one too many to fetch without a question; /get fetches it.", offer.kind.label))
        }
        fetch(offer, from: sender.bare, name: name, unasked: unasked)
    }

    /// How many offers wait for `/get`; the oldest is forgotten first.
    private static let offerLimit = 100
    /// How many files are fetched at a time without a question.
    private static let fetchLimit = 4

    func changed(_ batch: [RosterEvent]) async {
        guard let roster = live.roster else { return }
        let before = friends.contacts
        friends.update(await roster.contacts)
        for event in batch {
            switch event {
            case .request(let address, let text):
                if requests.contains(address) { continue }
                requests.append(address)
                tellRequest(address, text: text)
                screen.ring()
            case .approved(let address): tell(localized("%@ has accepted you.", address))
            case .refused(let address): tell(localized("%@ has refused you.", address))
            case .unsubscribed(let address): tell(localized("%@ has removed you.", address))
            case .changed(let contact): announce(contact, before: before.first { $0.address == contact.address })
            // The account tells of requests that are not shown.
            case .removed, .populating, .item, .populated, .requestsOmitted: break
            }
        }
        redraw()
    }

    /// The friend one talks with came or went.
    private func announce(_ contact: RosterContact, before: RosterContact?) {
        guard wasOnline, openKey?.address == contact.address, let before, before.section != contact.section else {
            return
        }
        if contact.section == .offline { states[contact.address] = nil }
        tell("\(contact.displayName): \(ContactLine.state(contact))")
    }

    func tellRequest(_ address: JID, text: String?) {
        let words = text.flatMap { $0.isEmpty ? nil : " “\($0)”" } ?? ""
        tell(localized("%@ wants to add you.%@ /accept or /reject", address, words))
    }
}
