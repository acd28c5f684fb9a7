internal import ServiceDiscovery
public import XMPPAddress
internal import XMPPClient
public import XMPPStanzas

/// A room during a session.
///
/// It follows the stream: occupants and subject are up to date before an observer of the session sees the stanza that
/// changed them. Only stanzas from the room's own address are trusted.
public final actor Room {
    public nonisolated let address: JID
    nonisolated let session: Session
    private nonisolated let channel = EventChannel<RoomEvent>()
    /// The notices for the program about all rooms.
    private let everywhere: EventChannel<RoomNotice>
    let onMessage: GroupChat.MessageObserver?
    private nonisolated let occupancies: RoomOccupancies
    private let policy: GroupChatPolicy
    /// Requests a self-ping.
    private let suspect: @Sendable () -> Void
    private var answers: [RoomAnswer] = []
    private var wasCreated = false
    private var hasBeenInside = false
    /// When the room last sent something.
    var lastSign = ContinuousClock.now
    var sentIDs = RecentIdentifiers()

    /// How this account joins the room; `nil` if it does not want to be in it, or may not.
    public private(set) var visit: RoomVisit?
    /// The last service discovery information.
    public private(set) var information: RoomInformation?

    init(
        _ address: JID, session: Session, policy: GroupChatPolicy, occupancies: RoomOccupancies,
        everywhere: EventChannel<RoomNotice>, onMessage: GroupChat.MessageObserver?,
        suspect: @escaping @Sendable () -> Void
    ) {
        self.address = address
        self.session = session
        self.policy = policy
        self.everywhere = everywhere
        self.onMessage = onMessage
        self.occupancies = occupancies
        self.suspect = suspect
    }

    /// Its methods are called for received stanzas, which must not change threads.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { session.unownedExecutor }

    // MARK: State

    /// Whether this account is in the room, as far as is known.
    public var isInside: Bool { machine { $0.isInside } }
    /// Whether it is neither in the room nor joining or leaving it.
    var isOutside: Bool { machine { $0.isOutside } }
    /// The current or requested nickname; `nil` outside.
    public var nickname: String? { machine { $0.nickname } }
    /// The occupants by nickname; empty outside.
    public var occupants: [String: Occupant] { machine { $0.occupants } }
    /// Our own role and affiliation; `nil` outside.
    public var own: Occupant? { machine { $0.own } }
    /// The subject; `nil` before the room has sent it.
    public var subject: RoomSubject? { machine { $0.subject } }

    /// The state machine of the room. It is stored with the occupancies, which process a presence before this room
    /// does.
    private func machine<Result: Sendable>(_ body: (borrowing RoomMachine) -> Result) -> Result {
        occupancies.look(at: address, body)
    }

    /// Reports an event to the machine, after the actions of earlier presences were performed.
    private func change(_ event: (inout RoomMachine) -> [RoomAction]) -> [RoomAction] {
        let (before, actions) = occupancies.change(address, event)
        _ = settle(before)
        return actions
    }

    /// The events of the room from now on.
    public nonisolated func events() -> AsyncStream<RoomEvent> { channel.stream() }

    /// Whether this account sent a message of the room, on any device; our own messages are reflected.
    public nonisolated func isOwn(_ message: Message) -> Bool {
        message.from?.bare == address && occupancies.all[address]?.isOwn(message) == true
    }

    /// The address of an occupant: `room@service/nickname`.
    public nonisolated func address(of nickname: String) throws(GroupChatError) -> JID {
        do {
            return try address.with(resource: nickname)
        } catch {
            throw GroupChatError(.nicknameRefused, "No nickname can have these characters.", cause: error)
        }
    }

    /// Requests the service discovery information; `nil` if there is none.
    @discardableResult
    public func refreshInformation() async -> RoomInformation? {
        if let answer = try? await session.request(DiscoveryInformationRequest(), to: address) {
            information = RoomInformation(answer)
            occupancies.announced(information, by: address)
        }
        return information
    }

    // MARK: Commands

    func enter(_ visit: RoomVisit) async throws(GroupChatError) {
        // The form in which the room will return the nickname.
        guard let nickname = try address(of: visit.nickname).resource else {
            throw GroupChatError(.nicknameRefused, "A nickname must not be empty.")
        }
        var visit = visit
        visit.nickname = nickname
        self.visit = visit
        do throws(GroupChatError) {
            try await enter()
        } catch {
            // The caller gets the error and decides; only a successful join is repeated automatically.
            entranceFailed(error, isKept: visit.isKept)
            throw error
        }
    }

    /// Joins again if the room was left unintentionally.
    func enterAgain() async {
        guard policy.returns, visit != nil, isOutside else { return }
        do throws(GroupChatError) {
            try await enter()
        } catch {
            entranceFailed(error, isKept: true)
        }
    }

    private func entranceFailed(_ error: GroupChatError, isKept: Bool) {
        guard !isInside else { return }
        // Without a visit, the room has been left meanwhile.
        let isTriedAgain = visit != nil && isKept && policy.returns && error.isTemporary
        if !isTriedAgain { visit = nil }
        if error.code != .cancelled { post(.entranceFailed(error, isTriedAgain: isTriedAgain)) }
    }

    private func enter() async throws(GroupChatError) {
        // Required first: it decides whether the ids in what follows are trusted.
        await refreshInformation()
        guard let visit else { throw .cancelled }
        let actions = change { $0.enter(as: visit.nickname) }
        if isInside, actions == [.nicknameGranted(visit.nickname)] { return }
        let request: RoomAnswer.Request = isInside ? .nickname : .entrance
        do throws(GroupChatError) {
            try await perform(actions, waitingFor: request)
        } catch {
            if error.code == .cancelled { await withdraw() }
            throw error
        }
        guard wasCreated else { return }
        wasCreated = false
        if visit.creation == .withDefaults { try await acceptDefaults() }
        await refreshInformation()
    }

    /// Cancels joining. The task is cancelled, but the room must be informed.
    private func withdraw() async {
        let actions = change { $0.leave() }
        _ = await Task { try? await send(settle(actions)) }.value
    }

    /// Leaves the room and returns when it has confirmed that.
    ///
    /// - Parameter status: the status text of the last presence.
    public func leave(status: String? = nil) async {
        visit = nil
        let actions = change { $0.leave() }
        guard !isOutside else { return }
        try? await perform(actions, waitingFor: .departure, status: status)
    }

    /// Changes the nickname and returns when the room has confirmed it.
    ///
    /// - Throws: ``GroupChatError`` with `nicknameTaken`; then the nickname stays the same.
    public func changeNickname(to nickname: String) async throws(GroupChatError) {
        guard let nickname = try address(of: nickname).resource else { return }
        guard isInside else { throw .notInside }
        let actions = change { $0.changeNickname(to: nickname) }
        if actions != [.nicknameGranted(nickname)] { try await perform(actions, waitingFor: .nickname) }
        visit?.nickname = nickname
    }

    /// Performs actions of the machine and waits for the result.
    private func perform(
        _ actions: [RoomAction], waitingFor request: RoomAnswer.Request, status: String? = nil
    ) async throws(GroupChatError) {
        let answer = RoomAnswer(request)
        answers.append(answer)
        let timeout = Task { [policy, weak self] in
            try await Task.sleep(for: policy.entranceTimeout)
            await self?.timedOut(answer)
        }
        defer {
            timeout.cancel()
            answers.removeAll { $0 === answer }
        }
        do throws(ClientError) {
            try await send(settle(actions), status: status)
        } catch {
            _ = settle(change { $0.occupancyLost(.sessionLost) })
            throw GroupChatError(error)
        }
        try await answer.wait()
    }

    private func timedOut(_ answer: RoomAnswer) async {
        guard answers.contains(where: { $0 === answer }) else { return }
        switch answer.request {
        case .entrance, .departure: try? await send(settle(change { $0.timedOut() }))
        case .nickname: break
        }
        answer.fill(.failure(GroupChatError(.unreachable, "The room does not answer.")))
    }

    // MARK: Machine actions

    nonisolated func post(_ event: RoomEvent) {
        channel.post(event)
        everywhere.post(RoomNotice(room: address, event: event))
    }

    /// Notifies observers and waiting tasks; returns the actions that remain to be sent.
    private func settle(_ actions: [RoomAction]) -> [RoomAction] {
        var outgoing: [RoomAction] = []
        for action in actions {
            switch action {
            case .requestEntrance, .requestNickname, .requestDeparture: outgoing.append(action)
            case .entered(let own, let statuses):
                wasCreated = statuses.contains(.created)
                hasBeenInside = true
                post(.entered(own, statuses: statuses))
                fill(.entrance, .success(()))
            case .refused(let error):
                fill(.entrance, .failure(GroupChatError(entrance: error)))
            case .departed(let departure):
                if !departure.isTemporary { visit = nil }
                post(.departed(departure))
                fill(.departure, .success(()))
                fill(.nickname, .failure(.notInside))
                fill(.entrance, .failure(GroupChatError(departure)))
            case .nicknameGranted: fill(.nickname, .success(()))
            case .nicknameRefused(let error): fill(.nickname, .failure(GroupChatError(nickname: error)))
            case .occupantEntered(let occupant): post(.occupantEntered(occupant))
            case .occupantChanged(let occupant): post(.occupantChanged(occupant))
            case .occupantRenamed(let old, let occupant): post(.occupantRenamed(from: old, occupant))
            case .occupantLeft(let occupant, let departure): post(.occupantLeft(occupant, departure))
            case .subjectChanged(let subject): post(.subjectChanged(subject))
            }
        }
        return outgoing
    }

    private func fill(_ request: RoomAnswer.Request, _ result: Result<Void, GroupChatError>) {
        for answer in answers where answer.request == request { answer.fill(result) }
    }

    private func send(_ actions: [RoomAction], status: String? = nil) async throws(ClientError) {
        for action in actions {
            switch action {
            case .requestEntrance(let nickname):
                guard var presence = await ownPresence(to: nickname) else { continue }
                // No later stanza of the room is processed before this.
                occupancies.announced(information, by: address, enteringAs: nickname)
                presence.append(RoomEntrance(password: visit?.password, history: wantedHistory))
                try await session.send(presence)
            case .requestNickname(let nickname):
                if let presence = await ownPresence(to: nickname) { try await session.send(presence) }
            case .requestDeparture(let nickname):
                guard let receiver = try? address(of: nickname) else { continue }
                try await session.send(Presence(type: .unavailable, to: receiver, status: status))
            default: break
            }
        }
    }

    /// The presence to send to the room, which broadcast presence does not reach.
    private func ownPresence(to nickname: String) async -> Presence? {
        guard let receiver = try? address(of: nickname) else { return nil }
        let own = await session.presence
        let isAvailable = own?.type == .available
        return Presence(to: receiver, show: isAvailable ? own?.show : nil, status: isAvailable ? own?.status : nil)
    }

    /// When joining again, only history since the room's last stanza.
    private var wantedHistory: RoomEntrance.History? {
        guard hasBeenInside, visit?.history != RoomEntrance.History.none else { return visit?.history }
        var history = visit?.history ?? RoomEntrance.History()
        history.seconds = Int(clamping: lastSign.duration(to: .now).components.seconds) + 1
        history.since = nil
        return history
    }
}

// MARK: - Events

extension Room {
    func presenceReceived(_ presence: Presence) {
        if let error = presence.error {
            // The server of the room may be unreachable, so this is no proof that the room itself responds.
            _ = settle(change { $0.errorReceived(error, for: presence.from?.resource) })
            return
        }
        lastSign = .now
        _ = change { _ in [] }
    }

    func subjectReceived(_ subject: RoomSubject) {
        _ = settle(change { $0.subjectReceived(subject) })
    }

    /// The session with the server is lost, and with it the occupancy of every room.
    func sessionLost() {
        _ = settle(change { $0.occupancyLost(.sessionLost) })
    }

    func sessionEnded() {
        _ = settle(change { $0.occupancyLost(.sessionLost) })
        channel.finish()
    }

    /// The presence of the account changed; rooms receive it only from here.
    func ownPresenceChanged() async {
        guard isInside, let nickname, let presence = await ownPresence(to: nickname) else {
            return
        }
        _ = try? await session.send(presence)
    }

    /// There are signs that the room no longer lists this account.
    func membershipDoubted() { suspect() }

    /// Checks the room: long silence, or an unintentional absence.
    func inspect() async {
        if isInside {
            if lastSign.duration(to: .now) >= policy.silenceLimit { await checkMembership() }
        } else {
            await enterAgain()
        }
    }

    /// Sends a self-ping, and joins again if it fails (XEP-0410).
    ///
    /// - Returns: `false` if the account was not in the room.
    @discardableResult
    public func checkMembership() async -> Bool {
        guard isInside, let nickname, let own = try? address(of: nickname) else {
            return false
        }
        let failure: ClientError?
        do throws(ClientError) {
            try await ping(own)
            failure = nil
        } catch {
            failure = error
        }
        // The state may have changed meanwhile.
        guard isInside, self.nickname == nickname else { return isInside }
        switch SelfPingVerdict(failure) {
        case .inside:
            lastSign = .now
            return true
        case .unknown: return true
        case .outside:
            _ = settle(change { $0.occupancyLost(.forgotten) })
            await enterAgain()
            return false
        }
    }
}
