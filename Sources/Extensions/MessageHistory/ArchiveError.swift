public import XMPPClient
import XMPPStanzas

/// Why an archive query failed.
public struct ArchiveError: Error, Sendable, CustomStringConvertible {
    public enum Code: Sendable, Hashable {
        /// The archive does not have a message that the query refers to. Query by time, or from one of the ends
        /// (XEP-0313 §4.3.2).
        case messageVanished
        /// There is no archive, or it does not support the query.
        case notSupported
        /// This account may not read the archive.
        case forbidden
        /// The response violates the protocol.
        case invalidAnswer
        /// The task was cancelled.
        case cancelled
        /// The connection or the server failed; retrying is possible.
        case failed
    }

    public let code: Code
    /// One sentence that says what happened and what to do.
    public let description: String
    /// The error of the session.
    public let cause: ClientError?

    public init(_ code: Code, _ description: String, cause: ClientError? = nil) {
        self.code = code
        self.description = description
        self.cause = cause
    }

    /// - Parameter namesMessage: whether the query referred to messages that must exist.
    init(_ error: ClientError, namesMessage: Bool) {
        switch error.stanzaError?.condition {
        case .itemNotFound where namesMessage:
            self.init(
                .messageVanished,
                "The archive does not have the message any more from which to continue; ask by time instead.",
                cause: error
            )
        case .itemNotFound, .featureNotImplemented, .serviceUnavailable:
            self.init(.notSupported, "There is no archive here that could answer this.", cause: error)
        case .forbidden, .notAuthorized, .notAllowed, .registrationRequired:
            self.init(.forbidden, "This account may not read the archive.", cause: error)
        default:
            switch error.code {
            case .cancelled: self.init(.cancelled, "The archive was no longer asked.", cause: error)
            case .unreadableAnswer:
                self.init(.invalidAnswer, "The archive's answer could not be read.", cause: error)
            default: self.init(.failed, "The archive could not be asked: \(error.description)", cause: error)
            }
        }
    }

    static let vanished = ArchiveError(
        .messageVanished, "The archive does not have a message any more that it was asked about; ask by time instead.")

    static let notExtended = ArchiveError(
        .notSupported, "The archive cannot look messages up by their identifiers or send a page in reverse.")

    static let tooMuch = ArchiveError(
        .invalidAnswer, "The archive sent more messages than it was asked for; none of them was taken.")

    static let circle = ArchiveError(
        .invalidAnswer, "The archive sent the same page again instead of the one that follows.")
}
