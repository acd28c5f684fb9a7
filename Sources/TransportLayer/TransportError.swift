/// Why a transport, a look-up or a transfer failed: a code for programs, a sentence for people.
public struct TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure. More may be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    public var code: Code

    /// What happened, as a sentence for a person.
    public var description: String

    /// Why the certificate was not trusted; empty unless ``code`` is `certificateRefused`.
    public var certificateProblems: [CertificateProblem] = []

    /// The certificates that the peer showed, its own first; empty unless ``code`` is `certificateRefused`.
    public var certificates: [CertificateInformation] = []

    /// What was tried, in order, when several candidates were (``Connector``).
    public var attempts: [ConnectionAttempt] = []

    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}

extension TransportError.Code {
    /// The task was cancelled.
    public static let cancelled = Self("cancelled")
    /// The transport was closed on this side.
    public static let closed = Self("closed")
    /// Writing after ``Transport/finishWriting()``.
    public static let writingFinished = Self("writing finished")
    /// The peer broke the connection off (RST), or reads no more.
    public static let connectionReset = Self("connection reset")
    /// The connection ended without TLS `close_notify`: the end may have been cut off by somebody in between.
    public static let truncated = Self("truncated")
    /// Nothing listens at that address and port.
    public static let connectionRefused = Self("connection refused")
    /// No way to that host or network.
    public static let unreachable = Self("unreachable")
    /// The time limit passed.
    public static let timedOut = Self("timed out")
    /// The TLS handshake or the TLS connection failed.
    public static let tlsFailed = Self("TLS failed")
    /// The peer's certificate is not trusted; see ``TransportError/certificateProblems``.
    public static let certificateRefused = Self("certificate refused")
    /// The domain says by SRV record "." that it does not offer the service (RFC 2782).
    public static let serviceNotOffered = Self("service not offered")
    /// The name has no address.
    public static let hostNotFound = Self("host not found")
    /// The DNS servers did not answer or answered with a failure.
    public static let resolutionFailed = Self("resolution failed")
    /// Every candidate failed; see ``TransportError/attempts``.
    public static let allCandidatesFailed = Self("all candidates failed")
    /// A file, a URL or a setting cannot be used.
    public static let invalidConfiguration = Self("invalid configuration")
    /// The system refused: no descriptors, no memory, no permission.
    public static let system = Self("system error")
    /// The HTTP server answered with a failure status.
    public static let httpStatus = Self("HTTP status")
    /// The HTTP transfer broke.
    public static let httpFailed = Self("HTTP failed")
    /// The server does not understand WebSocket or XMPP over it, or it ended such a connection with an error.
    public static let webSocketFailed = Self("WebSocket failed")
    /// More bytes than allowed.
    public static let tooLarge = Self("too large")
}

/// One address that was tried and how it failed.
public struct ConnectionAttempt: Sendable, Equatable, CustomStringConvertible {
    /// Host and port as told by DNS or the user.
    public var target: String
    /// The address tried; `nil` when the name did not resolve.
    public var address: String?
    /// What came of it.
    public var outcome: String

    public var description: String {
        address.map { $0 == target ? "\(target): \(outcome)" : "\(target) (\($0)): \(outcome)" }
            ?? "\(target): \(outcome)"
    }
}
