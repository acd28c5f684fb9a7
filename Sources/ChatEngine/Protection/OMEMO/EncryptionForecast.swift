public import ChatStore
public import XMPPAddress

/// What happens to a message that is sent in a conversation now.
public struct EncryptionForecast: Sendable, Hashable {
    public enum Outcome: Sendable, Hashable {
        /// The servers on the way can read it.
        case clear(ClearReason)
        case encrypted
        /// It is not sent: it must not go in clear, and no device of a recipient could decrypt it.
        case refused(ProtectionError.Code)
        /// It waits until the devices of the recipients are known, for example because a server does not answer.
        case waits(ProtectionError.Code)
        /// The devices of the recipients are not requested while this device is offline.
        case unknown
        /// The devices of a stranger are requested only when the person writes: a request tells that the conversation
        /// was opened.
        case stranger
    }

    /// Why a message is sent in clear.
    public enum ClearReason: Sendable, Hashable {
        /// The policy of the conversation or the account.
        case policy
        /// These accounts announce no device, and nothing was encrypted in the conversation before.
        case noDevice([JID])
        /// The room does not allow it: for example `anonymous-room`, `public-room` or `private-room-message`.
        case room(ProtectionError.Code)
        /// The account has no encryption.
        case withoutEncryption
    }

    public var outcome: Outcome
    /// The policy that applies to the conversation.
    public var policy: EncryptionPolicy
    /// The policy was decided for this conversation, and is not that of the account.
    public var isOwnPolicy: Bool
    /// Messages in the conversation were encrypted before: with `whenPossible` nothing is sent in clear any more.
    public var wasEncrypted: Bool
    /// The devices, or accounts without any, that will not be able to decrypt the message, each with its reason; also
    /// devices of our own account.
    public var unreadable: [ProtectionError.Recipient]

    public init(
        _ outcome: Outcome, policy: EncryptionPolicy, isOwnPolicy: Bool = false, wasEncrypted: Bool = false,
        unreadable: [ProtectionError.Recipient] = []
    ) {
        self.outcome = outcome
        self.policy = policy
        self.isOwnPolicy = isOwnPolicy
        self.wasEncrypted = wasEncrypted
        self.unreadable = unreadable
    }

    /// Of an account that has none.
    static let withoutEncryption = EncryptionForecast(.clear(.withoutEncryption), policy: .never)
}
