/// The delivery state of one of our messages. Reports can arrive in any order; the state only moves forward.
///
/// A message of others is always `.delivered`.
public enum MessageState: Hashable, Sendable, Codable {
    /// Stored here, not yet passed to the server.
    case queued
    /// The server has it (XEP-0198 acknowledgement, reflection, carbon or archive).
    case sentToServer
    /// The recipient's device has it (XEP-0184).
    case delivered
    /// The recipient has read it (XEP-0333), or a later one.
    case displayed
    /// It was not delivered.
    case failed(FailureReason)

    /// The state as a number, in the order in which states replace each other: if the server has a message, a local
    /// failure was wrong; and only a receipt proves that a refusal was wrong.
    var code: Int64 {
        switch self {
        case .queued: 0
        case .failed(let reason) where reason.kind == .notSent: 2000
        case .sentToServer: 3000
        case .failed: 4000
        case .delivered: 5000
        case .displayed: 6000
        }
    }

    init?(code: Int64, failure: FailureReason?) {
        switch code {
        // Earlier versions stored the progress of an upload in these numbers.
        case 0, 1000...1100: self = .queued
        case 2000:
            self = .failed(
                FailureReason(.notSent, condition: failure?.condition ?? "undefined-condition", text: failure?.text))
        case 3000: self = .sentToServer
        case 4000: self = .failed(failure ?? FailureReason(.refused, condition: "undefined-condition"))
        case 5000: self = .delivered
        case 6000: self = .displayed
        default: return nil
        }
    }

    var failure: FailureReason? {
        if case .failed(let reason) = self { reason } else { nil }
    }

    /// Neither received by the server nor failed.
    var isUnsent: Bool { code < 2000 }

    /// The later of the two states.
    func merged(with other: MessageState) -> MessageState { other.code > code ? other : self }
}

/// Why a message was not delivered.
public struct FailureReason: Hashable, Sendable, Codable {
    public enum Kind: Int, Sendable, Codable {
        /// It was never sent: a file is missing, the upload failed, or it is too large. A retry may help.
        case notSent = 0
        /// A server or the recipient returned an error (RFC 6120 §8.3).
        case refused = 1
    }

    public let kind: Kind
    /// The condition of the error, such as `service-unavailable`, or a condition of the program.
    public let condition: String
    /// The text of the error, if it has one.
    public let text: String?

    public init(_ kind: Kind, condition: String, text: String? = nil) {
        self.kind = kind
        self.condition = condition
        self.text = text
    }
}
