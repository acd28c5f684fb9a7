public import ChatStore

/// Whether a message that waits to be sent will be encrypted, as far as the store tells.
public enum WaitingProtection: String, Sendable, Hashable {
    /// In clear, as everything in its conversation.
    case none
    /// In clear, although messages in its conversation were encrypted.
    case clear
    /// Encrypted, or not sent at all.
    case encrypted
    /// That depends on the devices of the recipients, which are requested before it is sent.
    case unknown

    /// - Parameter policy: of the account; `nil` if its encryption is off.
    public init(
        of conversation: ConversationKey, _ policy: EncryptionPolicy?, in reader: any StoreReader
    ) throws(StoreError) {
        self = .none
        // Private messages in rooms are never encrypted.
        guard let standard = policy, conversation.kind != .occupant else { return }
        let name = ConversationEncryption.name(conversation.conversation)
        let record = try reader.protectionRecords(of: conversation.account, beginningWith: name)
            .first { $0.name == name }?.value
        let known = record.flatMap { try? ConversationEncryption($0) } ?? ConversationEncryption()
        if (known.policy ?? standard) == .never {
            self = known.wasEncrypted ? .clear : .none
        } else {
            self = known.allowsClear(standard) ? .unknown : .encrypted
        }
    }
}
