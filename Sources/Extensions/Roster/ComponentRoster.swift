public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// The subscriptions to presence of the addresses of a component (RFC 6121 §3, §4): for an account its server keeps
/// them, for a component only the program does.
///
///     configuration.add { ComponentRoster($0, subscriptions: stored, policy: .acceptAll) }
///
/// It answers requests, probes (§4.3) and cancellations, sends the presence of each address to those who are subscribed
/// to it, and again in each new session. Subscriptions are values: store each that ``changes()`` reports, and give them
/// to the next process. Received presence is reported by the events of the session.
public final actor ComponentRoster: SessionExtension, StanzaInterceptor {
    /// What happens to a request for a subscription to an address.
    public enum Policy: Sendable, Hashable {
        /// The program decides: ``accept(_:at:)`` or ``reject(_:at:)``.
        case ask
        /// Every request is accepted; for bots.
        case acceptAll
    }

    /// The maximum number of stored subscriptions, because strangers create them: about 16 MiB. A request that exceeds
    /// it is rejected.
    public static let limit = 65_536
    /// The maximum number of requests that wait for the program: more than it can be asked about. A request that exceeds
    /// it stays unanswered; the server of the contact repeats it.
    public static let requestLimit = 1_024

    private struct Pair: Hashable {
        let address: JID
        let contact: JID
    }

    private let session: Session
    private let policy: Policy
    private let usualPresence: Presence
    private var table: [Pair: ComponentSubscription] = [:]
    private var requestCount = 0
    private var presences: [JID: Presence] = [:]
    private let channel = EventChannel<ComponentSubscription>()

    /// - Parameters:
    ///   - subscriptions: those of an earlier process.
    ///   - presence: the presence of each address until ``setPresence(_:of:)`` sets another one.
    public init(
        _ session: Session, subscriptions: [ComponentSubscription] = [], policy: Policy = .ask,
        presence: Presence = Presence()
    ) {
        self.session = session
        self.policy = policy
        usualPresence = presence
        for subscription in subscriptions where subscription.isWorthKeeping {
            table[Pair(address: subscription.address, contact: subscription.contact)] = subscription
        }
        requestCount = table.values.count { $0.isRequested }
    }

    /// Its methods are called for received stanzas, which must not change threads.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { session.unownedExecutor }

    public nonisolated var interceptors: [any StanzaInterceptor] { [self] }

    // MARK: Values

    /// All subscriptions, in no order.
    public var subscriptions: [ComponentSubscription] { Array(table.values) }

    /// The subscription between an address and a contact.
    public func subscription(of address: JID, with contact: JID) -> ComponentSubscription {
        let pair = Pair(address: address.bare, contact: contact.bare)
        return table[pair] ?? ComponentSubscription(address: pair.address, contact: pair.contact)
    }

    /// Each subscription that changes from now on, with its new value: a request waits while `isRequested` is set, and
    /// one that is not ``ComponentSubscription/isWorthKeeping`` is over.
    public nonisolated func changes() -> AsyncStream<ComponentSubscription> { channel.stream() }

    // MARK: Commands

    /// Lets a contact see the presence of an address, and sends it.
    public func accept(_ contact: JID, at address: JID) async throws(ClientError) {
        change(address, contact) { $0.letsContactSee(true) }
        try await send(Presence(type: .subscribed), from: address.bare, to: contact.bare)
        try await send(presence(of: address.bare), from: address.bare, to: contact.bare)
    }

    /// Rejects the request of a contact, or no longer lets it see the presence of an address.
    public func reject(_ contact: JID, at address: JID) async throws(ClientError) {
        let wasSeen = subscription(of: address, with: contact).state.isSeenByContact
        change(address, contact) { $0.letsContactSee(false) }
        if wasSeen { try await send(Presence(type: .unavailable), from: address.bare, to: contact.bare) }
        try await send(Presence(type: .unsubscribed), from: address.bare, to: contact.bare)
    }

    /// Asks a contact to let an address see its presence.
    public func subscribe(_ address: JID, to contact: JID) async throws(ClientError) {
        if subscription(of: address, with: contact).state.seesContact { return }
        change(address, contact) { $0.isPending = true }
        try await send(Presence(type: .subscribe), from: address.bare, to: contact.bare)
    }

    /// The address no longer wants to see the presence of a contact.
    public func unsubscribe(_ address: JID, from contact: JID) async throws(ClientError) {
        change(address, contact) { $0.seesContact(false) }
        try await send(Presence(type: .unsubscribe), from: address.bare, to: contact.bare)
    }

    /// Sets the presence of an address and sends it to those who are subscribed to it.
    public func setPresence(_ presence: Presence, of address: JID) async throws(ClientError) {
        presences[address.bare] = presence
        try await announce { $0 == address.bare }
    }

    /// Shows all addresses as unavailable. Call it before the program ends, because servers do not.
    public func signOff() async throws(ClientError) {
        for pair in table.keys { presences[pair.address] = Presence(type: .unavailable) }
        try await announce { _ in true }
    }

    // MARK: The session

    /// The server has stored nothing of an earlier session: presence is sent, and that of contacts requested, again.
    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        try await announce { _ in true }
        for subscription in subscriptions where subscription.state.seesContact {
            try await send(Presence(type: .probe), from: subscription.address, to: subscription.contact)
        }
    }

    public func sessionEnded(_ session: Session) async { channel.finish() }

    public nonisolated func concerns(received stanza: AnyStanza) -> Bool {
        if case .presence = stanza { true } else { false }
    }
    public nonisolated func concerns(sent stanza: AnyStanza) -> Bool { false }

    public func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        if case .presence(let presence) = stanza, let contact = presence.from?.bare, let address = presence.to?.bare {
            // What cannot be sent now is requested again from the next session.
            try? await received(presence, from: contact, to: address)
        }
        return .pass(stanza)
    }

    private func received(_ presence: Presence, from contact: JID, to address: JID) async throws(ClientError) {
        let known = subscription(of: address, with: contact)
        switch presence.type {
        case .subscribe:
            if known.state.isSeenByContact || policy == .acceptAll {
                guard known.isWorthKeeping || table.count < Self.limit else {
                    return try await send(Presence(type: .unsubscribed), from: address, to: contact)
                }
                try await accept(contact, at: address)
            } else if !known.isRequested, requestCount < Self.requestLimit, table.count < Self.limit {
                change(address, contact) { $0.isRequested = true }
            }
        case .unsubscribe:
            if known.isRequested || known.state.isSeenByContact { try await reject(contact, at: address) }
        case .subscribed:
            // One without a request is ignored (§3.1.6).
            if known.isPending { change(address, contact) { $0.seesContact(true) } }
        case .unsubscribed:
            if known.isPending || known.state.seesContact { change(address, contact) { $0.seesContact(false) } }
        case .probe:
            guard let prober = presence.from else { return }
            if known.state.isSeenByContact {
                try await send(self.presence(of: address), from: address, to: prober)
            } else {
                try await send(Presence(type: .unsubscribed), from: address, to: contact)
            }
        case .available, .unavailable, .error: break
        }
    }

    private func presence(of address: JID) -> Presence { presences[address] ?? usualPresence }

    private func announce(_ isMeant: (JID) -> Bool) async throws(ClientError) {
        for subscription in subscriptions where subscription.state.isSeenByContact && isMeant(subscription.address) {
            try await send(presence(of: subscription.address), from: subscription.address, to: subscription.contact)
        }
    }

    private func send(_ presence: Presence, from address: JID, to receiver: JID) async throws(ClientError) {
        var presence = presence
        (presence.from, presence.to, presence.id) = (address, receiver, nil)
        _ = try await session.send(presence)
    }

    private func change(_ address: JID, _ contact: JID, _ change: (inout ComponentSubscription) -> Void) {
        let old = subscription(of: address, with: contact)
        var new = old
        change(&new)
        guard new != old else { return }
        requestCount += (new.isRequested ? 1 : 0) - (old.isRequested ? 1 : 0)
        table[Pair(address: new.address, contact: new.contact)] = new.isWorthKeeping ? new : nil
        channel.post(new)
    }
}

/// The subscriptions between an address of a component and a contact, in both directions (RFC 6121 §3).
public struct ComponentSubscription: Sendable, Hashable, Codable {
    /// The bare address of the component.
    public let address: JID
    /// The bare address of the contact.
    public let contact: JID
    public var state: RosterItem.Subscription
    /// The contact has not answered the request of the address.
    public var isPending: Bool
    /// The contact waits for an answer to its request.
    public var isRequested: Bool

    public init(
        address: JID, contact: JID, state: RosterItem.Subscription = .none, isPending: Bool = false,
        isRequested: Bool = false
    ) {
        self.address = address.bare
        self.contact = contact.bare
        self.state = state
        self.isPending = isPending
        self.isRequested = isRequested
    }

    /// Whether there is anything to store.
    public var isWorthKeeping: Bool { state.seesContact || state.isSeenByContact || isPending || isRequested }

    /// Answers the request of the contact, or revokes an earlier answer.
    mutating func letsContactSee(_ isSeen: Bool) {
        state = Self.state(seesContact: state.seesContact, isSeen: isSeen)
        isRequested = false
    }

    /// The contact has answered the request of the address, or the address has withdrawn it.
    mutating func seesContact(_ isSeeing: Bool) {
        state = Self.state(seesContact: isSeeing, isSeen: state.isSeenByContact)
        isPending = false
    }

    private static func state(seesContact: Bool, isSeen: Bool) -> RosterItem.Subscription {
        seesContact ? isSeen ? .both : .to : isSeen ? .from : .none
    }
}
