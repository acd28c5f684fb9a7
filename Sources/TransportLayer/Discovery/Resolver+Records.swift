extension Resolver {
    /// The SRV records of one kind as they stand in DNS (RFC 2782), in no order: for whoever looks into a domain that cannot be reached.
    /// A record whose host is "." says that the service is decidedly not offered. ``services(of:)`` is what a connection needs.
    ///
    /// - Parameter domain: A-labels.
    /// - Returns: no record when the domain has none.
    /// - Throws: `resolutionFailed` when no server gave an answer; `cancelled`.
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
