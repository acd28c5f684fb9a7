internal import XMLStreaming
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// The block list of an account, which its server stores for all its devices (XEP-0191 Blocking Command).
///
/// The list follows the order of the stream: it is up to date before an observer of the session sees the stanza that
/// changed it. Changes are accepted only from our own account (§5).
public final actor Blocking: SessionExtension, StanzaInterceptor {
    /// A change that this device requested, which takes effect with the server's response.
    private enum Change {
        case fetch
        case block(Set<JID>)
        case unblock(Set<JID>)
    }

    private let session: Session
    private let channel = EventChannel<BlockingEvent>()
    private var pending: [String: Change] = [:]

    /// The blocked addresses; empty before the list has arrived.
    public private(set) var blocked: Set<JID> = []
    /// Whether the list is complete.
    public private(set) var isPopulated = false
    /// Whether the server supports blocking; `nil` before it is known.
    public private(set) var isSupported: Bool?

    public init(_ session: Session) {
        self.session = session
    }

    /// Its methods are called for received stanzas, which must not change threads.
    public nonisolated var unownedExecutor: UnownedSerialExecutor { session.unownedExecutor }

    public nonisolated var handlers: [IQHandler] {
        [BlockRequest.name, UnblockRequest.name].map { name in
            // Only our server sends these, so no feature is announced.
            IQHandler(.set, name, feature: .none) { [self] iq in
                _ = try await push(in: iq)
                return nil
            }
        }
    }

    public nonisolated var interceptors: [any StanzaInterceptor] { [self] }

    /// The changes of the list from now on.
    public nonisolated func events() -> AsyncStream<BlockingEvent> { channel.stream() }

    /// Whether stanzas from that address do not arrive because it, its account, or its domain is blocked (§4).
    public func isBlocked(_ address: JID) -> Bool {
        if blocked.contains(address) || blocked.contains(address.bare) || blocked.contains(address.domainJID) {
            return true
        }
        guard let resource = address.resource, let place = try? address.domainJID.with(resource: resource) else {
            return false
        }
        return blocked.contains(place)
    }

    /// Requests the list from the server. If that fails, the known list stays.
    public func fetch() async throws(ClientError) {
        do throws(ClientError) {
            try await request(BlockListRequest(), .fetch)
        } catch {
            switch error.stanzaError?.condition {
            case .serviceUnavailable?, .featureNotImplemented?: isSupported = false
            default: break
            }
            throw error
        }
    }

    /// Blocks addresses: nothing arrives from them any more, and they see this account as offline (§3.3).
    ///
    /// - Parameter report: The reason for the operators, if the server accepts reports (XEP-0377).
    public func block(_ addresses: Set<JID>, report: AbuseReport? = nil) async throws(ClientError) {
        guard !addresses.isEmpty else { return }
        let items = addresses.sorted().map { BlockedItem($0, report: report) }
        try await request(BlockRequest(items), .block(addresses))
    }

    public func block(_ address: JID, report: AbuseReport? = nil) async throws(ClientError) {
        try await block([address], report: report)
    }

    /// Unblocks addresses (§3.4). Addresses that are not blocked are ignored.
    public func unblock(_ addresses: Set<JID>) async throws(ClientError) {
        // On the wire an empty set would mean all addresses.
        guard !addresses.isEmpty else { return }
        try await request(UnblockRequest(addresses.sorted()), .unblock(addresses))
    }

    public func unblock(_ address: JID) async throws(ClientError) {
        try await unblock([address])
    }

    /// Unblocks all addresses (§3.5).
    public func unblockAll() async throws(ClientError) {
        try await request(UnblockRequest([]), .unblock([]))
    }

    private func request(_ request: some IQRequest, _ change: Change) async throws(ClientError) {
        let id = await session.makeID()
        pending[id] = change
        defer { pending[id] = nil }
        _ = try await session.request(IQ(request, id: id))
    }

    // MARK: Session events

    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        // In a new process nothing is known, even if the session was resumed.
        guard !isResumed || (!isPopulated && isSupported != false) else { return }
        do throws(ClientError) {
            try await fetch()
        } catch {
            // A server without blocking is not an error.
            if isSupported != false { throw error }
        }
    }

    public func sessionEnded(_ session: Session) async {
        channel.finish()
    }

    public nonisolated func concerns(received stanza: AnyStanza) -> Bool {
        guard case .iq(let iq) = stanza else { return false }
        return iq.isResult || iq.isSet && iq.payload?.name.namespace == BlockRequest.namespace
    }

    public nonisolated func concerns(sent stanza: AnyStanza) -> Bool { false }

    /// Applies pushes and responses in the order of the stream, so that none overtakes another.
    public nonisolated(nonsending) func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        if case .iq(let iq) = stanza {
            if iq.isResult {
                await answered(iq)
            } else if iq.isSet, iq.payload?.name.namespace == BlockRequest.namespace {
                await pushReceived(iq)
            }
        }
        return .pass(stanza)
    }

    private func answered(_ iq: IQ) async {
        guard let id = iq.id, pending[id] != nil, await isOwn(iq.from) else { return }
        switch pending.removeValue(forKey: id) {
        case .fetch?:
            guard let payload = iq.payload, let list = try? BlockList(from: payload) else { return }
            blocked = list.addresses
            isPopulated = true
            isSupported = true
            channel.post(.populated(blocked))
        case .block(let addresses)?: block(known: addresses)
        case .unblock(let addresses)?: unblock(known: addresses)
        case nil: break
        }
    }

    private func pushReceived(_ iq: IQ) async {
        switch try? await push(in: iq) {
        case .block(let addresses)?: block(known: addresses)
        case .unblock(let addresses)?: unblock(known: addresses)
        case .fetch?, nil: break
        }
    }

    /// The content of a push: accepted without a sender or from our own account, refused from anyone else.
    private func push(in iq: IQ) async throws -> Change {
        let own = await session.address?.bare
        guard iq.from == nil || iq.from == own else { throw StanzaError(.serviceUnavailable) }
        guard let payload = iq.payload else { throw StanzaError(.badRequest) }
        if payload.isNamed(BlockRequest.name) {
            return .block(Set(try BlockRequest(from: payload).items.map(\.address)))
        }
        return .unblock(Set(try UnblockRequest(from: payload).addresses))
    }

    /// Our account or its server answers a request without a receiver (RFC 6120 §10.3.3).
    private func isOwn(_ sender: JID?) async -> Bool {
        guard let sender, let own = await session.address else { return true }
        return sender.bare == own.bare || sender == own.domainJID
    }

    private func block(known addresses: Set<JID>) {
        let new = addresses.subtracting(blocked)
        guard !new.isEmpty else { return }
        blocked.formUnion(new)
        channel.post(.blocked(new))
    }

    private func unblock(known addresses: Set<JID>) {
        let gone = addresses.isEmpty ? blocked : addresses.intersection(blocked)
        guard !gone.isEmpty else { return }
        blocked.subtract(gone)
        channel.post(.unblocked(gone))
    }
}

/// A change of the block list, made by this device or another one.
public enum BlockingEvent: Sendable, Hashable {
    /// The whole list arrived from the server.
    case populated(Set<JID>)
    case blocked(Set<JID>)
    case unblocked(Set<JID>)
}

extension StanzaError {
    /// Whether the stanza was refused because its receiver is on our block list (XEP-0191 §3.3).
    public var isBecauseOfOwnBlock: Bool {
        applicationCondition?.isNamed(XMLName("blocked", BlockRequest.namespace + ":errors")) ?? false
    }
}
