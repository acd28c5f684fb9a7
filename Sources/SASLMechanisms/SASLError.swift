/// Why the client cannot continue an exchange: the peer broke the rules, or no mechanism can be used.
///
/// A refusal by the server is a ``SASLFailureCondition``, not a `SASLError`.
public struct SASLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: Sendable, Equatable {
        /// No mechanism that the server offers can be used; lists each one with the reason.
        case noUsableMechanism([SASLRefusal])
        /// A message from the server does not follow the mechanism's grammar; `what` names the part.
        case malformedMessage(what: String)
        /// The server's nonce does not extend ours (RFC 5802 §5): the message does not answer ours.
        case nonceNotExtended
        /// The server asks for too few iterations (a stolen proof would be easy to guess) or too many (which would
        /// exhaust our processor).
        case iterationCountOutOfRange(Int, allowed: ClosedRange<Int>)
        /// The server's salt is empty.
        case emptySalt
        /// The server demands an extension (`m=`) that must not be ignored; none is defined.
        case mandatoryExtension
        /// The server gave a reason for its refusal in `e=`.
        case serverReported(SCRAMServerError)
        /// The list of mechanisms that the server signed differs from the one that we received (XEP-0474).
        case offerTampered
        /// The server reports success without proving that it knows the password.
        case serverSignatureMissing
        /// The server does not know the password: its signature is wrong.
        case serverSignatureMismatch
        /// The server sent an unexpected challenge, or reports success in the middle of an exchange.
        case unexpectedMessage
        /// The stored keys no longer match the server's salt or iteration count, and there is no password.
        case passwordNeeded
        /// A credential is empty but required, or contains U+0000; `what` names it.
        case invalidCredential(what: String)
        /// The injected digest refused the key derivation.
        case digestRefused
    }

    /// The kind of error.
    public let code: Code

    public init(_ code: Code) { self.code = code }

    /// Whether the server offers only mechanisms that are weaker than the one of an earlier login of this account
    /// (``SASLPolicy/previousMechanism``): the list may be forged, or the server's settings have changed.
    public var meansDowngrade: Bool {
        guard case .noUsableMechanism(let refusals) = code else { return false }
        return refusals.contains { $0.reason == .weakerThanBefore }
    }

    /// A description in English.
    public var description: String {
        switch code {
        case .noUsableMechanism(let refusals) where refusals.isEmpty:
            "The server offers no way to log in."
        case .noUsableMechanism(let refusals):
            "None of the ways to log in that the server offers can be used: "
                + refusals.map(\.description).joined(separator: "; ") + "."
        case .malformedMessage(let what): "The server sent a login message that cannot be read (\(what))."
        case .nonceNotExtended: "The server's answer does not belong to our login: its nonce does not extend ours."
        case .iterationCountOutOfRange(let count, let allowed) where count < allowed.lowerBound:
            "The server wants the password protected by only \(count) iterations; at least \(allowed.lowerBound) are "
                + "needed here."
        case .iterationCountOutOfRange(let count, let allowed):
            "The server wants \(count) iterations; more than \(allowed.upperBound) are not computed here."
        case .emptySalt: "The server sent no salt for the password."
        case .mandatoryExtension: "The server demands a login extension that is not known here."
        case .serverReported(let reason): reason.description
        case .offerTampered:
            "The server's list of ways to log in was changed on the way: a third party may be listening."
        case .serverSignatureMissing: "The server did not prove that it knows the password."
        case .serverSignatureMismatch: "The server's proof is wrong: it may not be the server it says it is."
        case .unexpectedMessage: "The server sent a login message that has no place there."
        case .passwordNeeded: "The kept login no longer fits the server; the password is needed."
        case .invalidCredential(let what): "The \(what) is empty or holds a character that cannot be used."
        case .digestRefused: "The keys could not be derived from the password on this computer."
        }
    }
}
