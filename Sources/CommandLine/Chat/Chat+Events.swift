internal import FileSharing
internal import MessageFeatures
internal import Roster
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

extension Chat {
    /// How often the countdown to the next connection is drawn.
    private static let countdownStep = Duration.seconds(1)

    func received(_ batch: [SessionEvent]) {
        for event in batch {
            switch event {
            case .message(let message): received(message)
            case .connection(let event): changed(event)
            default: break
            }
        }
        redraw()
    }

    private func received(_ message: Message) {
        guard let sender = message.from, message.type != .groupchat else { return }
        let address = sender.bare
        if let state = message.chatState {
            states[address] = state
            tellsStates[address] = true
        } else if message.isMessageWithBody, !message.isError {
            states[address] = .active
            tellsStates[address] = false
        }
        let isOpen = view == .conversation(address)
        let contact = friends.contacts.first { $0.address == address }
        // A name that is not on the list is whatever the sender likes; the address is not.
        var name = contact?.displayName ?? address.description
        switch IncomingContent(message) {
        case .text(let text):
            if isOpen {
                _ = timeline.append(.contact(name), text, time: message.moment)
            } else {
                _ = timeline.append(.elsewhere(name), text, time: message.moment)
                friends.unread[address, default: 0] += 1
                screen.ring()
            }
        case .file(let offer):
            if !isOpen {
                friends.unread[address, default: 0] += 1
                name = "→ " + name
            }
            if contact != nil || isOpen {
                receive(offer, from: name, time: message.moment)
            } else {
                waitingOffers.append((offer, sender))
                let text = localized("[%@] from somebody who is no friend; /get fetches it.", offer.kind.label)
                _ = timeline.append(.elsewhere(name), text, time: message.moment)
            }
        case .unusableFile(let reason): _ = timeline.append(.contact(name), reason, time: message.moment)
        case .nothing: break
        }
    }

    func changed(_ batch: [RosterEvent]) async {
        let before = friends.contacts
        friends.update(await roster.contacts)
        for event in batch {
            switch event {
            case .request(let address, let text):
                if !requests.contains(address) { requests.append(address) }
                tellRequest(address, text: text)
                screen.ring()
            case .approved(let address): tell(localized("%@ has accepted you.", address))
            case .refused(let address): tell(localized("%@ has refused you.", address))
            case .unsubscribed(let address): tell(localized("%@ has removed you.", address))
            case .changed(let contact): announce(contact, before: before.first { $0.address == contact.address })
            case .removed, .populating, .item, .populated: break
            }
        }
        redraw()
    }

    /// The friend one talks with came or went.
    private func announce(_ contact: Contact, before: Contact?) {
        guard view == .conversation(contact.address), let before, before.section != contact.section else { return }
        if contact.section == .offline { states[contact.address] = nil }
        tell("\(contact.displayName): \(ContactLine.state(contact))")
    }

    func tellRequest(_ address: JID, text: String?) {
        let words = text.flatMap { $0.isEmpty ? nil : " “\($0)”" } ?? ""
        tell(localized("%@ wants to add you.%@ /accept or /reject", address, words))
    }

    private func changed(_ event: ConnectionEvent) {
        switch event {
        case .willConnect: if case .offline = link { link = .connecting }
        case .online(_, let isResumed):
            if case .online = link { return }
            link = .online
            tell(isResumed ? localized("Online again; nothing was lost.") : localized("Online again."))
        case .disconnected(let error?, let pause):
            let reason = CommandError(error).description
            if case .online = link { tell(localized("Offline: %@", reason)) }
            link = .offline(reason: reason, retryAt: pause.map { .now + $0 })
            if pause != nil { begin { await $0.countDown() } }
        default: break
        }
    }

    private func countDown() async {
        while case .offline(_, let retryAt?) = link, retryAt > .now, !Task.isCancelled {
            redraw()
            try? await Task.sleep(for: Self.countdownStep)
        }
    }
}
