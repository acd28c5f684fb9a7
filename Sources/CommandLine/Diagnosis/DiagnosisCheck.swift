internal import JSONRPC

/// A check on the way to a working session: its result as a value, with texts but without output.
protocol DiagnosisCheck: Sendable, Equatable {
    var step: DiagnosisStep { get }
    var outcome: DiagnosisOutcome { get }
    /// How long it took; `nil` if it needed no time.
    var duration: Duration? { get }
    /// The result in one line.
    var summary: Phrase { get }
    /// The details of the result.
    var details: [DiagnosisDetail] { get }
    /// Why the check failed and what to do; present if and only if ``outcome`` is `failed`.
    var problem: DiagnosisProblem? { get }
    /// The members of the JSON object besides those that every check has.
    var facts: [(String, JSONValue)] { get }
}

extension DiagnosisCheck {
    var outcome: DiagnosisOutcome { problem == nil ? .passed : .failed }
    var details: [DiagnosisDetail] { [] }
    var problem: DiagnosisProblem? { nil }
    var facts: [(String, JSONValue)] { [] }
}

/// The checks in order; the raw values are their names in JSON.
enum DiagnosisStep: String, Sendable, CaseIterable {
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

/// The outcome of a check; the raw values are those of JSON.
enum DiagnosisOutcome: String, Sendable {
    case passed
    /// It works, but something deserves attention.
    case warning
    case failed
    /// It was not run, or there is nothing to check; not an error.
    case skipped
}

/// A detail line of a check.
struct DiagnosisDetail: Sendable, Equatable {
    /// `nil` for neutral information.
    var outcome: DiagnosisOutcome?
    var phrase: Phrase

    init(_ phrase: Phrase, _ outcome: DiagnosisOutcome? = nil) {
        self.outcome = outcome
        self.phrase = phrase
    }
}

/// Why a check failed and what to do about it.
struct DiagnosisProblem: Sendable, Equatable {
    /// Identifies the problem in JSON; must never change.
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

/// A check that was not run, and why.
struct SkippedCheck: DiagnosisCheck {
    var step: DiagnosisStep
    var reason: Phrase

    var outcome: DiagnosisOutcome { .skipped }
    var duration: Duration? { nil }
    var summary: Phrase { Phrase("skipped: %@", reason) }
}
