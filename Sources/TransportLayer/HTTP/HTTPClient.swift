/// Downloads and uploads files over HTTPS with the trust policy of the XMPP connection (for XEP-0363 and pictures).
public struct HTTPClient: Sendable {
    public struct Configuration: Sendable {
        public var trust: TrustPolicy
        /// The maximum number of redirects (RFC 9110 §15.4), only to HTTPS. Uploads follow none.
        public var redirections = 5
        /// The timeout for TCP and TLS together.
        public var connecting = Duration.seconds(20)
        /// The timeout without any bytes in either direction.
        public var stall = Duration.seconds(30)
        /// The minimum rate of a transfer in bytes per second, averaged over ``rateWindow``, so that a very slow server
        /// cannot hold a transfer for days. The slowest mobile network has several times as much.
        public var minimumRate = 512
        /// The time over which ``minimumRate`` is measured, in whole seconds.
        public var rateWindow = Duration.seconds(60)
        /// Whether `http:` is allowed for 127.0.0.0/8, ::1 and localhost; only for development.
        public var allowsLoopbackHTTP = false
        public var userAgent = "Hongyan"
        /// The timeout of the whole transfer, including redirects. The default fits a large file on a slow connection:
        /// 100 MiB at 5 KiB per second.
        public var total = Duration.seconds(6 * 3600)
        /// The DNS servers to query; `nil` leaves the lookup to curl, which uses those of the system.
        public var resolver: ResolverConfiguration?
        /// The proxy through which all transfers go; it looks up the addresses of hosts. `nil` leaves the choice to the
        /// variables of the environment that curl knows (`https_proxy`, `all_proxy`).
        public var proxy: Proxy?
        /// The certificate for servers that request one. It is shown for uploads only, because the addresses of downloads come
        /// from others, who would learn who the user is.
        public var identity: TLSIdentity?

        public init(trust: TrustPolicy = .system) {
            self.trust = trust
        }
    }

    /// Checks whether this client can use the URL, for example before passing it on.
    ///
    /// - Throws: `invalidConfiguration` for anything but `https:` and what ``Configuration/allowsLoopbackHTTP`` allows.
    public func check(_ url: String) throws(TransportError) {
        _ = try HTTPURL(url, allowsLoopbackHTTP: configuration.allowsLoopbackHTTP)
    }

    /// Called on the transfer thread whenever bytes were transferred; must return quickly.
    public typealias ProgressHandler = @Sendable (HTTPProgress) -> Void

    public var configuration: Configuration

    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    /// Downloads into memory.
    ///
    /// - Parameter limit: the maximum number of bytes.
    /// - Throws: `httpStatus`, `tooLarge`, `certificateRefused`, `timedOut`, `cancelled`, `httpFailed`, `invalidConfiguration`.
    public func download(
        _ url: String, headers: [HTTPHeader] = [], limit: Int, progress: ProgressHandler? = nil
    ) async throws(TransportError) -> HTTPResponse {
        try await perform(
            HTTPRequest(url: url, headers: headers, body: .none, destination: .memory, limit: limit, progress: progress)
        )
    }

    /// Downloads into a file, which gets its name only when it is complete. Only its owner can read it.
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

    /// The limit for a response to an upload, which is a message or a page for a user.
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
            if settings.proxy == nil, var resolver = settings.resolver, SocketAddress(target.host, port: 0) == nil {
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
                // curl cannot wait for the user during its handshake: the transfer restarts with the accepted
                // certificate.
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
                // Credentials and an accepted certificate are valid for one server only: another port of a host may
                // belong to someone else (RFC 6454 §4).
                if (next.host, next.port) != (target.host, target.port) {
                    request.headers = []
                    trust = configuration.trust
                }
                request.url = location
            }
        }
    }
}
