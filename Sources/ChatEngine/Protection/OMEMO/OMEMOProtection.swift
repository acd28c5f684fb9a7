public import ChatStore
internal import Cryptography
internal import EndToEndEncryption
internal import OMEMO
internal import Synchronization
internal import Waiting
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// Encrypts and decrypts the messages of one account with OMEMO, in both generations (XEP-0384).
///
/// Each device of a recipient gets the newest generation that it announces; a message can carry both. What is remembered is
/// in records of the store, which change in the transaction of the message (`KeyMemory`); only the identity key is
/// stored elsewhere (``OMEMOIdentities``).
///
/// This type is the façade over its parts, each with its own state: `OwnDevice`, `FetchedBundles`,
/// `PreparedAudiences`, `OccupantAccounts`, `UnlistedSenders` and `Strangers`. `OMEMOService` publishes the keys, and sends the empty
/// messages and copies that other devices wait for.
public final class OMEMOProtection: ContentProtection {
    let settings: OMEMOSettings
    /// The account's bare address.
    let address: JID
    let memory: KeyMemory
    let cryptography: any OMEMOCryptography = OpenSSLCryptography()
    let now: @Sendable () -> MessageTime
    let ownDevice: OwnDevice
    let bundles: FetchedBundles
    let audiences = PreparedAudiences()
    let occupants = OccupantAccounts()
    let strangers: Strangers
    let unlisted = UnlistedSenders()
    /// There is something to publish or to send.
    let work = Signal()
    /// Open when others can answer: the keys of this device are published, or could not be.
    let published = Gate()
    /// Reports what has changed.
    let events: EventChannel<ChatAccountEvent>
    let store: any LocalStore
    let account: AccountID
    private let connection = Mutex<(any KeyDirectory)?>(nil)
    /// Gives each change its turn.
    private let protector = Mutex<MessageProtector?>(nil)

    init(
        _ settings: OMEMOSettings, store: any LocalStore, account: AccountID, address: JID,
        events: EventChannel<ChatAccountEvent> = EventChannel(), strangerLimit: Int = StrangerRecord.limit,
        now: @escaping @Sendable () -> MessageTime
    ) {
        self.settings = settings
        self.store = store
        self.account = account
        self.address = address.bare
        self.now = now
        self.events = events
        memory = KeyMemory(store: store, account: account)
        ownDevice = OwnDevice(settings.identities, memory: memory, cryptography: cryptography, now: now)
        bundles = FetchedBundles(now: now)
        strangers = Strangers(of: account, address.bare, in: store, limit: strangerLimit, now: now)
    }

    /// The servers; `nil` while offline.
    var directory: (any KeyDirectory)? { connection.withLock { $0 } }

    /// Requests go to these servers from now on, or to none.
    func connect(to directory: (any KeyDirectory)?) { connection.withLock { $0 = directory } }

    /// Whether servers can be asked: the account is online, and others can answer.
    var isOnline: Bool { published.isOpen && directory != nil }

    /// In seconds since 1970.
    var seconds: Int64 { now().millisecondsSince1970 / 1000 }

    /// Reads or makes the keys of this device. Until then nothing can be opened or sealed.
    ///
    /// - Throws: `ProtectionError` with `ownKeys`.
    func load() async throws(ProtectionError) {
        guard ownDevice.loaded == nil else { return }
        try await indexKeys()
        try await ownDevice.load()
    }

    /// The keys of this device.
    func own() throws(ProtectionError) -> OwnDevice.Keys { try ownDevice.current() }

    func isAtWork(in protector: MessageProtector) { self.protector.withLock { $0 = protector } }

    /// Changes the memory between two messages.
    func change<Result: Sendable>(
        _ body: @escaping @Sendable (inout KeyDraft) async throws(ProtectionError) -> Result
    ) async throws -> Result {
        let result = try await changeQuietly(body)
        work.send()
        return result
    }

    /// The same, for a change that gives the service nothing to do.
    ///
    /// - Parameter storing: changes messages in the same transaction.
    func changeQuietly<Result: Sendable>(
        _ body: @escaping @Sendable (inout KeyDraft) async throws(ProtectionError) -> Result,
        storing: @escaping @Sendable (any StoreWriter, Result) throws(StoreError) -> Void = { _, _ in }
    ) async throws -> Result {
        guard let protector = protector.withLock({ $0 }) else {
            throw ProtectionError(.ownKeys, "The account is not at work.", isTemporary: true)
        }
        var step = ProtectionStep(protector)
        let result = try await step.perform { () async throws(ProtectionError) in
            var draft = KeyDraft(self.memory)
            let result = try await body(&draft)
            return (result, draft.finish())
        }
        try await step.store(of: account, in: store) { writer throws(StoreError) in try storing(writer, result) }
        return result
    }

    // MARK: Stored changes

    public func stored(_ change: ProtectionChange) async {
        memory.remove(change)
        let changed = change.records.compactMap {
            KnownKey.address(inName: $0.name) ?? ConversationEncryption.address(inName: $0.name)
        }
        for address in Set(changed) { events.post(.encryption(address)) }
    }

    public func discarded(_ change: ProtectionChange) async {
        memory.remove(change)
    }
}
