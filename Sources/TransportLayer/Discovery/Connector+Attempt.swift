extension Connector {
    /// Tries one candidate: its addresses in parallel, then the TLS handshake for direct TLS.
    func attempt(
        _ candidate: ConnectionCandidate, _ tls: TLSConfiguration, within timeout: Duration,
        _ progress: @Sendable (ConnectionProgress) -> Void
    ) async -> CandidateRace.Outcome {
        var attempts: [ConnectionAttempt] = []
        do throws(TransportError) {
            let connection = try await connect(candidate, tls, within: timeout, &attempts, progress)
            return CandidateRace.Outcome(result: .success(connection), attempts: attempts)
        } catch {
            return CandidateRace.Outcome(result: .failure(error), attempts: attempts)
        }
    }

    private func connect(
        _ candidate: ConnectionCandidate, _ tls: TLSConfiguration, within timeout: Duration,
        _ attempts: inout [ConnectionAttempt], _ progress: @Sendable (ConnectionProgress) -> Void
    ) async throws(TransportError) -> EstablishedConnection {
        let deadline = ContinuousClock.now + timeout
        let addresses: [SocketAddress]
        do throws(TransportError) {
            addresses = try await resolver(until: deadline).addresses(
                of: configuration.proxy?.host ?? candidate.host, port: configuration.proxy?.port ?? candidate.port)
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
        if let proxy = configuration.proxy {
            do throws(TransportError) {
                try await proxy.connect(
                    winner, to: candidate.host, port: candidate.port, within: ContinuousClock.now.duration(to: deadline)
                )
            } catch {
                attempts.append(ConnectionAttempt(target: "\(candidate)", outcome: error.description))
                throw error
            }
        }
        if let address = await winner.remoteAddress { progress(.connected(candidate, address)) }
        guard candidate.security == .directTLS else {
            return EstablishedConnection(transport: winner, candidate: candidate, tls: nil)
        }
        do throws(TransportError) {
            return try await secure(winner, candidate, tls, until: deadline)
        } catch {
            winner.abort()
            attempts.append(ConnectionAttempt(target: "\(candidate)", outcome: error.description))
            throw error
        }
    }

    /// Starts TLS, and WebSocket if that is the kind of the candidate.
    private func secure(
        _ transport: SocketTransport, _ candidate: ConnectionCandidate, _ tls: TLSConfiguration,
        until deadline: ContinuousClock.Instant
    ) async throws(TransportError) -> EstablishedConnection {
        func remaining() -> Duration { max(.milliseconds(1), ContinuousClock.now.duration(to: deadline)) }
        var settings = tls
        // A user needs longer to respond than a server.
        if !tls.trust.asksUser { settings.handshakeTimeout = min(settings.handshakeTimeout, remaining()) }
        guard let url = candidate.webSocketURL else {
            if settings.applicationProtocols.isEmpty {
                settings.applicationProtocols = [TLSConfiguration.xmppClientProtocol]
            }
            let information = try await transport.startTLS(settings)
            return EstablishedConnection(transport: transport, candidate: candidate, tls: information)
        }
        // The certificate may be for the host of the URL, which came over HTTPS or from the user, or for the domain
        // (XEP-0156 §2.2).
        settings.alternativeNames = [tls.serverName] + tls.alternativeNames
        settings.serverName = url.host
        settings.applicationProtocols = ["http/1.1"]
        let information = url.isSecure ? try await transport.startTLS(settings) : nil
        // The time of the user's decision does not count against the server.
        let timeout = tls.trust.asksUser ? configuration.candidateTimeout : remaining()
        let socket = try await WebSocketTransport.upgrade(
            transport, to: url, limits: configuration.webSocketLimits, timeout: timeout)
        return EstablishedConnection(transport: socket, candidate: candidate, tls: information)
    }

    /// The WebSocket services in the domain's host-meta file.
    func webSockets(
        of domain: String, _ tls: TLSConfiguration, _ deadline: ContinuousClock.Instant,
        _ attempts: inout [ConnectionAttempt], _ progress: @Sendable (ConnectionProgress) -> Void
    ) async throws(TransportError) -> [ConnectionCandidate] {
        let remaining = ContinuousClock.now.duration(to: deadline)
        // An IP address has no host-meta file.
        guard remaining > .zero, SocketAddress(domain, port: 0) == nil else { return [] }
        progress(.lookingForWebSocket(domain))
        let lookup = HostMetaLookup(
            resolver: configuration.resolver, proxy: configuration.proxy, trust: tls.trust,
            port: configuration.hostMetaPort,
            timeout: min(configuration.hostMetaTimeout, remaining))
        return try await lookup.webSocketURLs(of: domain, &attempts).map { ConnectionCandidate($0) }
    }
}
