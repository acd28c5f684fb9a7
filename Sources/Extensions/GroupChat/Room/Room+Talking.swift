internal import EntityInformation
internal import MessageFeatures
internal import Waiting
internal import XMPPAddress
public import XMPPClient
public import XMPPStanzas

extension Room {
    /// Sends a message to everybody.
    ///
    /// - Returns: a token that becomes `delivered` when the room has reflected the message, and fails when it rejects
    ///   it.
    @discardableResult
    public func send(_ body: String) async throws(GroupChatError) -> SendToken {
        try await send(Message(type: .groupchat, body: body))
    }

    /// Sends a message to everybody; its recipient and its type are set here.
    @discardableResult
    public func send(_ message: Message) async throws(GroupChatError) -> SendToken {
        guard isInside else { throw .notInside }
        var message = message
        message.to = address
        message.type = .groupchat
        let id: String
        if let given = message.id { id = given } else { id = await session.makeID() }
        message.id = id
        // Some rooms replace the `id` of messages; the origin-id stays.
        if !message.payloads.contains(OriginIdentifier.name) { message.append(OriginIdentifier(id)) }
        sentIDs.remember(id)
        return try await give(message)
    }

    /// Sends a private message to one occupant (XEP-0045 §7.5).
    @discardableResult
    public func send(_ body: String, privatelyTo nickname: String) async throws(GroupChatError) -> SendToken {
        var message = Message.chat(to: try address(of: nickname), body: body)
        guard isInside else { throw .notInside }
        message.append(RoomUser())
        return try await give(message)
    }

    /// Changes the subject; empty text removes it (XEP-0045 §8.1).
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

// MARK: - Messages

extension Room {
    /// Forwards a message unparsed, after handling what concerns the room itself and this session's own messages.
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
            if sender.isBare, own?.role == .moderator, let request = VoiceRequest(message) {
                post(.voiceRequested(request))
            }
            guard !sender.isBare, message.isMessageWithBody else { return }
            await onMessage?(self, message)
            post(.privateMessage(message))
        case .headline, .error: break
        }
    }

    /// Our own message was reflected: the room has distributed it.
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
        // A room's response to a sender that is not an occupant (XEP-0045 §7.4).
        if sender.isBare, error.condition == .notAcceptable { membershipDoubted() }
    }

    private func token(_ id: String) async -> SendToken? {
        guard let token = await session.token(stanzaID: id), case .message(let sent) = token.stanza,
            sent.to?.bare == address
        else { return nil }
        return token
    }
}

/// The result of a request to a room, for which one task waits.
final class RoomAnswer: Sendable {
    enum Request: Sendable {
        case entrance, nickname, departure
    }

    let request: Request
    private let promise = Promise<Result<Void, GroupChatError>>()

    init(_ request: Request) {
        self.request = request
    }

    /// The first result counts.
    func fill(_ result: Result<Void, GroupChatError>) { promise.fulfil(result) }

    /// Returns when the request is granted; throws `cancelled` as soon as the task is.
    func wait() async throws(GroupChatError) {
        try await promise.value(cancelled: .failure(.cancelled)).get()
    }
}

/// The ids of the last messages sent, to recognise their reflections.
struct RecentIdentifiers: Sendable {
    /// The maximum number of unreflected messages per room.
    static let limit = 256

    private var order: [String] = []
    private var known: Set<String> = []

    mutating func remember(_ id: String) {
        guard known.insert(id).inserted else { return }
        order.append(id)
        if order.count > Self.limit { known.remove(order.removeFirst()) }
    }

    func contains(_ id: String) -> Bool { known.contains(id) }
}

/// The meaning of the response to a self-ping (XEP-0410 MUC Self-Ping (Schrödinger's Chat) §3.2).
enum SelfPingVerdict: Equatable, Sendable {
    case inside
    case outside
    /// Undecided.
    case unknown

    /// - Parameter failure: `nil` for a result.
    init(_ failure: ClientError?) {
        guard let failure else {
            self = .inside
            return
        }
        switch failure.stanzaError?.condition {
        case nil: self = .unknown
        // Another client of this account does not support pings, but it is in the room.
        case .serviceUnavailable?, .featureNotImplemented?: self = .inside
        // The nickname was just changed.
        case .itemNotFound?: self = .inside
        case .remoteServerNotFound?, .remoteServerTimeout?: self = .unknown
        case _?: self = .outside
        }
    }
}
