/// Finds the server of a domain and connects to the first usable endpoint.
public struct Connector: Sendable {
    public struct Configuration: Sendable {
        public var resolver = ResolverConfiguration()
        public var limits = TransportLimits()
        /// The timeout of one candidate: all its addresses and, with direct TLS, its handshake.
        public var candidateTimeout = Duration.seconds(15)
        /// The timeout of all candidates together.
        public var deadline = Duration.seconds(60)
        /// The head start of a candidate before the next one is tried in parallel. A server on the other side of the
        /// world has responded by then, including DNS, TCP and TLS, and the delay is still acceptable for a user.
        public var candidateDelay = Duration.seconds(1)
        /// The head start of an address before the next one is tried in parallel (RFC 8305 §5 "Connection Attempt
        /// Delay").
        public var addressDelay = Duration.milliseconds(250)

        /// The proxy through which everything goes.
        public var proxy: Proxy?
        /// When to use WebSocket for a domain.
        public var webSocket = WebSocketPolicy.whenBlocked
        public var webSocketLimits = WebSocketLimits()
        /// Whether ``ConnectionTarget/webSocket(_:)`` allows `ws:` for loopback; only for tests.
        public var allowsPlaintextWebSocket = false
        /// The timeout for the host-meta file in both formats, including DNS and redirects.
        public var hostMetaTimeout = Duration.seconds(10)
        /// The port of HTTPS; different in tests.
        var hostMetaPort: UInt16 = 443

        public init() {}
    }

    public var configuration: Configuration
    let loop: EventLoop
    private let isLoopChosen: Bool

    /// - Parameter loop: The loop of the connections; by default that of the session for which they are made.
    public init(configuration: Configuration = Configuration(), loop: EventLoop? = nil) {
        self.configuration = configuration
        self.loop = loop ?? .shared
        isLoopChosen = loop != nil
    }

    /// The same connector for connections on a loop, unless it was made for another one.
    package func on(_ loop: EventLoop) -> Connector {
        isLoopChosen ? self : Connector(configuration: configuration, loop: loop)
    }

    /// Connects.
    ///
    /// The candidates are tried in order (RFC 2782), each with a head start of ``Configuration/candidateDelay`` before
    /// the next one is tried in parallel; after all earlier ones have failed, the next one starts at once. The first
    /// usable connection wins: TCP is connected, and TLS too if it comes first. The others are aborted before any data
    /// was sent on them, so there is never a second login.
    ///
    /// If all candidates of a domain failed for network reasons only, XMPP over WebSocket is tried
    /// (``Configuration/webSocket``, XEP-0156). The transport is message-based then.
    ///
    /// - Parameters:
    ///   - tls: the configuration for candidates with direct TLS; ALPN then offers `xmpp-client`, which the server need
    ///     not select. Its name is the domain of the JID, whatever the host.
    ///   - avoided: candidates to try after all others, because earlier connections to them failed.
    ///   - progress: called for each step; steps of candidates that are tried in parallel are interleaved.
    /// - Throws: `serviceNotOffered`; `certificateRefused` if any candidate failed with it; otherwise
    ///   `allCandidatesFailed`, or the error itself for a single candidate. `attempts` lists what was tried.
    public func connect(
        to target: ConnectionTarget, tls: TLSConfiguration, avoiding avoided: Set<ConnectionCandidate> = [],
        progress: @escaping @Sendable (ConnectionProgress) -> Void = { _ in }
    ) async throws(TransportError) -> EstablishedConnection {
        let deadline = ContinuousClock.now + configuration.deadline
        let questions = TrustQuestions()
        var settings = tls
        settings.trust = tls.trust.asking(through: questions)
        func race(_ found: [ConnectionCandidate]) async -> CandidateRace.Finish {
            let ordered = found.filter { !avoided.contains($0) } + found.filter { avoided.contains($0) }
            let race = CandidateRace(
                candidates: Array(ordered.prefix(Self.maximumCandidates)), delay: configuration.candidateDelay,
                deadline: deadline, questions: questions, stopsAtRefusal: tls.trust.asksUser, progress: progress
            ) { [settings] candidate in
                let remaining = ContinuousClock.now.duration(to: deadline)
                return await attempt(
                    candidate, settings, within: min(configuration.candidateTimeout, remaining), progress)
            }
            return await race.run()
        }
        var attempts: [ConnectionAttempt] = []
        let first = await race(try await candidates(target, deadline, &attempts, progress))
        if let winner = first.winner { return winner }
        attempts += first.attempts
        var errors = first.errors
        if case .domain(let domain) = target, configuration.webSocket.isAllowed(after: errors) {
            let found = try await webSockets(of: domain, settings, deadline, &attempts, progress)
            let second = await race(found)
            if let winner = second.winner { return winner }
            attempts += second.attempts
            errors += second.errors
        }
        if Task.isCancelled { throw .cancelledByTask }
        throw Self.summary(errors, attempts, target)
    }

    /// The maximum number of candidates: trying more would take longer than users wait.
    private static let maximumCandidates = 16

    /// The candidates, in order.
    private func candidates(
        _ target: ConnectionTarget, _ deadline: ContinuousClock.Instant, _ attempts: inout [ConnectionAttempt],
        _ progress: @Sendable (ConnectionProgress) -> Void
    ) async throws(TransportError) -> [ConnectionCandidate] {
        switch target {
        case .webSocket(let text):
            let allowsPlaintext = configuration.allowsPlaintextWebSocket
            return [ConnectionCandidate(try WebSocketURL(text, allowsPlaintext: allowsPlaintext))]
        case .host(let host, let port, let security):
            guard configuration.webSocket != .only else {
                throw TransportError(
                    .invalidConfiguration, "Only WebSocket is allowed, and \(host) is not a WebSocket URL.")
            }
            let port = port.flatMap { $0 == 0 ? nil : $0 } ?? ConnectionCandidate.defaultPort
            return [ConnectionCandidate(host: host, port: port, security: security)]
        case .domain(let domain):
            if configuration.webSocket == .only { return [] }
            let own = ConnectionCandidate(host: domain, port: ConnectionCandidate.defaultPort, security: .startTLS)
            if SocketAddress(domain, port: 0) != nil { return [own] }
            if configuration.proxy?.avoidsDNS == true {
                let port = ConnectionCandidate.defaultDirectTLSPort
                return [own, ConnectionCandidate(host: domain, port: port, security: .directTLS)]
            }
            progress(.resolving(domain))
            do throws(TransportError) {
                let records = try await resolver(until: deadline).services(of: domain)
                var generator = SystemRandomNumberGenerator()
                let ordered = ServiceRecord.ordered(records, using: &generator)
                guard !ordered.isEmpty else { return [own] }
                return ordered.map { ConnectionCandidate(host: $0.host, port: $0.port, security: $0.kind) }
            } catch {
                guard error.code == .resolutionFailed else { throw error }
                attempts.append(ConnectionAttempt(target: "SRV of \(domain)", outcome: error.description))
                return [own]
            }
        }
    }

    func resolver(until deadline: ContinuousClock.Instant) -> Resolver {
        var settings = configuration.resolver
        settings.deadline = max(.milliseconds(1), min(settings.deadline, ContinuousClock.now.duration(to: deadline)))
        return Resolver(configuration: settings, loop: loop)
    }

    /// The most informative error.
    private static func summary(
        _ errors: [TransportError], _ attempts: [ConnectionAttempt], _ target: ConnectionTarget
    ) -> TransportError {
        var error: TransportError
        if let refusal = errors.first(where: { $0.code == .certificateRefused }) {
            error = refusal
        } else if let only = errors.first, errors.count == 1, attempts.count == 1 {
            error = only
        } else {
            let name =
                switch target {
                case .domain(let domain): domain
                case .host(let host, _, _): host
                case .webSocket(let url): url
                }
            let tried = attempts.map(\.description).joined(separator: " ")
            let code = Set(errors.map(\.code)) == [.timedOut] ? TransportError.Code.timedOut : .allCandidatesFailed
            error = TransportError(code, "No server of \(name) could be reached. \(tried)")
        }
        error.attempts = attempts
        return error
    }
}
