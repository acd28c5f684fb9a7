internal import Automation
internal import ChatModel
internal import JSONRPC
internal import TransportLayer
internal import XMPPAddress
internal import XMPPClient

/// The results of the checks from an address to a working session.
struct Diagnosis: Sendable {
    /// The subject of the diagnosis.
    var subject: String
    var checks: [any DiagnosisCheck] = []
    var duration: Duration = .zero

    /// The first check that failed.
    var firstFailure: (any DiagnosisCheck)? { checks.first { $0.outcome == .failed } }

    var status: ExitStatus { firstFailure?.problem?.status ?? .done }

    subscript(step: DiagnosisStep) -> (any DiagnosisCheck)? {
        checks.first { $0.step == step }
    }

    /// The check of that type, if it was run.
    subscript<Check: DiagnosisCheck>(type: Check.Type) -> Check? {
        checks.lazy.compactMap { $0 as? Check }.first
    }
}

extension Diagnosis {
    /// The JSON object; its texts are English in every language.
    var json: JSONValue {
        [
            "event": "diagnosis", "address": .string(subject), "well": .bool(firstFailure == nil),
            "status": .count(status.rawValue), "failed": .text(firstFailure?.step.rawValue),
            "milliseconds": .count(duration.wholeMilliseconds), "hops": .array(checks.map { $0.json }),
        ]
    }
}

extension DiagnosisCheck {
    var json: JSONValue {
        let common: [(String, JSONValue)] = [
            ("hop", .string(step.rawValue)), ("outcome", .string(outcome.rawValue)),
            ("milliseconds", .count(duration?.wholeMilliseconds)), ("summary", .string(summary.english)),
            ("problem", .text(problem?.code)), ("reason", .text(problem?.reason.english)),
            ("advice", .text(problem?.advice.english)),
        ]
        return JSONValue(common + facts)
    }
}

extension Duration {
    /// For a person who looks at single steps.
    var text: String { Wording.precise(self) }
}

/// The inputs and options of a diagnosis.
struct DiagnosisSettings: Sendable {
    /// The host to use instead of a DNS lookup.
    var host: String?
    var port: UInt16?
    var usesDirectTLS = false
    var resolver = ResolverConfiguration()
    var trust = TrustPolicy.system
    /// Whether ``trust`` asks the user, who must get only one question at a time.
    var asksUser = false
    /// The timeout of each step: a lookup, a connection, a handshake, a request.
    var timeout = Duration.seconds(10)
    /// The settings for the login; `nil` without a password.
    var login: ClientConfiguration?
    /// The port for the host-meta file of a domain.
    var hostMetaPort: UInt16 = 443
    /// Whether to upload a small file and download it again.
    var triesUpload = false

    /// - Parameter signIn: the account and the options for its server.
    init(_ signIn: SignIn? = nil, connection: ConnectionOptions, triesUpload: Bool = false) {
        let connection = signIn?.connection ?? connection
        host = connection.host
        port = connection.port
        usesDirectTLS = connection.usesDirectTLS
        asksUser = connection.trust == .ask
        if let seconds = connection.timeout { timeout = .seconds(seconds) }
        resolver.deadline = min(resolver.deadline, timeout)
        self.triesUpload = triesUpload
        trust = signIn?.configuration.trust ?? connection.trustPolicy(question: asksUser ? TrustQuestion() : nil)
        if let signIn, signIn.source != .missing { login = signIn.configuration }
    }
}
