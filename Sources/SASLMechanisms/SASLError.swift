/// Why an exchange cannot go on, seen from the client: the peer broke the rules, or there is nothing to go on with.
///
/// A refusal by the server is no `SASLError` but a ``SASLFailureCondition``.
public struct SASLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What went wrong.
    public enum Code: Sendable, Equatable {
        /// Nothing that the server offers can be used; each mechanism of its list with the reason.
        case noUsableMechanism([SASLRefusal])
        /// A message of the server does not follow the mechanism's grammar; `what` names the part.
        case malformedMessage(what: String)
        /// The server's nonce does not begin with ours and go on (RFC 5802 §5): the message is not an answer to ours.
        case nonceNotExtended
        /// The server wants too few iterations (it would make a stolen proof easy to guess) or too many (it would
        /// burn our processor).
        case iterationCountOutOfRange(Int, allowed: ClosedRange<Int>)
        /// The server's salt is empty.
        case emptySalt
        /// The server demands an extension (`m=`) that must not be ignored; none is defined.
        case mandatoryExtension
        /// The server said in `e=` why it refuses.
        case serverReported(SCRAMServerError)
        /// The list of mechanisms that the server signed is not the one we saw (XEP-0474).
        case offerTampered
        /// The server calls it a success without having proved that it knows the password.
        case serverSignatureMissing
        /// The server does not know the password: its signature is wrong.
        case serverSignatureMismatch
        /// The server sent a challenge where the mechanism has none to expect, or calls a half exchange a success.
        case unexpectedMessage
        /// The kept keys do not fit the server's salt or iteration count any more, and there is no password.
        case passwordNeeded
        /// A credential is empty where it must not be, or holds U+0000; `what` names it.
        case invalidCredential(what: String)
        /// The injected digest refused the key derivation.
        case digestRefused
    }

    /// What went wrong.
    public let code: Code

    public init(_ code: Code) { self.code = code }

    /// Whether the server offers only what is weaker than an earlier login of this account (``SASLPolicy/previousMechanism``):
    /// its list may be forged, or its settings have changed.
    public var meansDowngrade: Bool {
        guard case .noUsableMechanism(let refusals) = code else { return false }
        return refusals.contains { $0.reason == .weakerThanBefore }
    }

    /// The error as a sentence for a person.
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
            "The server's list of ways to log in was changed on the way: somebody may be listening in between."
        case .serverSignatureMissing: "The server did not prove that it knows the password."
        case .serverSignatureMismatch: "The server's proof is wrong: it may not be the server it says it is."
        case .unexpectedMessage: "The server sent a login message that has no place there."
        case .passwordNeeded: "The kept login no longer fits the server; the password is needed."
        case .invalidCredential(let what): "The \(what) is empty or holds a character that cannot be used."
        case .digestRefused: "The keys could not be derived from the password on this computer."
        }
    }
}
