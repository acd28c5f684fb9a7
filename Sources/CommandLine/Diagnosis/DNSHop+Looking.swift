internal import TransportLayer
internal import XMPPAddress

extension DNSHop {
    /// More places than these are not looked at: no domain needs as many, and each may cost its whole deadline.
    static let mostCandidates = 8

    /// Asks DNS about the domain, each question under its own deadline.
    static func look(at domain: JID, _ settings: DiagnosisSettings) async -> DNSHop {
        let clock = ContinuousClock()
        let start = clock.now
        var hop = DNSHop(domain: domain.asciiDomain)
        if let host = settings.host {
            let security: ServiceRecord.Kind = settings.usesDirectTLS ? .directTLS : .startTLS
            let port = settings.port ?? (settings.usesDirectTLS ? 5223 : ConnectionCandidate.defaultPort)
            hop.isFixed = true
            hop.candidates = [ConnectionCandidate(host: host, port: port, security: security)]
        } else if domain.domainKind != .name {
            hop.isFixed = true
            hop.candidates = [hop.fallback]
        } else {
            await hop.findServices(settings.resolver)
        }
        hop.hosts = await hostLookups(of: hop.candidates, settings.resolver)
        hop.duration = clock.now - start
        return hop
    }

    /// The domain itself, where there are no records (RFC 6120 §3.2.2).
    private var fallback: ConnectionCandidate {
        ConnectionCandidate(host: domain, port: ConnectionCandidate.defaultPort, security: .startTLS)
    }

    private mutating func findServices(_ resolver: ResolverConfiguration) async {
        async let secured = Self.lookup(.directTLS, domain, resolver)
        async let plain = Self.lookup(.startTLS, domain, resolver)
        services = await [secured, plain]
        var generator = SystemRandomNumberGenerator()
        let offered = services.flatMap(\.records).filter { $0.host != "." }
        records = Array(ServiceRecord.ordered(offered, using: &generator).prefix(Self.mostCandidates))
        candidates = records.map { ConnectionCandidate(host: $0.host, port: $0.port, security: $0.kind) }
        // Direct TLS alone can be refused by a domain that needs no record for the rest.
        let isRefused = services.contains { $0.kind == .startTLS && $0.isRefused }
        if candidates.isEmpty, !isRefused { candidates = [fallback] }
    }

    private static func lookup(
        _ kind: ServiceRecord.Kind, _ domain: String, _ resolver: ResolverConfiguration
    ) async -> ServiceLookup {
        let clock = ContinuousClock()
        let start = clock.now
        var lookup = ServiceLookup(kind: kind, name: kind.name(at: domain), duration: .zero)
        do throws(TransportError) {
            lookup.records = try await Resolver(configuration: resolver).records(kind, of: domain)
        } catch {
            lookup.failure = error.description
            lookup.isLate = clock.now - start >= resolver.deadline
        }
        lookup.duration = clock.now - start
        return lookup
    }

    private static func hostLookups(
        of candidates: [ConnectionCandidate], _ resolver: ResolverConfiguration
    ) async -> [HostLookup] {
        var names: [String] = []
        for candidate in candidates where !names.contains(candidate.host) { names.append(candidate.host) }
        return await concurrently(names) { name in
            let clock = ContinuousClock()
            let start = clock.now
            var lookup = HostLookup(host: name, duration: .zero)
            do throws(TransportError) {
                // The port is of no account here, but c-ares takes no 0.
                lookup.addresses = try await Resolver(configuration: resolver)
                    .addresses(of: name, port: ConnectionCandidate.defaultPort)
            } catch {
                lookup.failure = error.description
                lookup.isLate = clock.now - start >= resolver.deadline
                lookup.isMissing = error.code == .hostNotFound
            }
            lookup.duration = clock.now - start
            return lookup
        }
    }
}

/// Does the same with each element, all at once; the results are in the order of the elements.
func concurrently<Element: Sendable, Value: Sendable>(
    _ elements: [Element], _ body: @escaping @Sendable (Element) async -> Value
) async -> [Value] {
    await withTaskGroup(of: (Int, Value).self) { group in
        for (index, element) in elements.enumerated() {
            group.addTask { (index, await body(element)) }
        }
        var results: [Int: Value] = [:]
        for await (index, value) in group { results[index] = value }
        return elements.indices.compactMap { results[$0] }
    }
}
