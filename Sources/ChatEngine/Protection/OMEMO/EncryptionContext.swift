internal import ChatStore
internal import Cryptography
internal import OMEMO
internal import Waiting
internal import XMPPAddress
internal import XMPPClient

/// The data that the parts of the encryption of one account share: identity, settings, records, the keys of this device,
/// and the servers.
final class EncryptionContext: Sendable {
    let settings: OMEMOSettings
    let account: AccountID
    /// The account's bare address.
    let address: JID
    let store: any LocalStore
    let cryptography: any OMEMOCryptography = OpenSSLCryptography()
    let now: @Sendable () -> MessageTime
    let memory: KeyMemory
    let ownDevice: OwnDevice
    let servers = KeyServers()
    /// There is something to publish or to send.
    let work = Signal()
    /// Reports what has changed.
    let events: EventChannel<ChatAccountEvent>

    init(
        _ settings: OMEMOSettings, store: any LocalStore, account: AccountID, address: JID,
        events: EventChannel<ChatAccountEvent>, now: @escaping @Sendable () -> MessageTime
    ) {
        self.settings = settings
        self.store = store
        self.account = account
        self.address = address.bare
        self.now = now
        self.events = events
        memory = KeyMemory(store: store, account: account)
        ownDevice = OwnDevice(settings.identities, memory: memory, cryptography: cryptography, now: now)
    }

    /// In seconds since 1970.
    var seconds: Int64 { now().millisecondsSince1970 / 1000 }

    /// The keys of this device.
    func own() throws(ProtectionError) -> OwnDevice.Keys { try ownDevice.current() }

    /// Changes the memory between two messages, so that there may be something to publish or to send.
    func change<Result: Sendable>(
        _ body: @escaping @Sendable (inout KeyDraft) async throws(ProtectionError) -> Result
    ) async throws -> Result {
        let result = try await memory.change(body)
        work.send()
        return result
    }

    /// A change is in the store.
    func stored(_ change: ProtectionChange) {
        memory.remove(change)
        let changed = change.records.compactMap {
            KnownKey.address(inName: $0.name) ?? ConversationEncryption.address(inName: $0.name)
        }
        for address in Set(changed) { events.post(.encryption(address)) }
    }
}

/// Where and when something happens that a timeline may show.
struct ConversationMoment {
    let conversation: ConversationAddress
    let time: MessageTime
}
