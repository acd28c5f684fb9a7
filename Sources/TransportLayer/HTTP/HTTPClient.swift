/// Downloads and uploads files over HTTPS, with the trust rules of the XMPP connection (for XEP-0363 and pictures).
public struct HTTPClient: Sendable {
    public struct Configuration: Sendable {
        public var trust: TrustPolicy
        /// How many redirections are followed (RFC 9110 §15.4); each to HTTPS only. Uploads follow none.
        public var redirections = 5
        /// For TCP and TLS together.
        public var connecting = Duration.seconds(20)
        /// How long nothing may move in either direction.
        public var stall = Duration.seconds(30)
        /// The least rate of a transfer, bytes a second on average over ``rateWindow``: a server that drips must not hold a
        /// transfer for days. The slowest mobile network has several times as much.
        public var leastRate = 512
        /// The time over which ``leastRate`` is measured; whole seconds.
        public var rateWindow = Duration.seconds(60)
        /// Whether `http:` is allowed for 127.0.0.0/8, ::1 and localhost: for development only.
        public var allowsLoopbackHTTP = false
        public var userAgent = "Hongyan"
        /// For everything together, redirections included. The default is that of a large file on a slow line: 100 MiB at
        /// 5 KiB a second.
        public var total = Duration.seconds(6 * 3600)
        /// Which DNS servers are asked; `nil` leaves it to curl, which asks those of the system.
        public var resolver: ResolverConfiguration?

        public init(trust: TrustPolicy = .system) {
            self.trust = trust
        }
    }

    /// Whether this client would transfer anything from or to the address: the rule for addresses that are passed on.
    ///
    /// - Throws: `invalidConfiguration` for anything but `https:` and what ``Configuration/allowsLoopbackHTTP`` allows.
    public func check(_ url: String) throws(TransportError) {
        _ = try HTTPURL(url, allowsLoopbackHTTP: configuration.allowsLoopbackHTTP)
    }

    /// Called from the thread of the transfers whenever bytes have moved; must return soon.
    public typealias ProgressHandler = @Sendable (HTTPProgress) -> Void

    public var configuration: Configuration

    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Downloads into memory.
    ///
    /// - Parameter limit: the most bytes accepted.
    /// - Throws: `httpStatus`, `tooLarge`, `certificateRefused`, `timedOut`, `cancelled`, `httpFailed`, `invalidConfiguration`.
    public func download(
        _ url: String, headers: [HTTPHeader] = [], limit: Int, progress: ProgressHandler? = nil
    ) async throws(TransportError) -> HTTPResponse {
        try await perform(
            HTTPRequest(url: url, headers: headers, body: .none, destination: .memory, limit: limit, progress: progress)
        )
    }

    /// Downloads into a file, which appears under its name only when it is complete. It is readable by its owner alone.
    public func download(
        _ url: String, toFile path: String, headers: [HTTPHeader] = [], limit: Int, progress: ProgressHandler? = nil
    ) async throws(TransportError) -> HTTPResponse {
        try await perform(
            HTTPRequest(
                url: url, headers: headers, body: .none, destination: .file(path), limit: limit, progress: progress))
    }

    /// Uploads bytes with PUT.
    public func upload(
        _ bytes: [UInt8], to url: String, headers: [HTTPHeader] = [], progress: ProgressHandler? = nil
    ) async throws(TransportError) -> HTTPResponse {
        try await perform(
            HTTPRequest(
                url: url, headers: headers, body: .bytes(bytes), destination: .memory, limit: Self.answerLimit,
                progress: progress))
    }

    /// Uploads a file with PUT.
    public func upload(
        file path: String, to url: String, headers: [HTTPHeader] = [], progress: ProgressHandler? = nil
    ) async throws(TransportError) -> HTTPResponse {
        try await perform(
            HTTPRequest(
                url: url, headers: headers, body: .file(path), destination: .memory, limit: Self.answerLimit,
                progress: progress))
    }

    /// What a server says to an upload is a sentence or a page for a person.
    private static let answerLimit = 1 << 20

    private func perform(_ first: HTTPRequest) async throws(TransportError) -> HTTPResponse {
        var request = first
        var trust = configuration.trust
        var followed = 0
        let deadline = ContinuousClock.now + configuration.total
        try await trust.prepare()
        while true {
            let target = try HTTPURL(request.url, allowsLoopbackHTTP: configuration.allowsLoopbackHTTP)
            var settings = configuration
            settings.total = max(.milliseconds(1), ContinuousClock.now.duration(to: deadline))
            var addresses: [SocketAddress] = []
            if var resolver = settings.resolver, SocketAddress(target.host, port: 0) == nil {
                resolver.deadline = min(resolver.deadline, settings.total)
                addresses = try await Resolver(configuration: resolver).addresses(of: target.host, port: target.port)
            }
            let outcome = await HTTPEngine.shared.run(
                HTTPTransfer(
                    request: request, target: target, addresses: addresses, configuration: settings, trust: trust))
            switch outcome {
            case .response(let response): return response
            case .failed(let error): throw error
            case .undecided(let evaluation):
                // curl cannot wait for a person inside of its handshake: the transfer is begun again with what was accepted.
                guard await trust.ask(evaluation), let leaf = evaluation.certificates.first else {
                    throw evaluation.refusal
                }
                trust = .pinned([leaf.sha256Fingerprint])
            case .redirected(let location):
                guard request.body.isNone else {
                    throw TransportError(
                        .httpFailed, "The server redirected the upload to \(location), which is not followed.")
                }
                followed += 1
                guard followed <= configuration.redirections else {
                    throw TransportError(
                        .httpFailed, "The server redirected more than \(configuration.redirections) times.")
                }
                let next = try HTTPURL(location, allowsLoopbackHTTP: configuration.allowsLoopbackHTTP)
                guard next.isSecure || !target.isSecure else {
                    throw TransportError(
                        .httpFailed, "The server redirected from HTTPS to \(location), which is not encrypted.")
                }
                // What authorises us at one server, and a certificate that was accepted for it, say nothing about another one:
                // a second port of a host can belong to somebody else (RFC 6454 §4).
                if (next.host, next.port) != (target.host, target.port) {
                    request.headers = []
                    trust = configuration.trust
                }
                request.url = location
            }
        }
    }
}
