/// Why one of the offered mechanisms is not used.
public struct SASLRefusal: Sendable, Hashable, CustomStringConvertible {
    /// The reason.
    public enum Reason: Sendable, Hashable {
        /// The mechanism is not implemented here, or its hash function is not there.
        case unknown
        /// The policy does not allow it.
        case notAllowed
        /// It would send the password, and the connection is not encrypted.
        case connectionNotEncrypted
        /// It needs something that the credentials do not hold.
        case credentialsMissing
        /// It binds to the TLS connection in no way that both ends can.
        case noCommonChannelBinding
        /// The policy demands channel binding, or a bound exchange has already failed on this connection.
        case notChannelBound
        /// It is weaker than what this account logged in with before (XEP-0474 §6): the list may be a forgery.
        case weakerThanBefore
        /// It has been tried on this connection.
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

    /// The refusal as part of a sentence.
    public var description: String {
        switch reason {
        case .unknown: "\(mechanism) is not known here"
        case .notAllowed: "\(mechanism) is not allowed by the settings"
        case .connectionNotEncrypted: "\(mechanism) needs an encrypted connection"
        case .credentialsMissing: "\(mechanism) needs credentials that are not there"
        case .noCommonChannelBinding: "\(mechanism) binds in a way that only one side can"
        case .notChannelBound: "\(mechanism) is not bound to the TLS connection"
        case .weakerThanBefore: "\(mechanism) is weaker than the login of before"
        case .alreadyTried: "\(mechanism) has failed already"
        }
    }
}
