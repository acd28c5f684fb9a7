public import ChatStore
public import EndToEndEncryption
public import XMPPAddress
internal import XMPPClient
public import XMPPStanzas

/// Encrypts and decrypts the messages of one account with OMEMO, in both generations (XEP-0384).
///
/// Each device of a recipient gets the newest generation that it announces; a message can carry both. What is remembered is
/// in records of the store, which change in the transaction of the message; only the identity key is stored elsewhere
/// (``OMEMOIdentities``). This is the façade of `EncryptionParts`.
public final class OMEMOProtection: ContentProtection {
    let parts: EncryptionParts

    init(
        _ settings: OMEMOSettings, store: any LocalStore, account: AccountID, address: JID,
        events: EventChannel<ChatAccountEvent> = EventChannel(), strangerLimit: Int = StrangerRecord.limit,
        now: @escaping @Sendable () -> MessageTime
    ) {
        let context = EncryptionContext(
            settings, store: store, account: account, address: address, events: events, now: now)
        parts = EncryptionParts(context, strangerLimit: strangerLimit)
    }

    public func isSealed(_ message: Message) -> Bool { message.hasOMEMOElement }

    public func open(_ message: Message, by route: ReceivedRoute) async throws(ProtectionError) -> OpenedMessage {
        try await parts.opening.open(message, by: route)
    }

    public func protection(ofClear message: Message, by route: ReceivedRoute) async -> MessageProtection {
        await parts.clearText.protection(of: message, by: route)
    }

    public func postponement(of message: Message, by route: ReceivedRoute) async -> ProtectionChange? {
        await parts.postponed.change(for: message, route)
    }

    public func prepare(_ conversation: ConversationAddress) async throws(ProtectionError) {
        try await parts.audiences.prepare(conversation)
    }

    public func seal(
        _ message: Message, in conversation: ConversationAddress
    ) async throws(ProtectionError) -> SealedMessage { try await parts.sealing.seal(message, in: conversation) }

    public func sealing(
        _ file: Attachment, in conversation: ConversationAddress
    ) async throws(ProtectionError) -> FileSealing? { try await parts.files.sealing(file, in: conversation) }

    public func opening(_ file: Attachment) throws(ProtectionError) -> FileOpening? { try parts.files.opening(file) }

    public func stored(_ change: ProtectionChange) async { parts.context.stored(change) }

    public func discarded(_ change: ProtectionChange) async { parts.context.memory.remove(change) }

    // MARK: This device

    /// The fingerprint of this device; `nil` before the keys are loaded.
    public var fingerprint: String? { parts.context.ownDevice.loaded?.identity.publicKey.fingerprint }

    /// The number of this device; `nil` before the keys are loaded.
    public var device: UInt32? { parts.context.ownDevice.loaded?.keys.device.number }

    /// Others can begin to encrypt for this device: its keys are published.
    public var isAnnounced: Bool { parts.context.ownDevice.loaded?.keys.isAnnounced ?? false }

    /// Returns when the keys of this device are published in this session, or could not be.
    public func waitUntilPublished() async { await parts.context.servers.published.wait() }

    /// Publishes the keys of this device again as soon as the account is online, for a list that another program has
    /// damaged. A failure is reported as ``AccountProblem/session(_:)``.
    public func announceAgain() { parts.decisions.announceAgain() }

    /// The nodes with the keys of this device that not everyone can read; while offline they are not known.
    public func closedNodes() async throws(ProtectionError) -> [ClosedNode] { try await parts.devices.closedNodes() }

    /// What happens to a text that is sent in a conversation now. Requests the devices of the recipients if they are
    /// not known, those of a stranger only while the person is writing (`isSending`), and records keys that were never
    /// seen, so that a notice about one comes once.
    public func forecast(for conversation: ConversationAddress, isSending: Bool) async -> EncryptionForecast {
        await parts.forecaster.forecast(for: conversation, isSending: isSending)
    }

    /// What happens to a text in a conversation that the person looks at.
    public func forecast(for conversation: ConversationAddress) async -> EncryptionForecast {
        await parts.forecaster.forecast(for: conversation, isSending: false)
    }

    /// Decides for one conversation; `nil` leaves it to the account. A decision for ``EncryptionPolicy/never`` holds
    /// also where messages were encrypted before. Any decision answers the other account's request for clear text.
    public func setPolicy(_ policy: EncryptionPolicy?, of conversation: ConversationAddress) async throws {
        try await parts.decisions.setPolicy(policy, of: conversation)
    }

    /// From now on nothing is sent in clear in a conversation, as after its first encrypted message; only a decision
    /// for ``EncryptionPolicy/never`` changes that. So a message that must be encrypted is safe once it is queued.
    public func endClearText(in conversation: ConversationAddress) async throws {
        try await parts.clearText.end(in: conversation)
    }

    /// Whether a message that cannot be encrypted is refused in a conversation, and not sent in clear.
    public func refusesClearText(in conversation: ConversationAddress) async throws(ProtectionError) -> Bool {
        try await parts.clearText.isRefused(in: conversation)
    }

    /// The devices of an account that it announces, and those whose keys are known here; also of our own account.
    /// Online, its list and keys that were never seen are requested, and recorded as if a message was sent.
    public func devices(of address: JID) async throws(ProtectionError) -> [EncryptionDevice] {
        try await parts.devices.devices(of: address)
    }

    /// Sets the trust in a key of an account; does nothing for a key that was never seen at that account.
    public func setTrust(_ trust: DeviceTrust, of fingerprint: String, at address: JID) async throws {
        try await parts.decisions.setTrust(trust, of: fingerprint, at: address)
    }

    /// Forgets a key of an account, the trust in it and the sessions with it: its next message makes it a new key.
    public func forget(_ fingerprint: String, at address: JID) async throws {
        try await parts.decisions.forget(fingerprint, at: address)
    }

    /// Removes a device from our own account's lists on the server, with its published keys. The program that uses it, also
    /// this one, may announce it again. Throws `unreachable` while offline, or `publishingRefused`.
    public func removeDevice(_ device: UInt32) async throws(ProtectionError) {
        try await parts.decisions.removeDevice(device)
    }

    /// Whether messages are not encrypted for unused devices (``EncryptionDevice/isUnused``); they are by default.
    public var excludesUnusedDevices: Bool {
        get async throws(ProtectionError) { try await parts.unused.areExcluded(KeyDraft(parts.context.memory)) }
    }

    public func setExcludesUnusedDevices(_ isExcluding: Bool) async throws {
        try await parts.unused.setExcluded(isExcluding)
    }

    /// The verified keys of an account as a link, of our own account with that of this device; `nil` if there are none.
    public func verificationLink(for address: JID) async throws(ProtectionError) -> VerificationLink? {
        try await parts.verification.link(for: address)
    }

    /// Verifies the keys that a link names, unless it contradicts what is known. Use a link only if it came from the
    /// owner of the account, and only after asking the person.
    public func verify(with link: VerificationLink) async throws -> VerificationOutcome {
        try await parts.verification.verify(with: link)
    }
}
