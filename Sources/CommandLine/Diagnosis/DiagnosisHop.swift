/// One hop on the way to a working session: what was found there, as a value that knows its words but prints nothing.
protocol DiagnosisHop: Sendable, Equatable {
    var place: DiagnosisPlace { get }
    var outcome: DiagnosisOutcome { get }
    /// How long it took; `nil` where nothing was waited for.
    var duration: Duration? { get }
    /// What was found, in one line.
    var summary: Phrase { get }
    /// And in detail.
    var details: [DiagnosisDetail] { get }
    /// Why the hop fails and what to do; there is one exactly when ``outcome`` is `failed`.
    var problem: DiagnosisProblem? { get }
    /// The members of the JSON object beside those that every hop has.
    var facts: [(String, JSONValue)] { get }
}

extension DiagnosisHop {
    var outcome: DiagnosisOutcome { problem == nil ? .passed : .failed }
    var details: [DiagnosisDetail] { [] }
    var problem: DiagnosisProblem? { nil }
    var facts: [(String, JSONValue)] { [] }
}

/// The hops in the order of the walk; the raw values are their names in JSON.
enum DiagnosisPlace: String, Sendable, CaseIterable {
    case address, dns, tcp, tls, stream
    case webSocket = "websocket"
    case authentication, binding, server, upload, archive, clock, resumption

    var label: Phrase {
        switch self {
        case .address: Phrase("Address")
        case .dns: .verbatim("DNS")
        case .tcp: .verbatim("TCP")
        case .tls: .verbatim("TLS")
        case .stream: Phrase("Stream")
        case .webSocket: .verbatim("WebSocket")
        case .authentication: Phrase("Login")
        case .binding: Phrase("Resource")
        case .server: Phrase("Server")
        case .upload: Phrase("Upload")
        case .archive: Phrase("Archive")
        case .resumption: Phrase("Resumption")
        case .clock: Phrase("Clock")
        }
    }
}

/// What came of a hop; the raw values are those of JSON.
enum DiagnosisOutcome: String, Sendable {
    case passed
    /// It works, but there is something to know.
    case warning
    case failed
    /// It was not looked at, or there is nothing to look at, which is no fault.
    case skipped
}

/// A line below a hop.
struct DiagnosisDetail: Sendable, Equatable {
    /// `nil` for what is neither good nor bad.
    var outcome: DiagnosisOutcome?
    var phrase: Phrase

    init(_ phrase: Phrase, _ outcome: DiagnosisOutcome? = nil) {
        self.outcome = outcome
        self.phrase = phrase
    }
}

/// Why a hop fails and what to do about it.
struct DiagnosisProblem: Sendable, Equatable {
    /// Names the kind of problem in JSON; never changed.
    var code: String
    var reason: Phrase
    var advice: Phrase
    var status: ExitStatus

    init(_ code: String, _ reason: Phrase, advice: Phrase, _ status: ExitStatus = .connection) {
        self.code = code
        self.reason = reason
        self.advice = advice
        self.status = status
    }
}

/// A hop that was not looked at, and why.
struct SkippedHop: DiagnosisHop {
    var place: DiagnosisPlace
    var reason: Phrase

    var outcome: DiagnosisOutcome { .skipped }
    var duration: Duration? { nil }
    var summary: Phrase { Phrase("not looked at: %@", reason) }
}
