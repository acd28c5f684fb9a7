public import ChatEngine
public import ChatStore
public import EndToEndEncryption
public import XMPPAddress

/// The end-to-end encryption of an account, as the models use it.
public protocol EncryptionService: Sendable {
    /// What happens to a message that is sent in a conversation now.
    func forecast(for conversation: ConversationAddress) async -> EncryptionForecast
    /// The devices of an account that it announces, and those whose keys are known; also of our own account.
    func devices(of address: JID) async throws -> [EncryptionDevice]
    /// Decides for one conversation; `nil` leaves it to the account.
    func setPolicy(_ policy: EncryptionPolicy?, of conversation: ConversationAddress) async throws
    /// Sets the trust in a key of an account.
    func setTrust(_ trust: DeviceTrust, of fingerprint: String, at address: JID) async throws
    /// Forgets a key of an account, the trust in it and the sessions with it.
    func forget(_ fingerprint: String, at address: JID) async throws
    /// Removes a device from our own account's lists on the server.
    func removeDevice(_ device: UInt32) async throws
    /// Whether messages are not encrypted for devices that were not used for a month.
    var excludesUnusedDevices: Bool { get async throws }
    func setExcludesUnusedDevices(_ isExcluding: Bool) async throws
    /// Publishes the keys of this device again.
    func announceAgain()
    /// The verified keys of an account as a link; of our own account with the key of this device.
    func verificationLink(for address: JID) async throws -> VerificationLink?
    /// Verifies the keys that a link names, unless it contradicts what is known.
    func verify(with link: VerificationLink) async throws -> VerificationOutcome
}

extension OMEMOProtection: EncryptionService {}

/// A link with the fingerprints of an account, as it was pasted, opened or scanned.
public struct VerificationRequest: Sendable, Hashable {
    /// The account whose keys the link names.
    public var account: JID { link.account }
    /// The number of keys that it calls authentic.
    public var count: Int { link.entries.count }

    let link: VerificationLink

    /// - Returns: `nil` if the text is no `xmpp:` URI with fingerprints.
    public init?(_ text: String) {
        guard let link = VerificationLink(text.trimmingWhitespace) else { return nil }
        self.link = link
    }
}
