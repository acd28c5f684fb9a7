internal import TransportLayer
internal import XMPPAddress
internal import XMPPClient

/// What a walk from an address to a working session found, hop by hop.
struct Diagnosis: Sendable {
    /// What was asked about.
    var subject: String
    var hops: [any DiagnosisHop] = []
    var duration: Duration = .zero

    /// The first hop that fails.
    var firstFailure: (any DiagnosisHop)? { hops.first { $0.outcome == .failed } }

    var status: ExitStatus { firstFailure?.problem?.status ?? .done }

    subscript(place: DiagnosisPlace) -> (any DiagnosisHop)? {
        hops.first { $0.place == place }
    }

    /// The hop of that type, if it was looked at.
    subscript<Hop: DiagnosisHop>(type: Hop.Type) -> Hop? {
        hops.lazy.compactMap { $0 as? Hop }.first
    }
}

extension Diagnosis {
    /// One object; the texts are English whatever the person's language is.
    var json: JSONValue {
        [
            "event": "diagnosis", "address": .string(subject), "well": .bool(firstFailure == nil),
            "status": .count(status.rawValue), "failed": .text(firstFailure?.place.rawValue),
            "milliseconds": .count(duration.wholeMilliseconds), "hops": .array(hops.map { $0.json }),
        ]
    }
}

extension DiagnosisHop {
    var json: JSONValue {
        let common: [(String, JSONValue)] = [
            ("hop", .string(place.rawValue)), ("outcome", .string(outcome.rawValue)),
            ("milliseconds", .count(duration?.wholeMilliseconds)), ("summary", .string(summary.english)),
            ("problem", .text(problem?.code)), ("reason", .text(problem?.reason.english)),
            ("advice", .text(problem?.advice.english)),
        ]
        return JSONValue(common + facts)
    }
}

extension Duration {
    var wholeMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1000 + attoseconds / 1_000_000_000_000_000
    }

    /// `12 ms`, `1.4 s`: as exact as a person cares.
    var words: String {
        let milliseconds = wholeMilliseconds
        if milliseconds < 1000 { return "\(milliseconds) ms" }
        let tenths = (milliseconds + 50) / 100
        return "\(tenths / 10).\(tenths % 10) s"
    }
}

/// What a walk is allowed to know and to do.
struct DiagnosisSettings: Sendable {
    /// In place of what DNS says.
    var host: String?
    var port: UInt16?
    var usesDirectTLS = false
    var resolver = ResolverConfiguration()
    var trust = TrustPolicy.system
    /// Whether ``trust`` asks a person, who must not be asked two things at once.
    var asksPerson = false
    /// For each single step: a look-up, a connection, a handshake, an answer.
    var patience = Duration.seconds(10)
    /// How to log in; `nil` without a password.
    var login: ClientConfiguration?
    /// Where the host-meta file of a domain is asked for.
    var hostMetaPort: UInt16 = 443
    /// Whether a few bytes are put on the upload service and fetched again.
    var triesUpload = false

    /// - Parameter signIn: the account and what the command line says about its server.
    init(_ signIn: SignIn? = nil, connection: ConnectionOptions, triesUpload: Bool = false) {
        let connection = signIn?.connection ?? connection
        host = connection.host
        port = connection.port
        usesDirectTLS = connection.usesDirectTLS
        asksPerson = connection.trust == .ask
        if let seconds = connection.timeout { patience = .seconds(seconds) }
        resolver.deadline = min(resolver.deadline, patience)
        self.triesUpload = triesUpload
        trust = signIn?.configuration.trust ?? connection.trustPolicy(question: asksPerson ? TrustQuestion() : nil)
        if let signIn, signIn.source != .missing { login = signIn.configuration }
    }
}
