/// The limits of the module. A peer that exceeds one gets a typed refusal.
public enum OMEMOLimits {
    /// Stored keys of delayed messages in one session (XEP-0384 §4.3 MAX_SKIP).
    public static let skippedKeys = 1_000
    /// Messages that one message may skip: what somebody writes in some months to a device that is away. More than
    /// ``skippedKeys`` of them are stored as one key of the chain, which costs half of the computing of as many single keys.
    public static let skippedMessages: UInt32 = 4_000
    /// Such keys of the chain in one session: each message that is decrypted out of the middle adds one.
    static let gaps = 32
    /// Seconds after which the key of a delayed message is discarded: 30 days, longer than servers usually hold messages
    /// back after later ones were delivered.
    public static let skippedKeyLifetime: Int64 = 30 * 86_400
    /// The counter from which on the receiver answers with an empty message, so that no chain becomes long (XEP-0384 §6).
    public static let heartbeatCounter: UInt32 = 53
    /// Earlier chains of the peer that a session remembers to recognise a repeated message.
    static let rememberedChains = 32
    /// Decrypted messages of the current chain whose codes a session remembers to tell a repeated message from a reused
    /// counter: more than a peer sends before an empty message ends its chain (``heartbeatCounter``).
    static let rememberedCodes = 64
    /// The same for each earlier chain.
    static let rememberedPastCodes = 16

    /// Devices in a device list. People with many abandoned devices have dozens.
    public static let devices = 500
    /// Bytes of a device's label in UTF-8; 53 code points are recommended (XEP-0384 §5.3.1).
    public static let labelBytes = 1_024
    /// One-time keys in a bundle; about 100 are usual.
    public static let preKeys = 1_000
    /// Encrypted keys in one message: a room of 500 people with 10 devices each.
    public static let recipientKeys = 5_000
    /// Bytes of one encrypted key; a key exchange has about 250.
    public static let recipientKeyBytes = 4_096
    /// Bytes of a message's payload. Servers allow stanzas of some hundred KiB.
    public static let payloadBytes = 4 << 20

    /// One-time keys that a device publishes (XEP-0384 §4.2). Used ones are replaced at once, long before fewer than 25 are left.
    public static let publishedPreKeys = 100
    /// Seconds after which a signed pre-key is replaced: one week. The previous one is kept for another week.
    public static let signedPreKeyLifetime: Int64 = 7 * 86_400
}
