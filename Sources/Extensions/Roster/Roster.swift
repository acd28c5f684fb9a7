internal import AccountRegistration
public import TransportLayer
internal import XMLStreaming
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// The contact list of a session: items, subscriptions and presence (RFC 6121 §2 to §4, XEP-0237 Roster Versioning).
///
/// It is up to date before observers of the session see the stanza that changed it. Changes of the list are accepted
/// only from the account itself (§2.1.6). Presence of addresses outside the list is reported to the observers of the
/// session and not stored.
public final actor Roster: PeerDirectory, EventLoopActor {
    /// The result of adding a contact.
    public enum Addition: Sendable, Hashable {
        /// The item was added and the request was sent.
        case requested
        /// The contact was already in the list, and nothing was sent.
        case alreadyContact(Contact)
    }

    private struct Observer {
        weak var mailbox: RosterMailbox?
    }

    private let session: Session
    private let policy: RosterPolicy
    private let interceptor: RosterInterceptor
    private var items: [JID: RosterItem] = [:]
    private var presences = ContactPresences()
    private var pendingRequests = PendingRequests()
    /// The list does not retain observers, so released ones are removed.
    private var mailboxes: [Observer] = []
    /// Pushes that arrived while the whole list was being transferred. They are applied again to the list: later ones
    /// are newer, and earlier ones have the same result, item by item.
    private var pushesWhileFetching: [RosterItem]?
    /// The identifiers of pushes that were applied and are not answered yet: their answer needs no second look at them.
    private var appliedPushes: Set<String> = []
    /// The identifiers of requests for the list that are not answered.
    private var openRequests: Set<String> = []
    private let remembered: @Sendable () async -> [Presence]
    private let admits: @Sendable (_ token: String, _ address: JID) async -> Bool
    private let cache: (any CacheStorage)?
    private nonisolated let changes = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    /// The list of an earlier process, until the server has said whether it is still the same.
    private var stored: RosterQuery?
    /// Addresses whose presence arrived while the stored presence was being loaded: theirs is newer.
    private var receivedWhileLoading: Set<JID>?

    /// The version of the list on the server (§2.6); `nil` before there is one.
    public private(set) var version: String?
    /// Whether the list is complete.
    public private(set) var isPopulated = false

    /// - Parameters:
    ///   - remembered: presence and requests that a previous process stored for this session. The server does not repeat
    ///     them after a resumption (XEP-0198 §5), so without this all contacts would appear offline.
    ///   - cache: stores the list between processes, so that the server sends only what has changed since. One for each
    ///     account.
    ///   - admits: whether a request with the token of an invitation is accepted without a question, for example
    ///     ``SubscriptionTokens/redeem(_:at:)``. Nothing is read from the stream until it returns.
    public init(
        _ session: Session, policy: RosterPolicy = RosterPolicy(),
        remembered: @escaping @Sendable () async -> [Presence] = { [] }, cache: (any CacheStorage)? = nil,
        admitting admits: @escaping @Sendable (_ token: String, _ address: JID) async -> Bool = { _, _ in false }
    ) {
        self.session = session
        self.policy = policy
        self.remembered = remembered
        self.cache = cache
        self.admits = admits
        interceptor = RosterInterceptor()
    }

    /// Its methods are called for received stanzas, which must not change threads.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { session.unownedExecutor }
    package nonisolated var loop: EventLoop { session.loop }

    public nonisolated var handlers: [IQHandler] {
        [
            // Only our server sends these, so no feature is announced.
            IQHandler(.set, RosterQuery.name, feature: .none) { [self] iq in
                if await !isApplied(iq) { _ = try await push(in: iq, to: session.address) }
                return nil
            }
        ]
    }

    public nonisolated var interceptors: [any StanzaInterceptor] { [interceptor] }

    /// The changes of the list from now on.
    public func events() -> RosterEvents {
        let mailbox = RosterMailbox()
        mailboxes.append(Observer(mailbox: mailbox))
        return RosterEvents(mailbox: mailbox)
    }

    // MARK: State

    /// All contacts in the order of the list. Items that were never confirmed are omitted unless our request is
    /// pending.
    public var contacts: [Contact] {
        items.values.filter { $0.subscription != .none || $0.isPending }
            .map { Contact(item: $0, resources: presences[$0.address]) }.sorted(by: Contact.precedes)
    }

    /// All items of the list, including those that ``contacts`` hides.
    public var allItems: [RosterItem] { items.values.sorted { $0.address < $1.address } }

    /// The addresses that wait for our approval, oldest first.
    public var requests: [JID] { pendingRequests.addresses }

    public func contact(_ address: JID) -> Contact? {
        items[address.bare].map { Contact(item: $0, resources: presences[$0.address]) }
    }

    /// The number of devices whose presence is stored.
    var presenceCount: Int { presences.count }

    // MARK: Disclosure

    /// Contacts with a subscription to our presence (§2.1.2.5).
    public func maySeePresence(_ peer: JID, in session: isolated Session) -> Bool? {
        onLoop(peer) { $0.items[$1.bare]?.subscription.isSeenByContact ?? false }
    }

    /// All addresses in the list.
    public func follows(_ peer: JID, in session: isolated Session) -> Bool? {
        onLoop(peer) { $0.items[$1.bare] != nil }
    }

    // MARK: Commands

    /// Requests the list from the server. If that fails, the known list stays.
    public func fetch() async throws(ClientError) {
        pushesWhileFetching = pushesWhileFetching ?? []
        defer { pushesWhileFetching = nil }
        let usesVersions = await session.agreement?.features.offers(Self.versioningFeature) ?? false
        let known = usesVersions ? (isPopulated ? version : stored?.version) ?? "" : nil
        let id = await session.makeID()
        openRequests.insert(id)
        defer { openRequests.remove(id) }
        // Presence may be sent then: the server answers this before it (RFC 6121 §2.2).
        let answer = try await session.result(
            of: IQ(RosterRequest(version: known), id: id), whenQueued: { session.releaseFollowers() })
        do {
            // Unless it was seen on the way, as it is where nothing takes answers away from interceptors.
            if openRequests.contains(id) { try populate(with: answer) }
        } catch {
            throw ClientError(.unreadableAnswer, "The answer could not be read.", cause: error)
        }
    }

    /// A response, in the order of the stream: the presences that follow it are known to come from contacts.
    private func answered(_ iq: IQ, to own: JID?) {
        guard let id = iq.id, openRequests.contains(id), Self.isOwn(iq.from, own) else { return }
        if (try? populate(with: iq)) != nil { openRequests.remove(id) }
    }

    /// A request without a receiver is answered by the account or its server (RFC 6120 §10.3.3).
    private static func isOwn(_ sender: JID?, _ own: JID?) -> Bool {
        guard let sender, let own else { return true }
        return sender.bare == own.bare || sender == own.domainJID
    }

    private func populate(with answer: IQ) throws(XMLDecodingError) {
        let roster = try RosterRequest.Response(payload: answer.payload).roster
        post(.populating)
        // Without content the list is that of the version in the request.
        if let roster = roster ?? (isPopulated ? nil : stored) {
            items = Dictionary(roster.items.map { ($0.address, $0) }, uniquingKeysWith: { _, last in last })
            version = roster.version
        }
        stored = nil
        for push in pushesWhileFetching ?? [] { apply(push) }
        pushesWhileFetching = nil
        presences.removeAll { items[$0] == nil }
        isPopulated = true
        // In order, which only observers need.
        if !mailboxes.isEmpty { for item in allItems { post(.item(item)) } }
        post(.populated)
        changes.continuation.yield()
    }

    /// Adds a contact with a name and requests a subscription to its presence (§3.1). For an existing contact nothing
    /// is sent.
    ///
    /// - Parameter message: text for the request; not every program shows it.
    public func add(
        _ address: JID, name: String? = nil, groups: Set<String> = [], message: String? = nil
    ) async throws(ClientError) -> Addition {
        let address = address.bare
        if let contact = contact(address), contact.item.subscription.seesContact || contact.item.isPending {
            return .alreadyContact(contact)
        }
        _ = try await session.request(RosterChange(RosterItem(address: address, name: name, groups: groups)))
        try await session.send(Presence(type: .subscribe, to: address, status: message))
        return .requested
    }

    /// Requests the subscription again: requests can get lost or be overlooked.
    public func askAgain(_ address: JID, message: String? = nil) async throws(ClientError) {
        try await session.send(Presence(type: .subscribe, to: address.bare, status: message))
    }

    /// Approves a subscription to our presence (§3.1.4) and, if requested and not done yet, requests one in return.
    public func accept(_ address: JID, addingBack: Bool = true, name: String? = nil) async throws(ClientError) {
        let address = address.bare
        pendingRequests.remove(address)
        try await session.send(Presence(type: .subscribed, to: address))
        if addingBack { _ = try await add(address, name: name ?? items[address]?.name) }
    }

    /// Denies a subscription to our presence, or revokes it (§3.2).
    public func reject(_ address: JID) async throws(ClientError) {
        pendingRequests.remove(address.bare)
        try await session.send(Presence(type: .unsubscribed, to: address.bare))
    }

    /// Removes a contact from the list; the server ends both subscriptions (§2.5).
    public func remove(_ address: JID) async throws(ClientError) {
        _ = try await session.request(RosterChange(RosterItem(address: address, subscription: .remove)))
    }

    /// Changes the name of a contact in our list; `nil` removes it (§2.4).
    public func rename(_ address: JID, to name: String?) async throws(ClientError) {
        var item = items[address.bare] ?? RosterItem(address: address)
        item.name = name
        _ = try await session.request(RosterChange(item))
    }

    /// Puts a contact into exactly these groups (§2.1.2.2).
    public func move(_ address: JID, to groups: Set<String>) async throws(ClientError) {
        var item = items[address.bare] ?? RosterItem(address: address)
        item.groups = groups
        _ = try await session.request(RosterChange(item))
    }

    // MARK: Session events

    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        interceptor.roster = self
        // After a new login all available contacts send their presence again.
        if !isResumed {
            presences.removeAll()
            pendingRequests.sessionBegan()
        }
        if isResumed, !isPopulated { await remember() }
        if !isPopulated, stored == nil { stored = await RosterCache.load(cache, for: session.address) }
        // In a new process nothing is known, even if the session was resumed.
        if policy.fetchesAutomatically && (!isResumed || !isPopulated) { try await fetch() }
    }

    private func remember() async {
        receivedWhileLoading = []
        let presences = await remembered()
        let heard = receivedWhileLoading ?? []
        receivedWhileLoading = nil
        for presence in presences {
            guard let sender = presence.from, !heard.contains(sender), !heard.contains(sender.bare) else { continue }
            await take(presence, from: sender)
        }
    }

    /// The list is saved at most once in this time.
    private static let savingInterval = Duration.seconds(5)

    public func run(in session: Session) async {
        guard cache != nil else { return }
        for await _ in changes.stream {
            await save()
            try? await Task.sleep(for: Self.savingInterval)
        }
    }

    private func save() async {
        guard let cache, let version, let account = await session.address?.bare else { return }
        await cache.save(
            XMLElement(RosterCache(account: account, list: RosterQuery(version: version, items: allItems))))
    }

    public func sessionEnded(_ session: Session) async {
        changes.continuation.finish()
        await save()
        for observer in mailboxes { observer.mailbox?.finish() }
        mailboxes = []
    }

    /// A push, applied in the order of the stream, before its handler answers it.
    private func pushReceived(_ iq: IQ, to own: JID?) {
        guard let push = try? push(in: iq, to: own) else { return }
        if let version = push.version { self.version = version }
        pushesWhileFetching?.append(push.item)
        apply(push.item)
        if let id = iq.id, appliedPushes.count < Self.appliedLimit { appliedPushes.insert(id) }
        changes.continuation.yield()
    }

    /// Our server waits for answers before it has sent so many pushes; of more, the answer decodes them again.
    private static let appliedLimit = 64

    /// Whether the push was read and applied when it arrived.
    private func isApplied(_ iq: IQ) async -> Bool {
        guard let id = iq.id, Self.isAccount(iq.from, await session.address) else { return false }
        return appliedPushes.remove(id) != nil
    }

    /// Pushes have no sender or our own account (§2.1.6).
    private static func isAccount(_ sender: JID?, _ own: JID?) -> Bool { sender == nil || sender == own?.bare }

    /// The content of a push: accepted without a sender or from our own account, refused from anyone else (§2.1.6).
    private func push(in iq: IQ, to own: JID?) throws -> (item: RosterItem, version: String?) {
        guard Self.isAccount(iq.from, own) else { throw StanzaError(.serviceUnavailable) }
        guard let payload = iq.payload else { throw StanzaError(.badRequest) }
        let query = try RosterQuery(from: payload)
        guard query.items.count == 1, let item = query.items.first else { throw StanzaError(.badRequest) }
        return (item, query.version)
    }

    private func apply(_ item: RosterItem) {
        if item.subscription == .remove {
            presences.remove(item.address)
            if items.removeValue(forKey: item.address) != nil { post(.removed(item.address)) }
            return
        }
        items[item.address] = item
        if !item.subscription.seesContact { presences.remove(item.address) }
        if let contact = contact(item.address) { post(.changed(contact)) }
    }

    /// Takes a received stanza, possibly before the list has arrived; returns `false` for a presence that has to be taken with
    /// ``take(_:from:)``.
    func takes(_ stanza: AnyStanza, to own: JID?) -> Bool {
        switch stanza {
        case .presence(let presence):
            guard let sender = presence.from else { return true }
            if receivedWhileLoading?.count ?? 0 < ContactPresences.unlistedLimit {
                receivedWhileLoading?.insert(sender)
            }
            return takes(presence, from: sender)
        case .iq(let iq) where iq.isSet: pushReceived(iq, to: own)
        case .iq(let iq): answered(iq, to: own)
        case .message: break
        }
        return true
    }

    /// Takes a presence that needs no answer; returns whether it does not.
    private func takes(_ presence: Presence, from sender: JID) -> Bool {
        switch presence.type {
        case .available: available(presence, sender)
        case .unavailable: unavailable(sender)
        case .error: if sender.isBare { unavailable(sender) }
        case .subscribed: post(.approved(sender.bare))
        case .unsubscribed: post(.refused(sender.bare))
        case .probe: break
        case .subscribe, .unsubscribe: return false
        }
        return true
    }

    func take(_ presence: Presence, from sender: JID) async {
        if takes(presence, from: sender) { return }
        if presence.type == .unsubscribe { return await unsubscribed(sender.bare) }
        let token = ((try? presence.payload(Preauthentication.self)) ?? nil)?.token
        await requested(sender.bare, text: presence.status, token: token)
    }

    private func available(_ presence: Presence, _ sender: JID) {
        let isListed = isPopulated && pushesWhileFetching == nil ? items[sender.bare] != nil : nil
        guard presences.available(presence, from: sender, isListed: isListed) else { return }
        if let contact = contact(sender) { post(.changed(contact)) }
    }

    private func unavailable(_ sender: JID) {
        presences.unavailable(sender)
        if let contact = contact(sender) { post(.changed(contact)) }
    }

    private func requested(_ address: JID, text: String?, token: String?) async {
        let isKnown = items[address].map { $0.subscription.seesContact || $0.isPending } ?? false
        if let token, await admits(token, address) {
            _ = try? await session.send(Presence(type: .subscribed, to: address))
            if !isKnown { _ = try? await session.send(Presence(type: .subscribe, to: address)) }
            return
        }
        if policy.acceptsAllRequests || (policy.acceptsKnownRequests && isKnown) {
            _ = try? await session.send(Presence(type: .subscribed, to: address))
            if policy.acceptsAllRequests && !isKnown {
                _ = try? await session.send(Presence(type: .subscribe, to: address))
            }
            return
        }
        switch pendingRequests.add(address) {
        case .added: post(.request(address, text: text))
        case .known: break
        case .omitted: if pendingRequests.isReportDue { post(.requestsOmitted(pendingRequests.omitted)) }
        }
    }

    private func unsubscribed(_ address: JID) async {
        pendingRequests.remove(address)
        post(.unsubscribed(address))
        guard policy.removesUnsubscribed, items[address] != nil else { return }
        var removal = IQ(RosterChange(RosterItem(address: address, subscription: .remove)))
        removal.id = await session.makeID()
        _ = try? await session.send(removal)
    }

    private func post(_ event: RosterEvent) {
        for observer in mailboxes { observer.mailbox?.post(event) }
        mailboxes.removeAll { $0.mailbox == nil }
    }

    private static let versioningFeature = XMLName("ver", "urn:xmpp:features:rosterver")
}
