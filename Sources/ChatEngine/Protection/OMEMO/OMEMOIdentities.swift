/// Where the secret identity keys of accounts are: in the keyring, or in a file that only its owner can read; never in
/// the store of messages.
public protocol OMEMOIdentities: Sendable {
    /// The 32 bytes from which the account's identity on this device is derived; `nil` if there is none yet.
    func seed() async throws -> [UInt8]?

    func save(_ seed: [UInt8]) async throws
}

/// The end-to-end encryption of an account, as its program wants it.
public struct OMEMOSettings: Sendable {
    public var identities: any OMEMOIdentities
    /// For conversations for which the person has decided nothing.
    public var policy: EncryptionPolicy
    /// What others see this device called; `nil` for nothing.
    public var label: String?

    public init(
        identities: any OMEMOIdentities, policy: EncryptionPolicy = .whenPossible, label: String? = nil
    ) {
        self.identities = identities
        self.policy = policy
        self.label = label
    }
}
