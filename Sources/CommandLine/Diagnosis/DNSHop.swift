internal import TransportLayer
internal import XMPPAddress

/// What DNS says about the domain: both services, the order in which their places are tried, and the addresses.
struct DNSHop: DiagnosisHop {
    /// One question for SRV records.
    struct ServiceLookup: Sendable, Equatable {
        var kind: ServiceRecord.Kind
        var name: String
        /// As they stand in DNS: the target "." is among them.
        var records: [ServiceRecord] = []
        /// Why there is no answer.
        var failure: String?
        /// Whether the reason is that the deadline came first.
        var isLate = false
        var duration: Duration

        /// The domain decidedly does not offer it.
        var isRefused: Bool { !records.isEmpty && records.allSatisfy { $0.host == "." } }
    }

    /// One question for the addresses of a host.
    struct HostLookup: Sendable, Equatable {
        var host: String
        var addresses: [SocketAddress] = []
        var failure: String?
        /// Whether the reason is that the deadline came first.
        var isLate = false
        /// Whether the answer was that there is no such host.
        var isMissing = false
        var duration: Duration
    }

    var domain: String
    /// Why SRV was not asked: a host was named, or the domain is an address.
    var isFixed = false
    var services: [ServiceLookup] = []
    /// The places to try, in order.
    var candidates: [ConnectionCandidate] = []
    /// The SRV records behind ``candidates``; empty for the fallback.
    var records: [ServiceRecord] = []
    var hosts: [HostLookup] = []
    var duration: Duration?

    var place: DiagnosisPlace { .dns }

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
                advice: Phrase("Check the part of the address after the @; if it is right, ask who runs the domain."))
        }
        if let host = hosts.first(where: \.isMissing) {
            return DiagnosisProblem(
                "host-not-found", Phrase("The host %@ has no address in DNS.", host.host),
                advice: Phrase("Check the part of the address after the @, or name the server with --host."))
        }
        return DiagnosisProblem(
            "dns-unavailable",
            hosts.contains(where: \.isLate)
                ? Phrase("The DNS servers of this computer do not answer.")
                : Phrase("The DNS servers of this computer gave no usable answer."),
            advice: Phrase("Check the network and /etc/resolv.conf, or name the server's address with --host."))
    }

    var summary: Phrase {
        if isFixed { return Phrase("%@ is connected to directly, SRV is not asked", candidates.first?.host ?? domain) }
        if isNotOffered { return Phrase("no XMPP at %@", domain) }
        if !hasAddresses { return Phrase("no address for %@", domain) }
        if records.isEmpty { return Phrase("no SRV records: the domain itself is tried") }
        return Phrase("%@ place to try", plural: "%@ places to try, in this order", count: candidates.count)
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
                            ? Phrase("%@: no answer within %@", service.name, service.duration.words)
                            : .verbatim(failure), .warning))
            } else if service.isRefused {
                details.append(.init(Phrase("%@: decidedly not offered (target “.”)", service.name)))
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

extension DNSHop.HostLookup {
    fileprivate var detail: DiagnosisDetail {
        guard let failure else {
            return .init(Phrase("%@: %@", host, addresses.map(\.address).joined(separator: ", ")))
        }
        if isMissing { return .init(Phrase("%@: no address", host), .warning) }
        if isLate { return .init(Phrase("%@: no answer within %@", host, duration.words), .warning) }
        return .init(.verbatim(failure), .warning)
    }
}

extension ServiceRecord.Kind {
    /// The name in JSON.
    var code: String { self == .directTLS ? "direct-tls" : "starttls" }
    var phrase: Phrase { self == .directTLS ? Phrase("direct TLS") : .verbatim("STARTTLS") }
}
