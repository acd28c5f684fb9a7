/// How far a message of ours has come. Reports can arrive in any order; the state only ever moves forward.
///
/// A message of somebody else is always `.delivered`: it is here.
public enum MessageState: Hashable, Sendable, Codable {
    /// Kept here, not yet given to the server.
    case queued
    /// The server has it (XEP-0198 acknowledgement, reflection, carbon or archive).
    case sentToServer
    /// The recipient's device has it (XEP-0184).
    case delivered
    /// The recipient has seen it (XEP-0333), or a later one.
    case displayed
    /// It did not get there.
    case failed(FailureReason)

    /// The state as one number, in the order in which states replace each other: that the server has a message proves a
    /// failure on our side wrong, and only a receipt proves a refusal wrong.
    package var code: Int64 {
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
        // The higher numbers are of versions that stored how far an upload was.
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

    /// Still in our hands: neither with the server nor given up.
    var isUnsent: Bool { code < 2000 }

    /// The later of both.
    package func merged(with other: MessageState) -> MessageState { other.code > code ? other : self }
}

/// Why a message did not get there.
public struct FailureReason: Hashable, Sendable, Codable {
    public enum Kind: Int, Sendable, Codable {
        /// It never left: a file is gone, the upload failed, it is too large. Retry may help.
        case notSent = 0
        /// A server or the recipient sent it back (RFC 6120 §8.3).
        case refused = 1
    }

    public let kind: Kind
    /// The condition of the error, such as `service-unavailable`, or a word of the program.
    public let condition: String
    /// What the other side said about it, if it did.
    public let text: String?

    public init(_ kind: Kind, condition: String, text: String? = nil) {
        self.kind = kind
        self.condition = condition
        self.text = text
    }
}
