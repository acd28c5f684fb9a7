internal import Cryptography
internal import TransportLayer
internal import Waiting
internal import XMPPAddress

/// The connections of one transfer to candidates and from them (XEP-0260 §2.3, XEP-0065 §5).
///
/// A connection discloses to the other end the network address of this device. So without permission only proxies of our own
/// server are connected to, at the address that our server has stated.
actor CandidateConnections {
    /// How long one candidate is tried, and all of them together.
    private static let attemptTimeout = Duration.seconds(8)
    /// The next candidate is tried after this time, while earlier attempts continue (XEP-0260 §4).
    private static let stagger = Duration.milliseconds(200)
    /// The maximum number of connections that wait for their handshake.
    private static let openHandshakes = 8

    /// The identifier of the bytestream.
    nonisolated let id: String
    /// What this side offers.
    nonisolated let offered: [SOCKS5Transport.Candidate]
    private nonisolated let own: JID
    private nonisolated let peer: JID
    private nonisolated let disclosesAddresses: Bool
    private nonisolated let permitsLoopback: Bool
    private nonisolated let proxies: [ProxyRequest.Response.Host]
    private let listener: TCPListener?
    private var arrived: SocketTransport?
    private let arrival = Signal()
    private var isClosed = false

    init(
        id: String, own: JID, peer: JID, offered: [SOCKS5Transport.Candidate], listener: TCPListener?,
        proxies: [ProxyRequest.Response.Host], disclosesAddresses: Bool, permitsLoopback: Bool
    ) {
        self.id = id
        self.own = own
        self.peer = peer
        self.offered = offered
        self.listener = listener
        self.proxies = proxies
        self.disclosesAddresses = disclosesAddresses
        self.permitsLoopback = permitsLoopback
    }

    /// The name of a bytestream at a proxy, for the candidates of one side (XEP-0260 §2.2).
    nonisolated static func destination(_ id: String, of owner: JID, to other: JID) -> String {
        Hex.encode(SHA1.hash(Array("\(id)\(owner)\(other)".utf8)))
    }

    /// That of our candidates.
    nonisolated var destination: String { Self.destination(id, of: own, to: peer) }

    // MARK: Connecting

    /// Connects to the candidates of the other side, the best first.
    func connect(
        to transport: SOCKS5Transport, from peer: JID
    ) async -> (id: String, connection: SocketTransport)? {
        let computed = Self.destination(id, of: peer, to: own)
        let announced = transport.destination?.lowercased()
        let destination = announced.flatMap { $0.utf8.count == 40 ? $0 : nil } ?? computed
        let candidates = transport.candidates.filter(isPermitted).sorted { $0.priority > $1.priority }
        return await withTaskGroup(of: (String, SocketTransport)?.self) { group in
            var running = candidates.count
            guard running > 0 else { return nil }
            for (place, candidate) in candidates.enumerated() {
                group.addTask {
                    guard (try? await Task.sleep(for: Self.stagger * place)) != nil else { return nil }
                    let (host, port) = self.place(of: candidate)
                    return await self.open(host, port, destination).map { (candidate.id, $0) }
                }
            }
            group.addTask {
                // The end of the time for all: the attempts that are left are cancelled.
                try? await Task.sleep(for: Self.attemptTimeout)
                return nil
            }
            var best: (String, SocketTransport)?
            let start = ContinuousClock.now
            for await result in group {
                running -= 1
                if let result {
                    if best == nil { best = result } else { result.1.abort() }
                }
                if best != nil || running <= 0 || start.duration(to: .now) >= Self.attemptTimeout { group.cancelAll() }
            }
            return best
        }
    }

    /// Connects to one of our own proxies.
    func connectToOwnProxy(_ candidate: SOCKS5Transport.Candidate) async -> SocketTransport? {
        await open(candidate.host, candidate.port, destination)
    }

    private nonisolated func isPermitted(_ candidate: SOCKS5Transport.Candidate) -> Bool {
        disclosesAddresses || proxies.contains { $0.address == candidate.address }
    }

    /// A proxy of our own server is where our server says, and not where the other side says.
    private nonisolated func place(of candidate: SOCKS5Transport.Candidate) -> (String, UInt16) {
        guard candidate.kind == .proxy, let known = proxies.first(where: { $0.address == candidate.address }) else {
            return (candidate.host, candidate.port)
        }
        return (known.host, known.port)
    }

    private nonisolated func open(_ host: String, _ port: UInt16, _ destination: String) async -> SocketTransport? {
        guard let addresses = try? await Resolver().addresses(of: host, port: port) else { return nil }
        for address in addresses where permitsLoopback || address.isReachableByOthers {
            guard let connection = try? await SocketTransport.connect(to: address, timeout: Self.attemptTimeout) else {
                continue
            }
            if await Self.withTimeout({ await Self.join(connection, destination) }) { return connection }
            connection.abort()
        }
        return nil
    }

    private static func join(_ connection: SocketTransport, _ destination: String) async -> Bool {
        var handshake = SOCKS5Handshake(connectingTo: destination)
        do {
            try await connection.write(SOCKS5Handshake.greeting)
            return try await exchange(connection, &handshake)
        } catch {
            return false
        }
    }

    /// The file begins only after the handshake, so bytes that follow it too early are an error.
    private static func exchange(
        _ connection: SocketTransport, _ handshake: inout SOCKS5Handshake
    ) async throws -> Bool {
        while true {
            let bytes = try await connection.read()
            guard !bytes.isEmpty, bytes.count <= TransferLimits.handshakeBytes else { return false }
            switch try handshake.received(bytes) {
            case .needsMore: continue
            case .write(let answer): try await connection.write(answer)
            case .finished(let answer, let rest):
                if !answer.isEmpty { try await connection.write(answer) }
                return rest.isEmpty
            }
        }
    }

    private static func withTimeout(_ body: @escaping @Sendable () async -> Bool) async -> Bool {
        await withTaskGroup(of: Bool.self) { group in
            group.addTask { await body() }
            group.addTask {
                try? await Task.sleep(for: attemptTimeout)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
    }

    // MARK: Being connected to

    /// Accepts connections of the other side until the task is cancelled.
    func listen() async {
        guard let listener else { return }
        let places = AsyncLock(limit: Self.openHandshakes)
        await withDiscardingTaskGroup { group in
            while let connection = try? await listener.accept() {
                guard await places.enter() else { break }
                let destination = destination
                group.addTask {
                    defer { places.leave() }
                    let isJoined = await Self.withTimeout {
                        var handshake = SOCKS5Handshake(expecting: destination)
                        return (try? await Self.exchange(connection, &handshake)) ?? false
                    }
                    if isJoined { await self.arrived(connection) } else { connection.abort() }
                }
            }
            group.cancelAll()
        }
    }

    private func arrived(_ connection: SocketTransport) {
        guard arrived == nil, !isClosed else { return connection.abort() }
        arrived = connection
        arrival.send()
    }

    /// The connection that the other side has made.
    func accepted() async -> SocketTransport? {
        while arrived == nil, !isClosed, !Task.isCancelled { await arrival.wait() }
        return arrived
    }

    func close() async {
        isClosed = true
        arrived?.abort()
        arrival.send()
        await listener?.close()
    }
}

extension SocketAddress {
    /// Not this machine itself, and not an address of a group or of a single link: no peer can make this device connect
    /// to its own services.
    var isReachableByOthers: Bool {
        var text = address.lowercased()
        if text.hasPrefix("::ffff:"), text.contains(".") { text = String(text.dropFirst(7)) }
        if text.contains(":") {
            let isLocal =
                text == "::" || text == "::1" || text.hasPrefix("fe8") || text.hasPrefix("fe9")
                || text.hasPrefix("fea") || text.hasPrefix("feb") || text.hasPrefix("ff") || text.hasPrefix("::ffff:")
            return !isLocal
        }
        let parts = text.split(separator: ".").compactMap { UInt8($0) }
        guard parts.count == 4 else { return false }
        return parts[0] != 0 && parts[0] != 127 && parts[0] < 224 && !(parts[0] == 169 && parts[1] == 254)
    }
}
