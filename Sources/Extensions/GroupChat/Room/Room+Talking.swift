internal import EntityInformation
internal import MessageFeatures
internal import XMPPAddress
public import XMPPClient
public import XMPPStanzas

extension Room {
    /// Says something to everybody.
    ///
    /// - Returns: A token that becomes `delivered` when the room has sent the message back to me, and fails when it refuses it.
    @discardableResult
    public func send(_ body: String) async throws(GroupChatError) -> SendToken {
        try await send(Message(type: .groupchat, body: body))
    }

    /// Sends a message to everybody; its receiver and its type are set here.
    @discardableResult
    public func send(_ message: Message) async throws(GroupChatError) -> SendToken {
        guard isInside else { throw .notInside }
        var message = message
        message.to = address
        message.type = .groupchat
        let id: String
        if let given = message.id { id = given } else { id = await session.makeID() }
        message.id = id
        // Some rooms give their own id to what they send; this one stays.
        if !message.payloads.contains(OriginIdentifier.name) { message.append(OriginIdentifier(id)) }
        sentIDs.remember(id)
        return try await give(message)
    }

    /// Says something to one occupant alone (XEP-0045 §7.5).
    @discardableResult
    public func send(_ body: String, privatelyTo nickname: String) async throws(GroupChatError) -> SendToken {
        var message = Message.chat(to: try address(of: nickname), body: body)
        guard isInside else { throw .notInside }
        message.append(RoomUser())
        return try await give(message)
    }

    /// Sets what the room is about; an empty text takes it away (XEP-0045 §8.1).
    @discardableResult
    public func changeSubject(to text: String) async throws(GroupChatError) -> SendToken {
        var message = Message(type: .groupchat)
        message.subject = text
        return try await send(message)
    }

    private func give(_ message: Message) async throws(GroupChatError) -> SendToken {
        do throws(ClientError) {
            return try await session.send(message)
        } catch {
            throw GroupChatError(error)
        }
    }

    func ping(_ receiver: JID) async throws(ClientError) {
        _ = try await session.request(Ping(), to: receiver)
    }
}

// MARK: - What is said

extension Room {
    /// Hands a message over unread. Only what is about the room itself, and about what this session has sent, is taken from it.
    func messageReceived(_ message: Message) async {
        guard let sender = message.from else { return }
        if message.isError { return await refused(message, from: sender) }
        lastSign = .now
        guard isInside else { return }
        switch message.type {
        case .groupchat:
            if sender.isBare, let user = (try? message.payload(RoomUser.self)) ?? nil, !user.statuses.isEmpty {
                post(.configurationChanged(user.statuses))
            }
            if let subject = message.subject, !message.isMessageWithBody {
                subjectReceived(RoomSubject(text: subject, nickname: sender.resource))
            }
            if sender.resource == nickname { await cameBack(message) }
            await onMessage?(self, message)
            post(.message(message))
        case .chat, .normal:
            guard !sender.isBare, message.isMessageWithBody else { return }
            await onMessage?(self, message)
            post(.privateMessage(message))
        case .headline, .error: break
        }
    }

    /// What I sent came back: the room has it, and everybody gets it.
    private func cameBack(_ message: Message) async {
        let origin = (try? message.payload(OriginIdentifier.self)) ?? nil
        guard let id = [message.id, origin?.id].compactMap({ $0 }).first(where: { sentIDs.contains($0) }) else {
            return
        }
        await token(id)?.advance(to: .delivered)
    }

    private func refused(_ message: Message, from sender: JID) async {
        guard let error = message.error, let id = message.id, let token = await token(id),
            case .message(let sent) = token.stanza, sent.to == sender || sent.to?.bare == sender
        else { return }
        token.fail(ClientError(.refused, error.description, cause: error))
        // What a room says to somebody whom it does not know (XEP-0045 §7.4).
        if sender.isBare, error.condition == .notAcceptable { membershipDoubted() }
    }

    private func token(_ id: String) async -> SendToken? {
        guard let token = await session.token(stanzaID: id), case .message(let sent) = token.stanza,
            sent.to?.bare == address
        else { return nil }
        return token
    }
}
