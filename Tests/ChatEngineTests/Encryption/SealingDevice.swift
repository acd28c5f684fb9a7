import ChatStore
import ChatStoreTesting
import EndToEndEncryption
import MessageFeatures
import OMEMO
import Synchronization
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import ChatEngine

/// The servers that have the device lists and bundles of a test.
final class KeyServer: KeyDirectory {
    private struct State {
        var lists: [JID: [AnnouncedDevice]] = [:]
        var owners: [DeviceAddress: OMEMOProtection] = [:]
        var members: [JID] = []
        var silent: Set<JID> = []
        var requests: [JID: Int] = [:]
    }

    private let state = Mutex(State())

    /// - Parameter claimed: the account whose list has the device, if that is another one.
    func announce(
        _ protection: OMEMOProtection, _ generations: Set<OMEMOGeneration>, at claimed: JID? = nil
    ) throws {
        let (address, device) = (claimed ?? protection.address, try protection.own().keys.device)
        state.withLock { state in
            state.lists[address, default: []].removeAll { $0.id == device }
            if !generations.isEmpty { state.lists[address, default: []].append(AnnouncedDevice(device, generations)) }
            state.owners[DeviceAddress(address, device)] = protection
        }
    }

    /// The server of the account answers, or not.
    func setSilent(_ isSilent: Bool, _ account: JID) {
        state.withLock { state in
            if isSilent { state.silent.insert(account) } else { state.silent.remove(account) }
        }
    }

    func setMembers(_ members: [JID]) { state.withLock { $0.members = members } }

    /// How often the devices of the account were requested.
    func requests(for account: JID) -> Int { state.withLock { $0.requests[account] ?? 0 } }

    func devices(of accounts: [JID]) async -> [JID: DeviceListing] {
        state.withLock { state in
            for account in accounts { state.requests[account, default: 0] += 1 }
            return Dictionary(
                accounts.map { account in
                    state.silent.contains(account)
                        ? (account, DeviceListing(account, failures: [.current: .unreachable, .legacy: .unreachable]))
                        : (account, DeviceListing(account, devices: state.lists[account] ?? []))
                }, uniquingKeysWith: { $1 })
        }
    }

    func bundle(of device: PeerDevice) async throws(ProtectionError) -> VerifiedBundle {
        let owner = state.withLock { $0.owners[DeviceAddress(device.address, device.device)] }
        guard let owner else { throw ProtectionError(.bundleMissing, "There is no bundle.") }
        let own = try owner.own()
        let unused = try await owner.ownDevice.unusedPreKeys(KeyDraft(owner.memory))
        do throws(OMEMOError) {
            return try OMEMOBundle(
                device.generation, identity: own.identity, signedPreKey: own.keys.currentSignedKey, preKeys: unused,
                using: owner.cryptography
            ).verified(using: owner.cryptography)
        } catch {
            throw ProtectionError(.bundleDamaged, error.description)
        }
    }

    func members(of room: JID) async throws(ProtectionError) -> [JID] { state.withLock(\.members) }

    func accounts(announcing device: OMEMODevice) async -> [JID] {
        state.withLock { state in state.lists.filter { $0.value.contains { $0.id == device } }.map(\.key) }
    }

    func withdraw(_ device: OMEMODevice) async throws(ProtectionError) {
        state.withLock { state in
            for account in state.lists.keys { state.lists[account]?.removeAll { $0.id == device } }
        }
    }

    func closedNodes(of device: OMEMODevice) async throws(ProtectionError) -> [ClosedNode] { [] }

    func announces(_ device: PeerDevice) async -> Bool? {
        state.withLock { $0.lists[device.address].map { $0.contains { $0.id == device.device } } }
    }
}

/// A device with a store and keys, but without a connection: what it seals and opens goes through the recorder of an account.
struct SealingDevice: Sendable {
    let address: JID
    let store: any LocalStore
    let id: AccountID
    let protection: OMEMOProtection
    let recorder: SessionRecorder

    static let time = MessageTime(millisecondsSince1970: 1_800_000_000_000)

    /// - Parameter claims: the address in its envelopes, if that is another than the account's.
    init(
        _ address: String, on server: KeyServer, _ generations: Set<OMEMOGeneration> = [.current, .legacy],
        store: any LocalStore = MemoryStore(), identities: TestIdentities = TestIdentities(),
        policy: EncryptionPolicy = .whenPossible, claiming claimed: String? = nil,
        strangerLimit: Int = StrangerRecord.limit, time: MessageTime = SealingDevice.time
    ) async throws {
        let address = try JID(address)
        self.address = address
        self.store = store
        let id = try await store.write { writer throws(StoreError) in try writer.addAccount(address) }
        self.id = id
        protection = OMEMOProtection(
            OMEMOSettings(identities: identities, policy: policy), store: store, account: id,
            address: try claimed.map { try JID($0) } ?? address, strangerLimit: strangerLimit,
            now: { time })
        try await protection.load()
        protection.published.open()
        recorder = SessionRecorder(
            store: store, account: id, address: address, protection: protection, now: { Self.time })
        protection.connect(to: server)
        try server.announce(protection, claimed == nil ? generations : [])
    }

    /// As if it had that device number.
    func useDevice(_ device: OMEMODevice) throws {
        var own = try protection.own()
        own.keys.device = device
        protection.ownDevice.replace(own)
    }

    /// Stores a change, as with its message.
    func keep(_ change: ProtectionChange?) async throws {
        guard let change else { return }
        let id = id
        try await store.write { writer throws(StoreError) in try writer.save(change, of: id) }
        await protection.stored(change)
    }

    func addContact(_ address: JID) async throws {
        let id = id
        try await store.write { writer throws(StoreError) in
            try writer.save(StoredContact(address: address, name: nil, subscription: .both), of: id)
        }
    }

    func key(_ peer: JID) -> ConversationKey { ConversationKey(account: id, address: peer, kind: .direct) }

    /// The stanza as it arrives at the other side.
    func seal(
        _ content: MessageContent, to peer: JID, id: String = "m1", from sender: JID? = nil
    ) async throws -> Message {
        let conversation = ConversationAddress(peer, kind: .direct)
        guard let message = MessageBuilder().message(content, id: id, in: conversation) else {
            throw CancellationError()
        }
        return try await seal(message, from: sender)
    }

    func seal(_ message: Message, from sender: JID? = nil) async throws -> Message {
        guard let peer = message.to else { throw CancellationError() }
        var step = ProtectionStep(recorder.protector)
        let sealed: SealedMessage
        do {
            sealed = try await step.seal(message, in: ConversationAddress(peer, kind: .direct))
        } catch {
            await step.discard()
            throw error
        }
        try await step.store(of: self.id, in: store) { _ in }
        var stanza = sealed.message
        stanza.from = try sender ?? JID("\(address)/a")
        // As it is on the wire.
        return try Message(from: XMLElement(parsing: XMLElement(stanza).description))
    }

    func seal(_ text: String, to peer: JID, id: String = "m1", from sender: JID? = nil) async throws -> Message {
        try await seal(.text(MessageText(text)), to: peer, id: id, from: sender)
    }

    /// As others know it in the current generation.
    func device() throws -> PeerDevice {
        PeerDevice(generation: .current, address: address, device: try protection.own().keys.device)
    }

    /// Encrypts something in the session with a device.
    func encrypt(_ plaintext: [UInt8], for device: PeerDevice) async throws -> OMEMOElement.RecipientKey {
        try await protection.changeQuietly { (draft: inout KeyDraft) async throws(ProtectionError) in
            var shelf = try SessionShelf(try await draft.value(SessionShelf.name(device)) ?? [])
            do throws(OMEMOError) {
                var session = try OMEMOSession(serialized: shelf.sessions.first ?? [])
                let key = try session.encrypt(plaintext, using: protection.cryptography)
                shelf.put(session.serialized, replacing: 0)
                draft.write(SessionShelf.name(device), shelf.record)
                return .init(account: device.address.description, device: device.device, key)
            } catch {
                throw ProtectionError(.keyMissing, error.description)
            }
        }
    }

    /// A message with any envelope, in the session with the device of another.
    func seal(_ envelope: Envelope, to other: SealingDevice, id: String) async throws -> Message {
        let cryptography = protection.cryptography
        let payload = try EncryptedPayload(try envelope.padded(using: cryptography), using: cryptography)
        let key = try await encrypt(payload.key.bytes, for: try other.device())
        var message = Message(to: other.address, type: .chat, id: id)
        message.from = try JID("\(address)/a")
        message.append(OriginIdentifier(id))
        message.payloads.append(
            OMEMOElement(
                .current, sender: try protection.own().keys.device, keys: [key], payload: payload.payload))
        return try Message(from: XMLElement(parsing: XMLElement(message).description))
    }

    func receive(_ messages: Message...) async throws {
        try await recorder.commit(
            SessionChange(received: messages.map { ReceivedStanza(XMLElement($0)) }, resumption: nil))
    }

    func timeline(with peer: JID) async throws -> [StoredMessage] {
        let key = key(peer)
        return try await store.read { reader throws(StoreError) in
            guard let id = try reader.conversation(key) else { return [] }
            return try reader.timeline(of: id, .newest, limit: 100)
        }
    }

    func records(_ prefix: String) async throws -> [ProtectionChange.Record] {
        let id = id
        return try await store.read { reader throws(StoreError) in
            try reader.protectionRecords(of: id, beginningWith: prefix)
        }
    }
}

/// A keyring of one account, in memory.
final class TestIdentities: OMEMOIdentities {
    private let secret: Mutex<[UInt8]?>
    /// The places that do not answer.
    let silent = Mutex<Set<String>>([])

    init(_ seed: [UInt8]? = nil) { secret = Mutex(seed) }

    func search() async throws -> IdentitySearch {
        let silent = silent.withLock { $0 }
        guard let seed = secret.withLock({ $0 }), !silent.contains("keyring") else {
            return IdentitySearch(unsearched: silent)
        }
        return IdentitySearch([.init(seed, in: "keyring")], unsearched: silent)
    }

    func save(_ seed: [UInt8]) async throws -> String {
        secret.withLock { $0 = seed }
        return "keyring"
    }
}
