import COpenSSL
import Glibc

/// Why a transport, a lookup or a transfer failed: a code for programs and a description for developers.
public struct TransportError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// The task was cancelled.
        case cancelled
        /// The transport was closed locally.
        case closed
        /// Writing after ``Transport/finishWriting()``.
        case writingFinished = "writing finished"
        /// The peer reset the connection (RST), or reads no more.
        case connectionReset = "connection reset"
        /// The connection ended without TLS `close_notify`: an attacker may have cut off the end.
        case truncated
        /// Nothing listens at that address and port.
        case connectionRefused = "connection refused"
        /// There is no route to that host or network.
        case unreachable
        /// The timeout expired.
        case timedOut = "timed out"
        /// The TLS handshake or the TLS connection failed.
        case tlsFailed = "TLS failed"
        /// The peer's certificate is not trusted; see ``TransportError/certificateProblems``.
        case certificateRefused = "certificate refused"
        /// The domain says by the SRV record "." that it does not offer the service (RFC 2782).
        case serviceNotOffered = "service not offered"
        /// The name has no address.
        case hostNotFound = "host not found"
        /// The DNS servers did not respond or reported a failure.
        case resolutionFailed = "resolution failed"
        /// Every candidate failed; see ``TransportError/attempts``.
        case allCandidatesFailed = "all candidates failed"
        /// A file, a URL or a setting cannot be used.
        case invalidConfiguration = "invalid configuration"
        /// The system refused: no descriptors, no memory, no permission.
        case system = "system error"
        /// The HTTP server answered with a failure status.
        case httpStatus = "HTTP status"
        /// The HTTP transfer failed.
        case httpFailed = "HTTP failed"
        /// The proxy refused the connection, could not make it, or does not speak its protocol.
        case proxyFailed = "proxy failed"
        /// The server does not support WebSocket or XMPP over it, or it closed such a connection with an error.
        case webSocketFailed = "WebSocket failed"
        /// More bytes than allowed.
        case tooLarge = "too large"

        public var description: String { rawValue }
    }

    public var code: Code

    /// What happened, in English.
    public var description: String

    /// Why the certificate is not trusted; empty unless ``code`` is `certificateRefused`.
    public var certificateProblems: [CertificateProblem] = []

    /// The certificates that the peer sent, its own first; empty unless ``code`` is `certificateRefused`.
    public var certificates: [CertificateInformation] = []

    /// The attempts, in order, if there were several candidates (``Connector``).
    public var attempts: [ConnectionAttempt] = []

    /// The file that cannot be used; `nil` unless ``code`` is `invalidConfiguration` and a file is the reason.
    public var file: UnusableFile?

    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// An error of `invalidConfiguration` because of a file.
    init(_ problem: UnusableFile.Problem, _ path: String, _ description: String) {
        self.init(.invalidConfiguration, description)
        file = UnusableFile(problem, path)
    }
}

/// A file of the settings that cannot be used for a connection.
public struct UnusableFile: Sendable, Hashable {
    public enum Problem: String, Sendable, Hashable, CaseIterable {
        case authoritiesUnreadable, certificateUnreadable, keyUnreadable, passphraseMissing, passphraseWrong
        /// The private key and the certificate do not belong together.
        case keyMismatch
    }

    public var problem: Problem
    public var path: String

    public init(_ problem: Problem, _ path: String) {
        self.problem = problem
        self.path = path
    }
}

/// An address that was tried and its result.
public struct ConnectionAttempt: Sendable, Equatable, CustomStringConvertible {
    /// Host and port from DNS or the user.
    public var target: String
    /// The address; `nil` if the name did not resolve.
    public var address: String?
    /// The result, in English.
    public var outcome: String

    public var description: String {
        address.map { $0 == target ? "\(target): \(outcome)" : "\(target) (\($0)): \(outcome)" }
            ?? "\(target): \(outcome)"
    }
}

extension TransportError {
    /// The error from the error queue of OpenSSL.
    init(tls operation: String, _ code: Code = .tlsFailed, file: UnusableFile? = nil) {
        let number = ERR_get_error()
        ERR_clear_error()
        var words = "unknown reason"
        if let reason = ERR_reason_error_string(number) { words = String(cString: reason) }
        if words == "wrong version number" || words == "record layer failure" {
            words += "; the peer may not speak TLS there"
        }
        self.init(code, "\(operation): \(words).")
        self.file = file
    }
}

extension TransportError {
    /// The error for an `errno` value of a socket call.
    package init(errno code: Int32, _ operation: String) {
        switch code {
        case ECONNREFUSED: self.init(.connectionRefused, "\(operation): nothing accepts connections there.")
        case ECONNRESET, EPIPE, ECONNABORTED:
            self.init(.connectionReset, "\(operation): the peer broke the connection off.")
        case ETIMEDOUT: self.init(.timedOut, "\(operation): the peer did not respond in time.")
        // A firewall on this machine forbids it.
        case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL, EPERM, EACCES:
            self.init(.unreachable, "\(operation): there is no route to that address (\(systemMessage(code))).")
        default: self.init(.system, "\(operation): \(systemMessage(code)).")
        }
    }

    package static let cancelledByTask = TransportError(.cancelled, "The task was cancelled.")
    package static let closedHere = TransportError(.closed, "The connection was closed on this side.")
}

/// The system's message for an `errno` value.
func systemMessage(_ code: Int32) -> String {
    var buffer = [CChar](repeating: 0, count: 128)
    guard strerror_r(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
    return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
