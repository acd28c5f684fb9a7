import CCares

/// Looks up the services of a domain and the addresses of a host in DNS.
public struct Resolver: Sendable {
    public var configuration: ResolverConfiguration
    let loop: EventLoop

    public init(configuration: ResolverConfiguration = ResolverConfiguration(), loop: EventLoop = .shared) {
        self.configuration = configuration
        self.loop = loop
    }

    /// The SRV records of both kinds (RFC 6120 §3.2.1, XEP-0368 §3), unordered; empty if the domain has none.
    ///
    /// - Parameter domain: a domain name in A-labels.
    /// - Throws: `serviceNotOffered` if the domain says so by the target "."; `resolutionFailed` if both lookups
    ///   failed; `cancelled`.
    public func services(of domain: String) async throws(TransportError) -> [ServiceRecord] {
        let channel = DNSChannel(loop: loop)
        try await channel.open(configuration)
        async let secured = channel.services(ServiceRecord.Kind.directTLS.name(at: domain))
        async let plain = channel.services(ServiceRecord.Kind.startTLS.name(at: domain))
        let answers = [(ServiceRecord.Kind.directTLS, await secured), (.startTLS, await plain)]
        let isPastDeadline = await channel.isPastDeadline
        await channel.close()
        if Task.isCancelled { throw .cancelledByTask }

        var records: [ServiceRecord] = []
        var refused: Set<ServiceRecord.Kind> = []
        for (kind, answer) in answers {
            for record in answer.records {
                if record.host == "." {
                    refused.insert(kind)
                } else {
                    records.append(
                        ServiceRecord(
                            kind: kind, priority: record.priority, weight: record.weight, host: record.host,
                            port: record.port))
                }
            }
        }
        if !records.isEmpty { return records }
        // A domain may refuse only direct TLS and have no record for STARTTLS.
        if refused.contains(.startTLS) {
            throw TransportError(
                .serviceNotOffered, "The domain \(domain) says that it does not offer XMPP to clients.")
        }
        if let failed = answers.first(where: { !Self.isAbsence($0.1.status) }),
            !answers.contains(where: { $0.1.status == 0 })
        {
            throw failure(failed.1.status, isPastDeadline, "The service of \(domain)")
        }
        return []
    }

    /// The addresses of a host, IPv6 and IPv4, in the order of RFC 6724. A literal address and `localhost` need no
    /// lookup.
    ///
    /// - Throws: `hostNotFound`, `resolutionFailed`, `cancelled`.
    public func addresses(of host: String, port: UInt16) async throws(TransportError) -> [SocketAddress] {
        if let literal = SocketAddress(host, port: port) { return [literal] }
        // No query for the local host leaves the machine (RFC 6761 §6.3).
        let name = host.lowercased()
        if name == "localhost" || name.hasSuffix(".localhost") {
            return ["::1", "127.0.0.1"].compactMap { SocketAddress($0, port: port) }
        }
        let channel = DNSChannel(loop: loop)
        try await channel.open(configuration)
        let answer = await channel.addresses(host, port: port)
        let isPastDeadline = await channel.isPastDeadline
        await channel.close()
        if Task.isCancelled { throw .cancelledByTask }
        if !answer.addresses.isEmpty { return answer.addresses }
        if Self.isAbsence(answer.status) || answer.status == 0 {
            throw TransportError(.hostNotFound, "The host \(host) has no address.")
        }
        throw failure(answer.status, isPastDeadline, "The host \(host)")
    }

    /// Whether the result means that the name or record type does not exist.
    static func isAbsence(_ status: Int32) -> Bool {
        status == Int32(ARES_ENOTFOUND) || status == Int32(ARES_ENODATA)
    }

    func failure(_ status: Int32, _ isPastDeadline: Bool, _ subject: String) -> TransportError {
        let reason =
            isPastDeadline
            ? "the DNS servers did not respond within \(configuration.deadline)" : DNSChannel.message(status)
        return TransportError(.resolutionFailed, "\(subject) could not be looked up: \(reason).")
    }
}

extension Resolver {
    /// The SRV records of one kind as in DNS (RFC 2782), unordered, for diagnosing a domain that cannot be reached. A
    /// record with the host "." means that the service is explicitly not offered. For a connection, use
    /// ``services(of:)``.
    ///
    /// - Parameter domain: a domain name in A-labels.
    /// - Returns: an empty array if the domain has none.
    /// - Throws: `resolutionFailed` if no server responded; `cancelled`.
    public func records(
        _ kind: ServiceRecord.Kind, of domain: String
    ) async throws(TransportError) -> [ServiceRecord] {
        let channel = DNSChannel(loop: loop)
        try await channel.open(configuration)
        let answer = await channel.services(kind.name(at: domain))
        let isPastDeadline = await channel.isPastDeadline
        await channel.close()
        if Task.isCancelled { throw .cancelledByTask }
        if answer.status != 0, !Self.isAbsence(answer.status) {
            throw failure(answer.status, isPastDeadline, "The service \(kind.name(at: domain))")
        }
        return answer.records.map {
            ServiceRecord(kind: kind, priority: $0.priority, weight: $0.weight, host: $0.host, port: $0.port)
        }
    }
}

/// The DNS servers to query, and the timeouts.
public struct ResolverConfiguration: Sendable, Hashable {
    /// `address`, `address:port` or `[address]:port`; empty means those of the system (`/etc/resolv.conf`).
    public var servers: [String] = []
    /// The timeout for all queries of one lookup together.
    public var deadline = Duration.seconds(10)
    /// The timeout of the first query to one server; longer in later rounds.
    public var attempt = Duration.seconds(2)
    /// How many times each server is queried.
    public var attempts = 3
    /// Whether `/etc/hosts` is used before DNS for addresses.
    public var usesHostsFile = true

    public init() {}
}
