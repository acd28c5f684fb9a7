internal import Automation
internal import ChatModel
internal import JSONRPC
internal import TransportLayer

/// Which of the addresses accept a connection.
struct TCPCheck: DiagnosisCheck {
    struct Attempt: Sendable, Equatable {
        var candidate: ConnectionCandidate
        var address: SocketAddress
        /// `nil` if the connection was established.
        var failure: TransportError?
        var duration: Duration

        /// Whether this computer has no route to that address family, which says nothing about the server.
        var isOutOfReach: Bool { failure?.code == .unreachable }
    }

    var attempts: [Attempt]
    var duration: Duration?

    var step: DiagnosisStep { .tcp }

    var standing: [Attempt] { attempts.filter { $0.failure == nil } }

    /// The first address of each candidate that accepts connections.
    var reachable: [Attempt] {
        var found: [Attempt] = []
        for attempt in standing where !found.contains(where: { $0.candidate == attempt.candidate }) {
            found.append(attempt)
        }
        return found
    }

    var outcome: DiagnosisOutcome {
        if standing.isEmpty { return .failed }
        return attempts.contains { $0.failure != nil && !$0.isOutOfReach } ? .warning : .passed
    }

    var summary: Phrase {
        Phrase(
            "%@ of %@ address accepts a connection", plural: "%@ of %@ addresses accept a connection",
            count: attempts.count, standing.count, attempts.count)
    }

    var details: [DiagnosisDetail] {
        attempts.map { attempt in
            guard let failure = attempt.failure else {
                return .init(Phrase("%@: %@", attempt.text, attempt.duration.text), .passed)
            }
            let reason: Phrase =
                switch failure.code {
                case .connectionRefused: Phrase("refused: nothing listens there")
                case .timedOut: Phrase("no response within %@", attempt.duration.text)
                case .unreachable:
                    attempt.address.isIPv6
                        ? Phrase("no IPv6 on this network") : Phrase("no route from this network")
                default: .wording { Wording.failure(failure) }
                }
            return .init(Phrase("%@: %@", attempt.text, reason), attempt.isOutOfReach ? nil : .failed)
        }
    }

    var problem: DiagnosisProblem? {
        guard standing.isEmpty else { return nil }
        let codes = Set(attempts.compactMap { $0.failure?.code })
        if codes.contains(.connectionRefused) {
            return DiagnosisProblem(
                "connection-refused", Phrase("The server's host responds, but nothing listens at that port."),
                advice: Phrase("Check --port, or ask the operators of the server whether it is running."))
        }
        if codes == [.unreachable] {
            return DiagnosisProblem(
                "network-unreachable", Phrase("There is no route to the server from this network."),
                advice: Phrase("Check the network connection of this computer."))
        }
        return DiagnosisProblem(
            "connection-timeout", Phrase("No address responds: a firewall may block it, or the server is down."),
            advice: Phrase("Try another network; if that does not help, ask the operators of the server."))
    }

    var facts: [(String, JSONValue)] {
        [
            (
                "attempts",
                .array(
                    attempts.map {
                        [
                            "host": .string($0.candidate.host), "port": .count($0.candidate.port),
                            "kind": .string($0.candidate.security.code), "address": .string($0.address.address),
                            "family": $0.address.isIPv6 ? "ipv6" : "ipv4", "connected": .bool($0.failure == nil),
                            "milliseconds": .count($0.duration.wholeMilliseconds),
                            "error": .text($0.failure?.code.description.codeText),
                        ]
                    })
            )
        ]
    }

    /// Connects to every address and disconnects.
    static func run(at names: DNSCheck, _ settings: DiagnosisSettings) async -> TCPCheck {
        let clock = ContinuousClock()
        let start = clock.now
        let steps = names.candidates.flatMap { candidate in
            names.addresses(of: candidate).prefix(maximumAddresses).map { (candidate, $0) }
        }
        let attempts = await concurrently(steps) { candidate, address in
            let start = clock.now
            var failure: TransportError?
            do throws(TransportError) {
                let transport = try await SocketTransport.connect(to: address, timeout: settings.timeout)
                await transport.close()
            } catch {
                failure = error
            }
            return Attempt(
                candidate: candidate, address: address, failure: failure, duration: clock.now - start)
        }
        return TCPCheck(attempts: attempts, duration: clock.now - start)
    }

    /// The maximum per host; a name with more addresses is a large service, of which a few are sufficient.
    private static let maximumAddresses = 4
}

extension TCPCheck.Attempt {
    /// The address, with the host name if it differs.
    var text: Phrase {
        candidate.host == address.address ? .verbatim(address) : Phrase("%@ (%@)", address, candidate.host)
    }
}

extension String {
    /// The message as a code: `connection refused` becomes `connection-refused`.
    var codeText: String { lowercased().split(separator: " ").joined(separator: "-") }
}
