internal import Automation
internal import ChatModel
internal import JSONRPC
internal import TransportLayer
internal import XMPPAddress

/// The DNS records of the domain: both services, the candidates in order, and the addresses.
struct DNSCheck: DiagnosisCheck {
    /// A lookup of SRV records.
    struct ServiceLookup: Sendable, Equatable {
        var kind: ServiceRecord.Kind
        var name: String
        /// The records as in DNS, including the target ".".
        var records: [ServiceRecord] = []
        /// Why the lookup failed.
        var failure: Phrase?
        /// Whether the reason is the timeout.
        var isLate = false
        var duration: Duration

        /// Whether the domain explicitly does not offer the service.
        var isRefused: Bool { !records.isEmpty && records.allSatisfy { $0.host == "." } }
    }

    /// A lookup of the addresses of a host.
    struct HostLookup: Sendable, Equatable {
        var host: String
        var addresses: [SocketAddress] = []
        var failure: Phrase?
        /// Whether the reason is the timeout.
        var isLate = false
        /// Whether there is no such host.
        var isMissing = false
        var duration: Duration
    }

    var domain: String
    /// Whether SRV was not looked up, because a host was given or the domain is an IP address.
    var isFixed = false
    var services: [ServiceLookup] = []
    /// The candidates, in order.
    var candidates: [ConnectionCandidate] = []
    /// The SRV records behind ``candidates``; empty for the fallback.
    var records: [ServiceRecord] = []
    var hosts: [HostLookup] = []
    var duration: Duration?

    var step: DiagnosisStep { .dns }

    func addresses(of candidate: ConnectionCandidate) -> [SocketAddress] {
        hosts.first { $0.host == candidate.host }?.addresses.compactMap {
            SocketAddress($0.address, port: candidate.port)
        } ?? []
    }

    private var hasAddresses: Bool { hosts.contains { !$0.addresses.isEmpty } }
    private var isNotOffered: Bool { candidates.isEmpty && services.contains { $0.isRefused } }

    var outcome: DiagnosisOutcome {
        guard hasAddresses else { return .failed }
        let isTroubled =
            services.contains { $0.failure != nil } || hosts.contains { $0.addresses.isEmpty && $0.failure != nil }
        return isTroubled ? .warning : .passed
    }

    var problem: DiagnosisProblem? {
        if hasAddresses { return nil }
        if isNotOffered {
            return DiagnosisProblem(
                "service-not-offered",
                Phrase("The domain %@ says that it offers no XMPP to clients (SRV target “.”).", domain),
                advice: Phrase(
                    "Check the part of the address after the @; if it is right, ask the operators of the domain."))
        }
        if let host = hosts.first(where: \.isMissing) {
            return DiagnosisProblem(
                "host-not-found", Phrase("The host %@ has no address in DNS.", host.host),
                advice: Phrase("Check the part of the address after the @, or name the server with --host."))
        }
        return DiagnosisProblem(
            "dns-unavailable",
            hosts.contains(where: \.isLate)
                ? Phrase("The DNS servers of this computer do not respond.")
                : Phrase("The DNS servers of this computer sent no usable response."),
            advice: Phrase("Check the network and /etc/resolv.conf, or name the server's address with --host."))
    }

    var summary: Phrase {
        if isFixed { return Phrase("direct connection to %@, without SRV records", candidates.first?.host ?? domain) }
        if isNotOffered { return Phrase("no XMPP at %@", domain) }
        if !hasAddresses { return Phrase("no address for %@", domain) }
        if records.isEmpty { return Phrase("no SRV records: trying the domain itself") }
        return Phrase("%@ endpoint to try", plural: "%@ endpoints to try, in this order", count: candidates.count)
    }

    var details: [DiagnosisDetail] {
        var details: [DiagnosisDetail] = []
        for (number, candidate) in candidates.enumerated() {
            let name = Phrase("%@. %@, %@", number + 1, candidate, candidate.security.phrase)
            if records.indices.contains(number) {
                details.append(
                    .init(
                        Phrase("%@ (priority %@, weight %@)", name, records[number].priority, records[number].weight)))
            } else {
                details.append(.init(name))
            }
        }
        for service in services {
            if let failure = service.failure {
                details.append(
                    .init(
                        service.isLate
                            ? Phrase("%@: no response within %@", service.name, service.duration.text)
                            : Phrase("%@: %@", service.name, failure), .warning))
            } else if service.isRefused {
                details.append(.init(Phrase("%@: explicitly not offered (target “.”)", service.name)))
            } else if service.records.isEmpty {
                details.append(.init(Phrase("%@: no record", service.name)))
            }
        }
        for host in hosts where SocketAddress(host.host, port: 0) == nil {
            details.append(host.detail)
        }
        return details
    }

    var facts: [(String, JSONValue)] {
        let services = services.map { service in
            JSONValue([
                ("name", .string(service.name)), ("kind", .string(service.kind.code)),
                ("milliseconds", .count(service.duration.wholeMilliseconds)), ("error", .text(service.failure)),
                ("refused", .bool(service.isRefused)),
                (
                    "records",
                    .array(
                        service.records.map {
                            [
                                "host": .string($0.host), "port": .count($0.port), "priority": .count($0.priority),
                                "weight": .count($0.weight),
                            ]
                        })
                ),
            ])
        }
        let hosts = hosts.map { host in
            JSONValue([
                ("host", .string(host.host)), ("addresses", .array(host.addresses.map { .string($0.address) })),
                ("milliseconds", .count(host.duration.wholeMilliseconds)), ("error", .text(host.failure)),
            ])
        }
        return [
            ("services", .array(services)),
            (
                "candidates",
                .array(
                    candidates.map {
                        [
                            "host": .string($0.host), "port": .count($0.port), "kind": .string($0.security.code),
                        ]
                    })
            ), ("hosts", .array(hosts)),
        ]
    }
}

extension DNSCheck.HostLookup {
    fileprivate var detail: DiagnosisDetail {
        guard let failure else {
            return .init(Phrase("%@: %@", host, addresses.map(\.address).joined(separator: ", ")))
        }
        if isMissing { return .init(Phrase("%@: no address", host), .warning) }
        if isLate { return .init(Phrase("%@: no response within %@", host, duration.text), .warning) }
        return .init(Phrase("%@: %@", host, failure), .warning)
    }
}

extension ServiceRecord.Kind {
    /// The name in JSON.
    var code: String { self == .directTLS ? "direct-tls" : "starttls" }
    var phrase: Phrase { self == .directTLS ? Phrase("direct TLS") : .verbatim("STARTTLS") }
}

extension DNSCheck {
    /// The maximum number of candidates: no domain needs more, and each may cost its whole timeout.
    static let maximumCandidates = 8

    /// Looks up the domain, each query with its own timeout.
    static func run(at domain: JID, _ settings: DiagnosisSettings) async -> DNSCheck {
        let clock = ContinuousClock()
        let start = clock.now
        var check = DNSCheck(domain: domain.asciiDomain)
        if let host = settings.host {
            let security: ServiceRecord.Kind = settings.usesDirectTLS ? .directTLS : .startTLS
            let port = settings.port ?? (settings.usesDirectTLS ? 5223 : ConnectionCandidate.defaultPort)
            check.isFixed = true
            check.candidates = [ConnectionCandidate(host: host, port: port, security: security)]
        } else if domain.domainKind != .name {
            check.isFixed = true
            check.candidates = [check.fallback]
        } else {
            await check.findServices(settings.resolver)
        }
        check.hosts = await hostLookups(of: check.candidates, settings.resolver)
        check.duration = clock.now - start
        return check
    }

    /// The domain itself, if there are no records (RFC 6120 §3.2.2).
    private var fallback: ConnectionCandidate {
        ConnectionCandidate(host: domain, port: ConnectionCandidate.defaultPort, security: .startTLS)
    }

    private mutating func findServices(_ resolver: ResolverConfiguration) async {
        async let secured = Self.lookup(.directTLS, domain, resolver)
        async let plain = Self.lookup(.startTLS, domain, resolver)
        services = await [secured, plain]
        var generator = SystemRandomNumberGenerator()
        let offered = services.flatMap(\.records).filter { $0.host != "." }
        records = Array(ServiceRecord.ordered(offered, using: &generator).prefix(Self.maximumCandidates))
        candidates = records.map { ConnectionCandidate(host: $0.host, port: $0.port, security: $0.kind) }
        // A domain may refuse only direct TLS and have no record for STARTTLS.
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
            lookup.failure = .wording { Wording.failure(error) }
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
                // The port does not matter here, but c-ares rejects 0.
                lookup.addresses = try await Resolver(configuration: resolver)
                    .addresses(of: name, port: ConnectionCandidate.defaultPort)
            } catch {
                lookup.failure = .wording { Wording.failure(error) }
                lookup.isLate = clock.now - start >= resolver.deadline
                lookup.isMissing = error.code == .hostNotFound
            }
            lookup.duration = clock.now - start
            return lookup
        }
    }
}

/// Runs a closure for all elements concurrently; the results are in the order of the elements.
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
