/// Finds the server of a domain and connects to the first place that answers.
public struct Connector: Sendable {
    public struct Configuration: Sendable {
        public var resolver = ResolverConfiguration()
        public var limits = TransportLimits()
        /// For one candidate: all its addresses and, with direct TLS, its handshake.
        public var candidateTimeout = Duration.seconds(15)
        /// For everything together.
        public var deadline = Duration.seconds(60)
        /// The head start of an address before the next one is tried beside it (RFC 8305 §5 "Connection Attempt Delay").
        public var addressDelay = Duration.milliseconds(250)

        public init() {}
    }

    public var configuration: Configuration
    private let loop: EventLoop

    public init(configuration: Configuration = Configuration(), loop: EventLoop = .shared) {
        self.configuration = configuration
        self.loop = loop
    }

    /// Connects.
    ///
    /// - Parameters:
    ///   - tls: used for candidates with direct TLS; `xmpp-client` is offered by ALPN then. Its name is the JID's domain, whatever host is
    ///     connected to.
    ///   - progress: called as things happen.
    /// - Throws: `serviceNotOffered`; `certificateRefused` when that was the reason anywhere; otherwise `allCandidatesFailed`, or the error
    ///   itself if there was one candidate only. `attempts` tells what was tried.
    public func connect(
        to target: ConnectionTarget, tls: TLSConfiguration, progress: @Sendable (ConnectionProgress) -> Void = { _ in }
    ) async throws(TransportError) -> EstablishedConnection {
        let deadline = ContinuousClock.now + configuration.deadline
        var attempts: [ConnectionAttempt] = []
        var errors: [TransportError] = []
        for candidate in try await candidates(target, deadline, &attempts, progress) {
            let remaining = ContinuousClock.now.duration(to: deadline)
            guard remaining > .zero else {
                attempts.append(
                    ConnectionAttempt(
                        target: "\(candidate)", outcome: "not tried: \(configuration.deadline) have passed"))
                continue
            }
            progress(.connecting(candidate))
            do throws(TransportError) {
                return try await connect(
                    candidate, tls, within: min(configuration.candidateTimeout, remaining), &attempts, progress)
            } catch {
                if error.code == .cancelled { throw error }
                errors.append(error)
                progress(
                    .failed(attempts.last ?? ConnectionAttempt(target: "\(candidate)", outcome: error.description)))
                // Whoever has said no is not asked again for the next host of the same domain.
                if error.code == .certificateRefused && tls.trust.asksPerson { break }
            }
        }
        throw Self.summary(errors, attempts, target)
    }

    /// The places to try, in order.
    private func candidates(
        _ target: ConnectionTarget, _ deadline: ContinuousClock.Instant, _ attempts: inout [ConnectionAttempt],
        _ progress: (ConnectionProgress) -> Void
    ) async throws(TransportError) -> [ConnectionCandidate] {
        switch target {
        case .host(let host, let port, let security):
            let port = port.flatMap { $0 == 0 ? nil : $0 } ?? ConnectionCandidate.defaultPort
            return [ConnectionCandidate(host: host, port: port, security: security)]
        case .domain(let domain):
            let own = ConnectionCandidate(host: domain, port: ConnectionCandidate.defaultPort, security: .startTLS)
            if SocketAddress(domain, port: 0) != nil { return [own] }
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

    private func resolver(until deadline: ContinuousClock.Instant) -> Resolver {
        var settings = configuration.resolver
        settings.deadline = max(.milliseconds(1), min(settings.deadline, ContinuousClock.now.duration(to: deadline)))
        return Resolver(configuration: settings, loop: loop)
    }

    private func connect(
        _ candidate: ConnectionCandidate, _ tls: TLSConfiguration, within timeout: Duration,
        _ attempts: inout [ConnectionAttempt], _ progress: (ConnectionProgress) -> Void
    ) async throws(TransportError) -> EstablishedConnection {
        let deadline = ContinuousClock.now + timeout
        let addresses: [SocketAddress]
        do throws(TransportError) {
            addresses = try await resolver(until: deadline).addresses(of: candidate.host, port: candidate.port)
        } catch {
            attempts.append(ConnectionAttempt(target: "\(candidate)", outcome: error.description))
            throw error
        }
        let race = AddressRace(
            addresses: addresses, delay: configuration.addressDelay, deadline: deadline, limits: configuration.limits,
            loop: loop)
        let (winner, failures) = await race.run()
        attempts += failures.map {
            ConnectionAttempt(target: "\(candidate)", address: "\($0.address)", outcome: $0.error.description)
        }
        guard let winner else { throw failures.last?.error ?? .cancelledByTask }
        if let address = await winner.remoteAddress { progress(.connected(candidate, address)) }
        guard candidate.security == .directTLS else {
            return EstablishedConnection(transport: winner, candidate: candidate, tls: nil)
        }
        var settings = tls
        if settings.applicationProtocols.isEmpty {
            settings.applicationProtocols = [TLSConfiguration.xmppClientProtocol]
        }
        // A person needs longer to answer than a server.
        if !tls.trust.asksPerson {
            settings.handshakeTimeout = min(
                settings.handshakeTimeout, max(.milliseconds(1), ContinuousClock.now.duration(to: deadline)))
        }
        do throws(TransportError) {
            let information = try await winner.startTLS(settings)
            return EstablishedConnection(transport: winner, candidate: candidate, tls: information)
        } catch {
            winner.abort()
            attempts.append(ConnectionAttempt(target: "\(candidate)", outcome: error.description))
            throw error
        }
    }

    /// The error that says most.
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
                }
            let tried = attempts.map(\.description).joined(separator: " ")
            let code = Set(errors.map(\.code)) == [.timedOut] ? TransportError.Code.timedOut : .allCandidatesFailed
            error = TransportError(code, "No server of \(name) could be reached. \(tried)")
        }
        error.attempts = attempts
        return error
    }
}
