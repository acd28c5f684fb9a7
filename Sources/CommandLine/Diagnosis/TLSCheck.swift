internal import Automation
internal import ChatModel
internal import JSONRPC
internal import MessageFeatures
internal import TerminalApp
internal import TransportLayer
internal import XMPPAddress
internal import XMPPStream

/// The encryption of each endpoint: version and cipher, the certificates, and their problems.
struct TLSCheck: DiagnosisCheck {
    struct Attempt: Sendable, Equatable {
        var candidate: ConnectionCandidate
        var address: SocketAddress
        /// The result of the handshake; also known for an untrusted certificate, with which nothing else is done.
        var tls: NegotiatedTLS?
        /// Its own first.
        var certificates: [CertificateInformation] = []
        /// The problems of the certificate.
        var problems: [CertificateProblem] = []
        /// Why the connection is not encrypted, for other reasons.
        var failure: Failure?
        var duration: Duration?
        /// The features of the server on the encrypted stream.
        var features: StreamFeatures?
        var openingDuration: Duration?
        /// Why the encrypted stream did not open.
        var streamFailure: Failure?

        var isTrusted: Bool { tls != nil && problems.isEmpty && failure == nil }
    }

    /// Why a stream or its encryption failed.
    enum Failure: Sendable, Equatable {
        case transport(TransportError)
        case stream(StreamFailure)

        var phrase: Phrase {
            switch self {
            case .transport(let error) where error.code == .timedOut: Phrase("no response in time")
            case .transport(let error) where error.code == .connectionReset: Phrase("the connection was closed")
            case .transport(let error): .wording { Wording.failure(error) }
            case .stream(let failure): failure.reason
            }
        }
    }

    var attempts: [Attempt]
    /// The time of the check, seconds since 1970.
    var date: Int64
    var duration: Duration?

    /// Certificates are usually renewed weeks before they expire, so one this close to its end was probably forgotten.
    static let warningDays: Int64 = 14

    var step: DiagnosisStep { .tls }
    var trusted: [Attempt] { attempts.filter(\.isTrusted) }

    private func daysLeft(_ certificate: CertificateInformation) -> Int64 { (certificate.notAfter - date) / 86_400 }

    var outcome: DiagnosisOutcome {
        if trusted.isEmpty { return .failed }
        let isEnding = trusted.contains { $0.certificates.first.map(daysLeft) ?? .max < Self.warningDays }
        return isEnding || trusted.count < attempts.count ? .warning : .passed
    }

    var summary: Phrase {
        guard let best = trusted.first?.tls else { return Phrase("no secure connection") }
        return Phrase("encrypted with %@, certificate trusted", best.version)
    }

    var details: [DiagnosisDetail] {
        var details: [DiagnosisDetail] = []
        var shown: [CertificateInformation] = []
        for attempt in attempts {
            details.append(attempt.detail)
            // The one reported as the problem of the check needs no second line.
            details += attempt.problems.map(\.reason).filter { $0 != problem?.reason }.map { .init($0, .failed) }
            guard let leaf = attempt.certificates.first, !shown.contains(leaf) else { continue }
            shown.append(leaf)
            details += certificate(leaf, chain: attempt.certificates)
        }
        return details
    }

    private func certificate(
        _ leaf: CertificateInformation, chain: [CertificateInformation]
    ) -> [DiagnosisDetail] {
        let days = daysLeft(leaf)
        var details: [DiagnosisDetail] = [
            .init(Phrase("Certificate for %@", leaf.names.isEmpty ? leaf.subject : leaf.names.joined(separator: ", "))),
            .init(Phrase("issued by %@", leaf.issuer)),
        ]
        if chain.count > 1 {
            details.append(
                .init(
                    Phrase(
                        "%@ more certificate in the chain", plural: "%@ more certificate in the chain",
                        count: chain.count - 1)))
        }
        if leaf.notAfter > date {
            details.append(
                .init(
                    Phrase(
                        "valid until %@, %@ day left", plural: "valid until %@, %@ days left",
                        count: Int(clamping: days),
                        Wording.day(leaf.notAfter), days),
                    days < Self.warningDays ? .warning : nil))
        }
        if trusted.isEmpty {
            // On a single line, so that it can be copied after --trust.
            let digits = leaf.fingerprintText.filter { $0 != ":" }.lowercased()
            details += [.init(Phrase("SHA-256 fingerprint:")), .init(.verbatim(digits))]
        }
        return details
    }

    var problem: DiagnosisProblem? {
        guard trusted.isEmpty else { return nil }
        if let problem = attempts.lazy.compactMap({ $0.problems.first }).first {
            return DiagnosisProblem(problem.code, problem.reason, advice: problem.advice)
        }
        switch attempts.lazy.compactMap(\.failure).first {
        case .stream(let failure) where failure.code == .encryptionRefused:
            return DiagnosisProblem(
                "encryption-refused", Phrase("The server does not allow an encrypted connection."),
                advice: Phrase("Do not log in: an attacker may have removed the offer."))
        case .stream(let failure):
            return DiagnosisProblem(
                failure.code.rawValue.dashed, failure.reason, advice: Phrase("Check --host and --port."))
        case .transport(let error) where error.code == .timedOut:
            return DiagnosisProblem(
                "tls-timeout", Phrase("The server accepts the connection, but then does not respond."),
                advice: Phrase("Check --port and --direct-tls; otherwise ask the operators of the server."))
        case .transport(let error):
            return DiagnosisProblem(
                "tls-failed",
                Phrase.wording { Wording.failure(error) },
                advice: Phrase("Check --port and --direct-tls; otherwise ask the operators of the server."))
        case nil:
            return DiagnosisProblem(
                "tls-failed", Phrase("The encrypted connection could not be established."),
                advice: Phrase("Ask the operators of the server."))
        }
    }

    var facts: [(String, JSONValue)] { [("attempts", .array(attempts.map { $0.json(date: date) }))] }
}

extension TLSCheck.Attempt {
    /// `xmpp.example.org:5223, direct TLS: TLS 1.3, TLS_AES_256_GCM_SHA384`.
    fileprivate var detail: DiagnosisDetail {
        let name = Phrase("%@, %@", candidate, candidate.security.phrase)
        guard let tls else {
            return .init(failure.map { Phrase("%@: %@", name, $0.phrase) } ?? name, .failed)
        }
        var parts: [Phrase] = [.verbatim(tls.version), .verbatim(tls.cipher)]
        if let selected = tls.applicationProtocol { parts.append(Phrase("ALPN %@", selected)) }
        return .init(Phrase("%@: %@", name, Phrase.list(parts)), isTrusted ? .passed : .failed)
    }

    fileprivate func json(date: Int64) -> JSONValue {
        let chain = certificates.map { certificate in
            JSONValue([
                ("subject", .string(certificate.subject)), ("issuer", .string(certificate.issuer)),
                ("names", .array(certificate.names.map { .string($0) })),
                ("from", .string(Wording.day(certificate.notBefore))),
                ("until", .string(Wording.day(certificate.notAfter))),
                ("days", .count((certificate.notAfter - date) / 86_400)),
                ("sha256", .string(certificate.fingerprintText)),
            ])
        }
        return JSONValue([
            ("host", .string(candidate.host)), ("port", .count(candidate.port)),
            ("kind", .string(candidate.security.code)), ("address", .string(address.address)),
            ("trusted", .bool(isTrusted)), ("milliseconds", .count(duration?.wholeMilliseconds)),
            ("version", .text(tls?.version)), ("cipher", .text(tls?.cipher)), ("alpn", .text(tls?.applicationProtocol)),
            ("problems", .array(problems.map { .string($0.code) })),
            ("error", .text(failure?.phrase.english)), ("certificates", .array(chain)),
        ])
    }
}

extension String {
    /// `camelCase` as `camel-case`.
    var dashed: String { reduce(into: "") { $0 += $1.isUppercase ? "-" + $1.lowercased() : String($1) } }
}

extension TLSCheck {
    /// Opens an encrypted stream at every endpoint that accepts connections, without sending any secret.
    static func run(at address: JID, _ tcp: TCPCheck, _ settings: DiagnosisSettings) async -> TLSCheck {
        let clock = ContinuousClock()
        let start = clock.now
        var attempts: [Attempt] = []
        if settings.asksUser {
            for endpoint in tcp.reachable { attempts.append(await attempt(endpoint, address, settings)) }
        } else {
            attempts = await concurrently(tcp.reachable) { await attempt($0, address, settings) }
        }
        return TLSCheck(
            attempts: attempts, date: Timestamp.now.millisecondsSince1970 / 1000, duration: clock.now - start)
    }

    private static func attempt(
        _ endpoint: TCPCheck.Attempt, _ address: JID, _ settings: DiagnosisSettings
    ) async -> Attempt {
        var attempt = Attempt(candidate: endpoint.candidate, address: endpoint.address)
        func probe(_ trust: TrustPolicy) async -> StreamProbe.Result {
            await StreamProbe(
                address: address.bare, trust: trust, timeout: settings.timeout, asksUser: settings.asksUser
            ).run(at: endpoint.address, endpoint.candidate.security)
        }
        var result = await probe(settings.trust)
        if let error = result.error, error.code == .certificateRefused {
            attempt.problems = error.certificateProblems
            attempt.certificates = error.certificates
            // Checked again as if it were trusted: no secret is ever sent to it.
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
