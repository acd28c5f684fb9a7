public import ChatStore

/// What the symbol beside the time of a message says about its protection.
public enum ProtectionMark: Sendable, Hashable, CaseIterable {
    case encrypted
    /// A message of ours that some devices or accounts cannot decrypt.
    case partly
    /// The user had verified the sender's key when the message came.
    case verified
    /// The user had not decided about the sender's key, or distrusted it.
    case untrusted
    /// It came or went in clear, in a conversation that was encrypted before.
    case clear
    /// It could not be decrypted; the sentence in its place says why.
    case notOpened

    /// - Parameter isAfterEncryption: a message before it in the conversation was encrypted.
    public init?(_ message: StoredMessage, isAfterEncryption: Bool = false) {
        guard !message.isRetracted else { return nil }
        switch message.protection {
        case .clear: self = .clear
        case .none:
            guard isAfterEncryption else { return nil }
            self = .clear
        case .notOpened: self = .notOpened
        case .encrypted(_, _, let trust):
            switch trust {
            case .undecided, .distrusted: self = .untrusted
            case .trusted, .verified:
                // What this device has sealed counts as verified, which says nothing about the keys of the receivers.
                self =
                    !message.unreadable.isEmpty
                    ? .partly : trust == .verified && !message.isOutgoing ? .verified : .encrypted
            }
        }
    }
}
