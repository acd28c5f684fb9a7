public import XMPPAddress

/// A change of the end-to-end protection of a conversation that its timeline shows at its time. It is no message:
/// it has no sender.
public struct ProtectionNotice: Hashable, Sendable {
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
