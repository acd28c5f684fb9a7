package import ChatEngine
package import ChatModel
package import ChatStore
internal import Localization

extension EncryptionPolicy {
    /// The policy in commands and in JSON.
    package var word: String {
        switch self {
        case .always: "always"
        case .whenPossible: "when-possible"
        case .never: "never"
        }
    }

    package init?(word: String) {
        guard let policy = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = policy
    }
}

extension ProtectionMark {
    /// The mark before a message; signs and not colours, which not everyone can distinguish.
    var sign: String {
        switch self {
        case .encrypted: "🔒"
        case .verified: "🔐"
        case .partly, .untrusted: "🔒!"
        case .clear: "🔓"
        case .notOpened: "🔒✗"
        }
    }
}

extension EncryptionModel.Sign {
    /// The mark before the input: what happens to the next message.
    var mark: String {
        switch self {
        case .encrypted: "🔒"
        case .partly: "🔒!"
        case .clear: "🔓"
        case .refused: "🔒✗"
        case .unknown: "🔒?"
        }
    }
}

extension Wording {
    /// A device that cannot read a message, and why: `juliet@example.org, device 31415: New key: not decided yet`.
    package static func unreadable(_ recipient: ProtectionError.Recipient) -> String {
        let device = recipient.device.map { ", " + localized("device %@", $0) } ?? ""
        return "\(recipient.address)\(device): " + unreadable(recipient.code)
    }
}

extension MessageProtection {
    package var isEncrypted: Bool { if case .encrypted = self { true } else { false } }

    /// The mark of a received message with a space after it; empty for one that was not decrypted, or came in clear where
    /// nothing was encrypted.
    package var prefix: String {
        let mark: ProtectionMark? =
            switch self {
            case .none, .notOpened: nil
            case .clear: .clear
            case .encrypted(_, _, .undecided), .encrypted(_, _, .distrusted): .untrusted
            case .encrypted(_, _, .trusted): .encrypted
            case .encrypted(_, _, .verified): .verified
            }
        return ProtectionMark.prefix(mark)
    }
}

extension WaitingProtection {
    /// The mark of a message that waits, with a space after it; empty if nothing is encrypted.
    package var prefix: String {
        switch self {
        case .none: ""
        case .clear: ProtectionMark.prefix(.clear)
        case .encrypted: ProtectionMark.prefix(.encrypted)
        case .unknown: EncryptionModel.Sign.unknown.mark + " "
        }
    }
}

extension ProtectionMark {
    /// The mark of a message with a space after it; empty without a mark.
    package static func prefix(_ mark: ProtectionMark?) -> String { mark.map { $0.sign + " " } ?? "" }
}
