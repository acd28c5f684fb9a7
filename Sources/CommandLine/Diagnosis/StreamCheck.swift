internal import JSONRPC
internal import SASLMechanisms
internal import TransportLayer
internal import XMLStreaming
internal import XMPPStream

/// The features that the server offers on an encrypted stream before the login.
struct StreamCheck: DiagnosisCheck {
    var candidate: ConnectionCandidate
    var features: StreamFeatures?
    var failure: TLSCheck.Failure?
    var duration: Duration?

    /// Uses the best of the encrypted connections.
    init?(_ tls: TLSCheck) {
        guard
            let attempt = tls.attempts.first(where: { $0.isTrusted && $0.features != nil })
                ?? tls.attempts.first(where: { $0.features != nil }) ?? tls.attempts.first(where: { $0.tls != nil })
        else { return nil }
        candidate = attempt.candidate
        features = attempt.features
        failure = attempt.streamFailure
        duration = attempt.openingDuration
    }

    var step: DiagnosisStep { .stream }

    private var inline: XMLElement? {
        features?.element?.firstChild(XMLName("authentication", "urn:xmpp:sasl:2"))?
            .firstChild(XMLName("inline", "urn:xmpp:sasl:2"))
    }

    /// The names of the mechanisms, classic and SASL2 together, in the server's order.
    var mechanisms: [String] {
        let classic = features?.mechanisms ?? []
        return classic + (features?.extensibleMechanisms ?? []).filter { !classic.contains($0) }
    }
    var channelBindings: [String]? { features?.channelBindingTypes }
    var offersSASL2: Bool { features?.extensibleMechanisms != nil }
    var offersBind2: Bool { inline?.firstChild(XMLName("bind", "urn:xmpp:bind:0")) != nil }
    var offersFAST: Bool { inline?.firstChild(XMLName("fast", "urn:xmpp:fast:0")) != nil }
    var offersInlineManagement: Bool { inline?.firstChild(XMLName("sm", StreamNamespace.streamManagement)) != nil }

    private var offersSCRAM: Bool { mechanisms.contains { SASLMechanismName(rawValue: $0).scramHash != nil } }

    var outcome: DiagnosisOutcome {
        if features == nil { return .failed }
        return offersSCRAM || mechanisms.contains("EXTERNAL") ? .passed : .warning
    }

    var summary: Phrase {
        guard features != nil else { return Phrase("the stream could not be opened") }
        if mechanisms.isEmpty { return Phrase("the server offers no login") }
        return offersSASL2 ? Phrase("login with SASL2 and classic SASL") : Phrase("login with classic SASL")
    }

    var details: [DiagnosisDetail] {
        guard features != nil else { return [] }
        var details: [DiagnosisDetail] = [
            .init(Phrase("mechanisms: %@", mechanisms.isEmpty ? "–" : mechanisms.joined(separator: ", ")))
        ]
        if !mechanisms.isEmpty, !offersSCRAM {
            details.append(
                .init(Phrase("no SCRAM: only the certificate would protect the password"), .warning))
        }
        details.append(
            .init(
                channelBindings.map { Phrase("channel bindings: %@", $0.joined(separator: ", ")) }
                    ?? Phrase("channel bindings: not listed (XEP-0440)")))
        if offersSASL2 {
            var parts: [Phrase] = []
            if offersBind2 { parts.append(.verbatim("Bind 2")) }
            if offersFAST { parts.append(.verbatim("FAST")) }
            if offersInlineManagement { parts.append(Phrase("stream management")) }
            if !parts.isEmpty { details.append(.init(Phrase("in one step with the login: %@", Phrase.list(parts)))) }
        }
        if features?.offersRegistration == true { details.append(.init(Phrase("new accounts can be registered"))) }
        return details
    }

    var problem: DiagnosisProblem? {
        guard features == nil else { return nil }
        let advice: Phrase =
            if case .stream(let failure) = failure { failure.advice } else { Phrase("Try again later.") }
        return DiagnosisProblem(
            "stream-failed", failure?.phrase ?? Phrase("The server closed the connection."), advice: advice)
    }

    var facts: [(String, JSONValue)] {
        guard let features else { return [] }
        return [
            ("host", .string(candidate.host)), ("port", .count(candidate.port)),
            ("mechanisms", .array(mechanisms.map { .string($0) })),
            ("channelBindings", channelBindings.map { .array($0.map { .string($0) }) } ?? .null),
            ("sasl2", .bool(offersSASL2)), ("bind2", .bool(offersBind2)), ("fast", .bool(offersFAST)),
            ("registration", .bool(features.offersRegistration)),
        ]
    }
}
