public import XMPPAddress

/// A change of a conversation that its timeline shows at its time: of its end-to-end protection, or an answer of the
/// contact. It is no message: it has no sender.
public struct ConversationNotice: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable, Codable, CaseIterable {
        /// The first message was encrypted, or encryption was turned on again.
        case began
        /// The person has decided that messages are sent in clear.
        case ended
        /// A device that was never seen, in a conversation that was encrypted before; its key is trusted, because none of its
        /// account was verified.
        case newDevice = "new-device"
        /// An account of which a key was verified uses a key that was never seen.
        case newKey = "new-key"
        /// A known device uses another key than before.
        case changedKey = "changed-key"
        /// The other account asks for messages without encryption.
        case optOut = "opt-out"
        /// The contact accepted our request to see its presence (RFC 6121 §3.1.6).
        case contactAccepted = "contact-accepted"
        /// The contact declined it (RFC 6121 §3.2.2).
        case contactDeclined = "contact-declined"
        /// The contact had accepted it, and does not any more.
        case contactEnded = "contact-ended"

        /// Whether it is an answer of the contact, and not about the protection.
        public var isAnswer: Bool {
            switch self {
            case .contactAccepted, .contactDeclined, .contactEnded: true
            case .began, .ended, .newDevice, .newKey, .changedKey, .optOut: false
            }
        }
    }

    /// A key that was seen at an account.
    public struct Key: Hashable, Sendable, Codable {
        /// The bare address.
        public var address: JID
        public var device: UInt32
        /// 64 hexadecimal digits.
        public var fingerprint: String

        public init(_ address: JID, device: UInt32, fingerprint: String) {
            (self.address, self.device, self.fingerprint) = (address, device, fingerprint)
        }
    }

    public var conversation: ConversationAddress
    public var time: MessageTime
    public var kind: Kind
    /// With ``Kind/newDevice``, ``Kind/newKey`` and ``Kind/changedKey``; with ``Kind/optOut`` the one that asks.
    public var key: Key?

    public init(_ kind: Kind, in conversation: ConversationAddress, at time: MessageTime, key: Key? = nil) {
        (self.kind, self.conversation, self.time, self.key) = (kind, conversation, time, key)
    }
}
