internal import ServiceDiscovery
internal import Synchronization
internal import TransportLayer
internal import Waiting
public import XMPPAddress
public import XMPPClient
internal import XMPPStanzas

/// Sends files directly to another device and receives them, where there is no upload service (XEP-0234 Jingle File
/// Transfer over XEP-0260 and XEP-0261).
///
///     configuration.add { DirectTransfer($0) }
///
///     let file = OfferedFile(name: "tune.ogg", mediaType: "audio/ogg", size: 4711)
///     let transfer = try await session[DirectTransfer.self]?.send(file, to: device, from: TransferBytes(bytes))
///     let outcome = await transfer?.outcome()
///
/// The bytes take a direct connection if both sides allow it (``DirectTransferPolicy/disclosesAddresses``), otherwise one
/// through a proxy of the server, and otherwise they travel inside of the XML stream, which always works. Both sides
/// check the size and the hash. Strangers learn nothing: their offers get the error of an address without a client.
public final class DirectTransfer: SessionExtension {
    private static let transferFeature = OfferedFile.namespace
    /// The maximum number of proxies that are asked for their addresses.
    private static let proxyLimit = 2

    private struct Key: Hashable {
        var peer: JID
        var sessionID: String
    }

    private struct State {
        var drivers: [Key: TransferDriver] = [:]
        /// The proxies of our server, asked for once per session.
        var proxies: [ProxyRequest.Response.Host]?
    }

    let session: Session
    private let policy: DirectTransferPolicy
    private let permitsLoopback: Bool
    private let state = Mutex(State())
    private let channel = EventChannel<Transfer>()
    private let jobs = AsyncStream.makeStream(of: TransferDriver.self)
    private let places: AsyncLock

    public convenience init(_ session: Session, policy: DirectTransferPolicy = DirectTransferPolicy()) {
        self.init(session, policy: policy, permitsLoopback: false)
    }

    /// - Parameter permitsLoopback: whether candidates on this machine are connected to, for tests.
    package init(_ session: Session, policy: DirectTransferPolicy, permitsLoopback: Bool) {
        self.session = session
        self.policy = policy
        self.permitsLoopback = permitsLoopback
        places = AsyncLock(limit: max(policy.maximumTransfers, 1))
    }

    /// The files that others offer, from now on. Each waits for ``Transfer/accept(into:)`` or ``Transfer/decline()``.
    public func offers() -> AsyncStream<Transfer> { channel.stream() }

    public var features: [String] {
        [Self.transferFeature, SOCKS5Transport.name.namespace, InBandTransport.name.namespace]
    }

    public var handlers: [IQHandler] {
        [
            IQHandler(JingleElement.self) { [self] element, iq in
                guard let peer = iq.from else { throw StanzaError(.badRequest) }
                try await received(element, from: peer)
            },
            IQHandler(InBandOpening.self) { [self] opening, iq in
                try await driver(expecting: opening.id, from: iq.from).opened(opening)
            },
            IQHandler(InBandBlock.self, feature: .none) { [self] block, iq in
                try await driver(expecting: block.id, from: iq.from).received(block)
            },
            IQHandler(InBandClosing.self, feature: .none) { [self] closing, iq in
                try await driver(expecting: closing.id, from: iq.from).closed()
            },
        ]
    }

    // MARK: Sending

    /// Whether a device announces that it receives files this way.
    public func isPossible(to device: JID) async throws(ClientError) -> Bool {
        try await features(of: device).isSuperset(of: [Self.transferFeature, InBandTransport.name.namespace])
    }

    /// Offers a file to a device. The transfer begins when its user accepts it.
    ///
    /// - Parameter file: with its size. A hash can be left out: it is then computed on the way.
    /// - Throws: `ClientError` with `refused` if the device cannot receive files, or `invalidConfiguration` without a
    ///   size or to an account instead of a device.
    public func send(
        _ file: OfferedFile, to device: JID, from source: any TransferSource
    ) async throws(ClientError) -> Transfer { try await send(file, to: device, from: source, id: Self.newID()) }

    /// - Parameter id: the identifier of the Jingle session, which no other session with this device has.
    package func send(
        _ file: OfferedFile, to device: JID, from source: any TransferSource, id: String
    ) async throws(ClientError) -> Transfer {
        guard file.size != nil, !device.isBare else {
            throw ClientError(.invalidConfiguration, "A file with its size is sent to one device.")
        }
        guard let own = await session.address else { throw ClientError(.notConnected, "Sending needs a connection.") }
        let features = try await features(of: device)
        guard features.contains(Self.transferFeature), features.contains(InBandTransport.name.namespace) else {
            throw ClientError(.refused, "The other device cannot receive files directly.")
        }
        var offered = file
        if offered.hashes.isEmpty { offered.hashAlgorithm = "sha-256" }
        let connections = await connections(
            Self.newID(), own: own, peer: device, usesCandidates: features.contains(SOCKS5Transport.name.namespace))
        let candidates =
            connections.offered.isEmpty
            ? nil
            : SOCKS5Transport(
                id: connections.id, destination: connections.destination, candidates: connections.offered)
        let machine = TransferMachine(
            offering: .init(sessionID: id, contentID: "file", file: offered, sender: own, receiver: device),
            candidates: candidates, fallback: InBandTransport(id: Self.newID(), blockSize: TransferLimits.blockSize))
        let driver = TransferDriver(
            machine, peer: device, session: session, policy: policy, connections: connections)
        state.withLock { $0.drivers[Key(peer: device, sessionID: id)] = driver }
        driver.begin(source)
        jobs.continuation.yield(driver)
        return driver.transfer
    }

    private func features(of device: JID) async throws(ClientError) -> Set<String> {
        if let discovery = session[ServiceDiscovery.self] {
            return try await discovery.information(of: device).features
        }
        return try await session.request(DiscoveryInformationRequest(), to: device).features
    }

    /// Others cannot guess it: 64 random bits.
    private static func newID() -> String { String(UInt64.random(in: .min ... .max), radix: 36) }

    // MARK: Receiving

    private func received(_ element: JingleElement, from peer: JID) async throws {
        let key = Key(peer: peer, sessionID: element.sessionID)
        if let driver = state.withLock({ $0.drivers[key] }) {
            do throws(JingleRefusal) {
                try await driver.received(element)
            } catch {
                throw error.stanzaError
            }
            return
        }
        guard element.action == .sessionInitiate else { throw JingleRefusal.unknownSession.stanzaError }
        guard let own = await session.address else { throw StanzaError(.serviceUnavailable) }
        let waiting = state.withLock { state in
            state.drivers.filter { $0.value.transfer.isWaitingOffer }.map(\.key.peer.bare)
        }
        let ofOne = waiting.count { $0 == peer.bare }
        guard waiting.count < TransferLimits.openOffers, ofOne < TransferLimits.openOffersOfOne else {
            return terminate(element.sessionID, JingleReason(.busy), at: peer)
        }
        let machine: TransferMachine
        do throws(JingleReason) {
            machine = try TransferMachine(answering: element, from: peer, to: own)
        } catch {
            return terminate(element.sessionID, error, at: peer)
        }
        let offered = machine.offeredCandidates
        let connections = await connections(
            offered?.id ?? Self.newID(), own: own, peer: peer, usesCandidates: offered != nil)
        let driver = TransferDriver(machine, peer: peer, session: session, policy: policy, connections: connections)
        let isNew = state.withLock { state in
            guard state.drivers[key] == nil else { return false }
            state.drivers[key] = driver
            return true
        }
        guard isNew else { throw JingleRefusal.outOfOrder.stanzaError }
        jobs.continuation.yield(driver)
        channel.post(driver.transfer)
    }

    /// Declines a session without a state for it. The answer to the request itself is sent first.
    private func terminate(_ id: String, _ reason: JingleReason, at peer: JID) {
        declined.continuation.yield((peer, JingleElement(.sessionTerminate, sessionID: id, reason: reason)))
    }

    private let declined = AsyncStream.makeStream(of: (JID, JingleElement).self, bufferingPolicy: .bufferingNewest(64))

    private func driver(expecting id: String, from peer: JID?) async throws -> TransferDriver {
        let drivers = state.withLock { state in state.drivers.filter { $0.key.peer == peer }.map(\.value) }
        for driver in drivers {
            if await driver.expects(id) { return driver }
        }
        throw StanzaError(.notAcceptable)
    }

    /// The number of offers that wait for the user.
    var openOffers: Int { state.withLock { $0.drivers.values.count { $0.transfer.isWaitingOffer } } }

    // MARK: Candidates

    private func connections(
        _ id: String, own: JID, peer: JID, usesCandidates: Bool
    ) async -> CandidateConnections {
        let proxies = usesCandidates ? await ownProxies() : []
        let listener = usesCandidates && policy.disclosesAddresses ? await listen() : nil
        var offered: [SOCKS5Transport.Candidate] = []
        if let listener {
            let hosts = LocalAddress.all().filter { permitsLoopback || $0.isReachableByOthers }
            for (place, address) in hosts.prefix(SOCKS5Transport.candidateLimit - Self.proxyLimit).enumerated() {
                offered.append(
                    SOCKS5Transport.Candidate(
                        id: Self.newID(), host: address.address, port: listener.address.port, address: own,
                        kind: .direct, localPreference: UInt16.max - UInt16(place)))
            }
        }
        for (place, proxy) in proxies.enumerated() {
            offered.append(
                SOCKS5Transport.Candidate(
                    id: Self.newID(), host: proxy.host, port: proxy.port, address: proxy.address, kind: .proxy,
                    localPreference: UInt16.max - UInt16(place)))
        }
        return CandidateConnections(
            id: id, own: own, peer: peer, offered: offered, listener: listener, proxies: proxies,
            disclosesAddresses: policy.disclosesAddresses, permitsLoopback: permitsLoopback)
    }

    private func listen() async -> TCPListener? {
        for literal in ["::", "0.0.0.0"] {
            if let any = SocketAddress(literal, port: 0), let listener = try? await TCPListener.listen(at: any) {
                return listener
            }
        }
        return nil
    }

    /// The proxies of our server (XEP-0065 §4).
    private func ownProxies() async -> [ProxyRequest.Response.Host] {
        if let known = state.withLock({ $0.proxies }) { return known }
        guard let discovery = session[ServiceDiscovery.self],
            let found = try? await discovery.service(
                offering: ProxyRequest.namespace, where: { $0.hasIdentity(category: "proxy", type: "bytestreams") }),
            let answer = try? await session.request(ProxyRequest(), to: found.address)
        else {
            state.withLock { $0.proxies = [] }
            return []
        }
        // ejabberd gives its proxy an address with a resource. No other device reaches a proxy at a loopback address.
        let hosts = Array(
            answer.hosts.filter { host in
                host.address.bare == found.address.bare
                    && (permitsLoopback || SocketAddress(host.host, port: host.port)?.isReachableByOthers != false)
            }.prefix(Self.proxyLimit))
        state.withLock { $0.proxies = hosts }
        return hosts
    }

    // MARK: Life

    /// The other devices have seen this one leave, and its transfers with it.
    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        guard !isResumed else { return }
        for driver in state.withLock({ Array($0.drivers.values) }) { driver.transfer.end(.connectionLost) }
    }

    /// Ends the transfers with devices of an account that are not online any more.
    ///
    /// - Parameter devices: those that are.
    public func endTransfers(with account: JID, exceptOn devices: Set<JID>) {
        let drivers = state.withLock { state in
            state.drivers.filter { $0.key.peer.bare == account.bare && !devices.contains($0.key.peer) }
        }
        for driver in drivers.values { driver.transfer.end(.peerLeft) }
    }

    public func run(in session: Session) async {
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await (peer, element) in self.declined.stream {
                    _ = try? await session.request(element, to: peer)
                }
            }
            for await driver in jobs.stream {
                group.addTask {
                    // Files that are sent wait for their turn, so that they do not delay each other.
                    let isOutgoing = driver.transfer.direction == .outgoing
                    if isOutgoing, await !self.places.enter() { return }
                    defer { if isOutgoing { self.places.leave() } }
                    await driver.run()
                    let key = Key(peer: driver.transfer.peer, sessionID: driver.transfer.id)
                    self.state.withLock { if $0.drivers[key] === driver { $0.drivers[key] = nil } }
                }
            }
            group.cancelAll()
        }
    }

    public func sessionEnded(_ session: Session) async {
        channel.finish()
        jobs.continuation.finish()
        declined.continuation.finish()
        for driver in state.withLock({ Array($0.drivers.values) }) { await driver.abandon() }
    }
}

extension Transfer {
    /// An offer of another device that waits for the user.
    fileprivate var isWaitingOffer: Bool { direction == .incoming && progress.phase == .offered }
}
