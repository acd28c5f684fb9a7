internal import Foundation
internal import MessageSemantics
internal import Synchronization
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// Group chat (XEP-0045 Multi-User Chat).
///
/// Rooms are joined again after a lost session, and checked at intervals with a self-ping (XEP-0410 MUC Self-Ping
/// (Schrödinger's Chat)), because a room can lose its occupants without notice.
///
///     let room = try await session[GroupChat.self]?.enter(address, nickname: "thirdwitch")
///     try await room?.send("Harpier cries: 'tis time, 'tis time.")
public final class GroupChat: PeerDirectory, StanzaInterceptor {
    /// Called with each message of a room, unparsed, before observers of the session see it.
    public typealias MessageObserver = @Sendable (Room, Message) async -> Void

    private enum Job {
        case inspect(Room)
        case check(Room)
        case announce
    }

    let session: Session
    private let policy: GroupChatPolicy
    private let table = Mutex<[JID: Room]>([:])
    private let onMessage: MessageObserver?
    /// The occupancies of this account in its rooms, which `MessageReader` of MessageSemantics needs to interpret their
    /// messages.
    public let occupancies: RoomOccupancies
    /// No other component reports presences to `occupancies`.
    private let reportsPresences: Bool
    private let channel = EventChannel<GroupChatEvent>()
    private let everywhere = EventChannel<RoomNotice>()
    private let jobs = AsyncStream.makeStream(of: Job.self)

    /// - Parameters:
    ///   - occupancies: the occupancies of the account, if a store reports the presences of rooms to them before the
    ///     extensions of this session see them; by default the session has its own.
    ///   - onMessage: Called with each message of a joined room in order, including private messages and retractions by
    ///     moderators. Reading pauses and the server gets no acknowledgement until it returns, so that a message is not
    ///     lost if the process ends before it is stored.
    public init(
        _ session: Session, policy: GroupChatPolicy = GroupChatPolicy(), occupancies: RoomOccupancies? = nil,
        onMessage: MessageObserver? = nil
    ) {
        self.session = session
        self.policy = policy
        self.occupancies = occupancies ?? RoomOccupancies()
        reportsPresences = occupancies == nil
        self.onMessage = onMessage
    }

    public var features: [String] { [RoomNames.entrance, DirectInvitation.name.namespace] }
    public var interceptors: [any StanzaInterceptor] { [self] }

    /// Invitations and other events outside of rooms, from now on.
    public func events() -> AsyncStream<GroupChatEvent> { channel.stream() }

    /// The events of all rooms from now on, including those joined by bookmarks.
    public func roomNotices() -> AsyncStream<RoomNotice> { everywhere.stream() }

    // MARK: Rooms

    /// The rooms that this session has joined or tried to join.
    public var rooms: [Room] { table.withLock { Array($0.values) } }

    /// The room with that address, if this session has joined it or tried to.
    public func room(_ address: JID) -> Room? { table.withLock { $0[address.bare] } }

    /// Joins a room and returns when joining is complete and ``Room/occupants`` contains all occupants. In a joined
    /// room this changes the nickname.
    ///
    /// - Throws: ``GroupChatError`` with `nicknameTaken`, `passwordRequired`, `membersOnly`, `banned`, `full` …
    @discardableResult
    public func enter(_ address: JID, _ visit: RoomVisit) async throws(GroupChatError) -> Room {
        let room = known(address.bare)
        try await room.enter(visit)
        return room
    }

    /// Joins a room with that nickname.
    ///
    /// - Parameter history: how much history the room should send; `nil` leaves it to the room.
    @discardableResult
    public func enter(
        _ address: JID, nickname: String, password: String? = nil, history: RoomEntrance.History? = nil
    ) async throws(GroupChatError) -> Room {
        try await enter(address, RoomVisit(nickname: nickname, password: password, history: history))
    }

    private func known(_ address: JID) -> Room {
        table.withLock { table in
            if let room = table[address] { return room }
            let jobs = jobs.continuation
            let room = Room(
                address, session: session, policy: policy, occupancies: occupancies, everywhere: everywhere,
                onMessage: onMessage
            ) { [weak self] in
                if let room = self?.room(address) { jobs.yield(.check(room)) }
            }
            table[address] = room
            return room
        }
    }

    /// Declines an invitation that was sent through a room (XEP-0045 §7.8.2).
    public func decline(_ invitation: RoomInvitation, reason: String? = nil) async throws(GroupChatError) {
        guard invitation.isMediated, let inviter = invitation.inviter else { return }
        var message = Message(to: invitation.room)
        message.append(RoomUser(refusal: MediatedInvitation(to: inviter, reason: reason)))
        do throws(ClientError) {
            try await session.send(message)
        } catch {
            throw GroupChatError(error)
        }
    }

    // MARK: Occupants

    /// All occupants of a room see the presence that was sent to it (XEP-0045 §7.2).
    public nonisolated(nonsending) func maySeePresence(_ peer: JID) async -> Bool {
        await room(peer)?.isInside ?? false
    }

    /// A room's presences of its occupants are accepted from the join request until it is left.
    public nonisolated(nonsending) func follows(_ peer: JID) async -> Bool { await room(peer)?.isOutside == false }

    // MARK: Session events

    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        for room in rooms {
            if isResumed {
                // The room may have removed this account meanwhile: what it sent to a hanging connection was returned
                // as errors.
                jobs.continuation.yield(.check(room))
            } else {
                await room.sessionLost()
                jobs.continuation.yield(.inspect(room))
            }
        }
    }

    public func run(in session: Session) async {
        await withDiscardingTaskGroup { group in
            group.addTask { await self.inspectRegularly() }
            for await job in jobs.stream { group.addTask { await self.perform(job) } }
            group.cancelAll()
        }
    }

    public func sessionEnded(_ session: Session) async {
        for room in rooms { await room.sessionEnded() }
        table.withLock { $0 = [:] }
        channel.finish()
        everywhere.finish()
        jobs.continuation.finish()
    }

    private func inspectRegularly() async {
        while (try? await Task.sleep(for: policy.inspectionInterval)) != nil {
            guard await session.isOnline else { continue }
            for room in rooms { jobs.continuation.yield(.inspect(room)) }
        }
    }

    private func perform(_ job: Job) async {
        switch job {
        case .inspect(let room): await room.inspect()
        case .check(let room): await room.checkMembership()
        case .announce: for room in rooms { await room.ownPresenceChanged() }
        }
    }

    // MARK: Stanzas

    public func concerns(received stanza: AnyStanza) -> Bool { if case .iq = stanza { false } else { true } }
    public func concerns(sent stanza: AnyStanza) -> Bool {
        guard case .presence(let presence) = stanza else { return false }
        return presence.isBroadcast && presence.type == .available
    }

    /// Passes stanzas to their rooms, in the order of the stream.
    public nonisolated(nonsending) func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        switch stanza {
        case .presence(let presence):
            guard let sender = presence.from, let room = room(sender) else { break }
            if reportsPresences { occupancies.presenceReceived(presence, at: .now) }
            await room.presenceReceived(presence)
        case .message(let message):
            guard let sender = message.from else { break }
            let room = room(sender)
            if let room { await room.messageReceived(message) }
            if let event = GroupChatEvent(message, isFromOccupant: room != nil) { channel.post(event) }
        case .iq: break
        }
        return .pass(stanza)
    }

    /// Broadcast presence does not reach rooms (XEP-0045 §7.7), so it is sent to each of them.
    public nonisolated(nonsending) func willSend(_ stanza: AnyStanza, in session: Session) async -> Interception {
        if case .presence(let presence) = stanza, presence.isBroadcast, presence.type == .available {
            jobs.continuation.yield(.announce)
        }
        return .pass(stanza)
    }
}

extension GroupChatEvent {
    /// The invitation in a message. The room itself sends from its bare address; the same element from an occupant is
    /// ignored.
    init?(_ message: Message, isFromOccupant: Bool) {
        guard !message.isError, message.type != .groupchat, let sender = message.from else { return nil }
        if sender.isBare, let user = (try? message.payload(RoomUser.self)) ?? nil {
            if let invitation = user.invitations.first {
                self = .invitation(
                    RoomInvitation(
                        room: sender, inviter: invitation.from, password: user.password, reason: invitation.reason,
                        isMediated: true, thread: invitation.thread))
                return
            }
            if let refusal = user.refusal {
                self = .invitationDeclined(room: sender, by: refusal.from, reason: refusal.reason)
                return
            }
        }
        guard let invitation = (try? message.payload(DirectInvitation.self)) ?? nil else { return nil }
        self = .invitation(
            RoomInvitation(
                room: invitation.room, inviter: isFromOccupant ? sender : sender.bare, password: invitation.password,
                reason: invitation.reason, isMediated: false, thread: invitation.thread))
    }
}

extension MessageTime {
    fileprivate static var now: MessageTime {
        MessageTime(millisecondsSince1970: Int64(Date().timeIntervalSince1970 * 1000))
    }
}
