internal import MessageFeatures
internal import TerminalApp
internal import TransportLayer
internal import XMPPAddress

extension TLSHop {
    /// Opens an encrypted stream at every place that accepts connections, and says nothing secret there.
    static func look(at address: JID, _ tcp: TCPHop, _ settings: DiagnosisSettings) async -> TLSHop {
        let clock = ContinuousClock()
        let start = clock.now
        var attempts: [Attempt] = []
        if settings.asksPerson {
            for place in tcp.reachable { attempts.append(await attempt(place, address, settings)) }
        } else {
            attempts = await concurrently(tcp.reachable) { await attempt($0, address, settings) }
        }
        return TLSHop(
            attempts: attempts, date: Timestamp.now.millisecondsSince1970 / 1000, duration: clock.now - start)
    }

    private static func attempt(
        _ place: TCPHop.Attempt, _ address: JID, _ settings: DiagnosisSettings
    ) async -> Attempt {
        var attempt = Attempt(candidate: place.candidate, address: place.address)
        func probe(_ trust: TrustPolicy) async -> StreamProbe.Result {
            await StreamProbe(
                address: address.bare, trust: trust, patience: settings.patience, asksPerson: settings.asksPerson
            ).run(at: place.address, place.candidate.security)
        }
        var result = await probe(settings.trust)
        if let error = result.error, error.code == .certificateRefused {
            attempt.problems = error.certificateProblems
            attempt.certificates = error.certificates
            // Looked at once more as if it were trusted: nothing that is secret is ever said to it.
            if let leaf = error.certificates.first { result = await probe(.pinned([leaf.sha256Fingerprint])) }
        }
        attempt.tls = result.tls
        attempt.duration = result.tlsDuration
        if let tls = result.tls {
            attempt.certificates = tls.peerCertificates
            attempt.features = result.features
            attempt.openingDuration = result.openingDuration
            if result.features == nil {
                attempt.streamFailure = result.failure.map(Failure.stream) ?? result.error.map(Failure.transport)
            }
        } else if attempt.problems.isEmpty {
            attempt.failure = result.failure.map(Failure.stream) ?? result.error.map(Failure.transport)
        }
        return attempt
    }
}
