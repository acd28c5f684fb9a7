import CCares

/// Asks DNS where a domain's service is and what addresses a host has.
public struct Resolver: Sendable {
    public var configuration: ResolverConfiguration
    let loop: EventLoop

    public init(configuration: ResolverConfiguration = ResolverConfiguration(), loop: EventLoop = .shared) {
        self.configuration = configuration
        self.loop = loop
    }

    /// The SRV records of both kinds (RFC 6120 §3.2.1, XEP-0368 §3), in no order; empty when the domain has none.
    ///
    /// - Parameter domain: A-labels.
    /// - Throws: `serviceNotOffered` when the domain says so by the target "."; `resolutionFailed` when no server gave an answer to either
    ///   question; `cancelled`.
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
        // Direct TLS alone can be refused by a domain that needs no record for the rest.
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

    /// The addresses of a host, IPv6 and IPv4, in the order of RFC 6724. A literal address and `localhost` ask nobody.
    ///
    /// - Throws: `hostNotFound`, `resolutionFailed`, `cancelled`.
    public func addresses(of host: String, port: UInt16) async throws(TransportError) -> [SocketAddress] {
        if let literal = SocketAddress(host, port: port) { return [literal] }
        // Its own machine is nobody else's business (RFC 6761 §6.3).
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

    /// Whether the answer is that there is nothing of the name or the type.
    static func isAbsence(_ status: Int32) -> Bool {
        status == Int32(ARES_ENOTFOUND) || status == Int32(ARES_ENODATA)
    }

    func failure(_ status: Int32, _ isPastDeadline: Bool, _ subject: String) -> TransportError {
        let reason =
            isPastDeadline
            ? "the DNS servers did not answer within \(configuration.deadline)" : DNSChannel.words(status)
        return TransportError(.resolutionFailed, "\(subject) could not be looked up: \(reason).")
    }
}
