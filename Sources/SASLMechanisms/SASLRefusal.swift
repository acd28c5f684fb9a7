/// Why one of the offered mechanisms is not used.
public struct SASLRefusal: Sendable, Hashable, CustomStringConvertible {
    /// The reason.
    public enum Reason: Sendable, Hashable {
        /// The mechanism is not implemented, or its hash function is not available.
        case unknown
        /// The policy does not allow it.
        case notAllowed
        /// It would send the password over an unencrypted connection.
        case connectionNotEncrypted
        /// It needs something that the credentials do not contain.
        case credentialsMissing
        /// There is no kind of channel binding that both ends support.
        case noCommonChannelBinding
        /// The policy requires channel binding, or a bound exchange has already failed on this connection.
        case notChannelBound
        /// It is weaker than the mechanism of the previous login (XEP-0474 §6): the list may be a forgery.
        case weakerThanBefore
        /// It was already tried on this connection.
        case alreadyTried
    }

    /// The mechanism's name as the server sent it.
    public let mechanism: String
    /// Why it is not used.
    public let reason: Reason

    public init(mechanism: String, reason: Reason) {
        self.mechanism = mechanism
        self.reason = reason
    }

    /// The reason as part of a sentence in English.
    public var description: String {
        switch reason {
        case .unknown: "\(mechanism) is not supported"
        case .notAllowed: "\(mechanism) is not allowed by the settings"
        case .connectionNotEncrypted: "\(mechanism) needs an encrypted connection"
        case .credentialsMissing: "\(mechanism) needs credentials that are missing"
        case .noCommonChannelBinding: "\(mechanism) has no channel binding that both sides support"
        case .notChannelBound: "\(mechanism) has no channel binding"
        case .weakerThanBefore: "\(mechanism) is weaker than the previous login"
        case .alreadyTried: "\(mechanism) has already failed"
        }
    }
}
