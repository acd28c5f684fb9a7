/// Where the secret identity keys of accounts are: in the keyring, or in a file that only its owner can read; never in
/// the store of messages.
public protocol OMEMOIdentities: Sendable {
    /// Looks for the account's identity on this device in every place where it can be.
    func search() async throws -> IdentitySearch

    /// Stores the 32 bytes from which the identity is derived.
    ///
    /// - Returns: the name of the place, as in ``IdentitySearch``.
    func save(_ seed: [UInt8]) async throws -> String
}

/// What was found of an account's identity on this device.
///
/// A seed that is not found is lost only if the place that had it was searched: a program without the session bus of the
/// desktop does not see the keyring.
public struct IdentitySearch: Sendable, Hashable {
    /// The 32 bytes from which an identity is derived, and the name of the place that has them.
    public struct Seed: Sendable, Hashable {
        public var bytes: [UInt8]
        public var place: String

        public init(_ bytes: [UInt8], in place: String) { (self.bytes, self.place) = (bytes, place) }
    }

    public var seeds: [Seed]
    /// The names of the places that could not be searched.
    public var unsearched: Set<String>

    public init(_ seeds: [Seed] = [], unsearched: Set<String> = []) {
        (self.seeds, self.unsearched) = (seeds, unsearched)
    }
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
