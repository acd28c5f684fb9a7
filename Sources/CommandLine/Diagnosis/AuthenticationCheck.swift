internal import JSONRPC
internal import SASLMechanisms
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStream

/// The result of the login: the mechanism, the channel binding, and the reasons.
struct AuthenticationCheck: DiagnosisCheck {
    /// Whether the login is bound to the encrypted connection, which protects it from a man in the middle.
    enum Binding: Sendable, Equatable {
        case bound(ChannelBinding.Kind)
        /// No `-PLUS` mechanism is offered.
        case notOffered
        /// The server does not list its bindings, and without a list their meaning on TLS 1.3 is unknown.
        case notListed
        /// There is no binding that both sides support.
        case nothingCommon
    }

    var account: String
    /// The mechanism that was tried.
    var mechanism: String?
    var binding: Binding?
    var usesSASL2 = false
    /// Whether a token of an earlier login was used instead of the password (XEP-0484).
    var usesToken = false
    var failure: StreamFailure?
    /// Why the login failed, if the stream does not report it.
    var otherFailure: Phrase?
    var duration: Duration?

    var step: DiagnosisStep { .authentication }

    var summary: Phrase {
        if problem != nil {
            return mechanism.map { Phrase("the login with %@ failed", $0) } ?? Phrase("the login failed")
        }
        return Phrase("logged in with %@", mechanism ?? "SASL")
    }

    var details: [DiagnosisDetail] {
        var details: [DiagnosisDetail] = []
        switch binding {
        case .bound(let kind):
            details.append(.init(Phrase("bound to the encrypted connection by %@", kind.rawValue)))
        case .notOffered: details.append(.init(Phrase("not bound to the connection: no -PLUS mechanism is offered")))
        case .notListed:
            details.append(
                .init(Phrase("not bound to the connection: the server does not list its bindings (XEP-0440)")))
        case .nothingCommon:
            details.append(.init(Phrase("not bound to the connection: no binding that both sides support")))
        case nil: break
        }
        if usesToken { details.append(.init(Phrase("with the token of an earlier login (FAST)"))) }
        if usesSASL2 { details.append(.init(Phrase("with SASL2, in one step with the resource"))) }
        return details
    }

    var problem: DiagnosisProblem? {
        if let failure {
            let status: ExitStatus =
                ExitStatus(rawValue: ClientError.exitStatus(of: failure)) ?? .connection
            return DiagnosisProblem(failure.code.rawValue.dashed, failure.reason, advice: failure.advice, status)
        }
        return otherFailure.map {
            DiagnosisProblem("login-failed", $0, advice: Phrase("Try again later."))
        }
    }

    var facts: [(String, JSONValue)] {
        var kind: String?
        if case .bound(let bound) = binding { kind = bound.rawValue }
        return [
            ("account", .string(account)), ("mechanism", .text(mechanism)), ("channelBinding", .text(kind)),
            ("sasl2", .bool(usesSASL2)), ("fast", .bool(usesToken)),
        ]
    }

    /// Whether the mechanism is bound, and why not, by the rules of the selection.
    static func binding(
        of mechanism: String, on session: StreamSession?, offer: StreamCheck, credentials: SASLCredentials
    ) -> Binding? {
        guard let session, let tls = session.tls, SASLMechanismName(rawValue: mechanism).scramHash != nil
        else { return nil }
        let security: SASLConnectionSecurity =
            tls.version == .tls13 ? .tls13(bindings: tls.channelBindings) : .tls12(bindings: tls.channelBindings)
        let features = offer.features ?? .none
        let mechanisms = (session.usesSASL2 ? features.extensibleMechanisms : features.mechanisms) ?? []
        let offered = SASLOffer(mechanisms: mechanisms, channelBindings: offer.channelBindings)
        let selection = try? SASLNegotiator(security: security, digests: .system)
            .select(from: offered, for: credentials)
        if let selection, selection.mechanism.rawValue == mechanism,
            case .bound(let binding) = selection.channelBinding
        {
            return .bound(binding.kind)
        }
        if !mechanisms.contains(where: { $0.hasSuffix("-PLUS") }) { return .notOffered }
        return offer.channelBindings == nil ? .notListed : .nothingCommon
    }
}

extension ClientError {
    /// The exit status for such a failure.
    static func exitStatus(of failure: StreamFailure) -> Int32 {
        failure.category == .authentication ? ExitClass.authentication.rawValue : ExitClass.connection.rawValue
    }
}

/// The address that the server assigned to this session.
struct BindingCheck: DiagnosisCheck {
    var address: JID?
    var failure: StreamFailure?
    var duration: Duration?

    var step: DiagnosisStep { .binding }

    var summary: Phrase { address.map { .verbatim($0) } ?? Phrase("no resource was assigned") }

    var problem: DiagnosisProblem? {
        guard address == nil else { return nil }
        return DiagnosisProblem(
            failure?.code.rawValue.dashed ?? "binding-failed",
            failure?.reason ?? Phrase("The server closed the connection."),
            advice: failure?.advice ?? Phrase("Try again later."))
    }

    var facts: [(String, JSONValue)] { [("address", .text(address))] }
}
