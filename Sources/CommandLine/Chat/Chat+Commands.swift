internal import FileSharing
internal import MessageFeatures
internal import Roster
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

extension Chat {
    func perform(_ command: ChatCommand) async {
        switch command {
        case .message(let text): await send(text)
        case .picture(let file): sendPicture(file)
        case .voice(let file?): sendVoice(file)
        case .voice(nil): await beginRecording()
        case .play(let file): play(file)
        case .get: fetchWaiting()
        case .status(let show, let text): await appear(show, text)
        case .add(let address, let name): await add(address, name: name)
        case .accept(let text): await answer(text, accepting: true)
        case .reject(let text): await answer(text, accepting: false)
        case .remove(let text): askRemoval(text)
        case .open(let text): open(named: text)
        case .help: help()
        case .quit: isLeaving = true
        case .unknown(let name): tell(localized("There is no command %@; /help lists them.", name))
        case .incomplete(let usage): tell(localized("Say %@.", usage))
        }
    }

    private func send(_ text: String) async {
        guard case .conversation(let peer) = view else { return }
        // On the screen first; what becomes of it shows behind it.
        let entry = timeline.append(.me, text, delivery: .sending)
        var message = Message.chat(to: peer, body: text)
        if tellsStates[peer.bare] != false { message.payloads.append(ChatState.active) }
        myState = .active
        redraw()
        do {
            follow(try await session.send(message), entry: entry)
        } catch {
            failed(entry, error)
        }
    }

    /// Lets the mark behind an entry follow the word of the server and of the other side.
    func follow(_ token: SendToken, entry: String) {
        begin { chat in
            for await change in token.changes {
                switch change {
                case .reached(.acknowledged): await chat.mark(entry, .onServer)
                case .reached(.delivered), .reached(.displayed): await chat.mark(entry, .delivered)
                case .reached: break
                case .failed(let error): await chat.failed(entry, error)
                }
            }
        }
    }

    func mark(_ entry: String, _ delivery: ConversationEntry.Delivery?) {
        if timeline.change(entry, { $0.delivery = delivery }) { redraw() }
    }

    func failed(_ entry: String, _ error: any Error) {
        let reason = CommandError(error).description
        var text = ""
        timeline.change(entry) {
            text = $0.text
            $0.delivery = .failed(reason)
        }
        // The first words say which one, as the line itself may have scrolled away.
        tell(localized("Not sent: “%@”. %@", DisplayWidth.truncate(TerminalText.harmless(text), to: 24), reason))
        redraw()
    }

    private func appear(_ show: String, _ text: String?) async {
        presence = Presence(show: AvailabilityOptions.shows[show] ?? nil, status: text)
        do {
            try await session.send(presence)
            let state = presence.show.map(Self.word) ?? localized("online")
            tell(localized("Friends see you as: %@", state + (text.map { ": " + $0 } ?? "")))
        } catch {
            tell(CommandError(error).description)
        }
    }

    private func add(_ text: String, name: String?) async {
        do {
            let address = try ContactAddress.parse(text, account: account).bare
            switch try await roster.add(address, name: name) {
            case .requested: tell(localized("Asked %@; the answer will show here.", address))
            case .alreadyContact: tell(localized("%@ is already a friend; nothing was sent.", address))
            }
        } catch {
            tell(CommandError(error).description)
        }
    }

    private func answer(_ text: String?, accepting: Bool) async {
        do {
            let address = try text.map { try ContactAddress.parse($0, account: account).bare } ?? requests.last
            guard let address, requests.contains(address) else {
                return tell(
                    text == nil
                        ? localized("Nobody has asked.")
                        : localized("%@ has not asked; there is nothing to answer.", text ?? ""))
            }
            if accepting { try await roster.accept(address) } else { try await roster.reject(address) }
            requests.removeAll { $0 == address }
            tell(accepting ? localized("%@ is accepted.", address) : localized("%@ is refused.", address))
        } catch {
            tell(CommandError(error).description)
        }
    }

    private func askRemoval(_ text: String?) {
        do {
            var address: JID?
            if let text {
                address = try friends.find(text)?.address ?? ContactAddress.parse(text, account: account).bare
            } else if case .conversation(let peer) = view {
                address = peer.bare
            }
            guard let address else { return tell(localized("Say %@.", "/remove ADDRESS")) }
            guard friends.contacts.contains(where: { $0.address == address }) else {
                return tell(localized("%@ is not on the list of friends; nothing was sent.", address))
            }
            question = Question(prompt: localized("Remove %@ (yes/no)? ", address)) { await $0.remove(address) }
        } catch {
            tell(CommandError(error).description)
        }
    }

    private func remove(_ address: JID) async {
        do {
            try await roster.remove(address)
            tell(localized("%@ is removed.", address))
        } catch {
            tell(CommandError(error).description)
        }
    }

    private func open(named text: String?) {
        guard let text else {
            view = .friends
            return
        }
        if let contact = friends.find(text) { return open(contact.address) }
        do {
            open(try ContactAddress.parse(text, account: account).bare)
        } catch {
            tell(CommandError(error).description)
        }
    }

    private func help() {
        for command in ChatCommand.all {
            let left = command.name + (command.argument.isEmpty ? "" : " " + command.argument)
            tell(left + ": " + localized(command.help))
        }
        tell(localized("Tab completes commands and file names; a message that begins with / is written with //."))
    }
}
