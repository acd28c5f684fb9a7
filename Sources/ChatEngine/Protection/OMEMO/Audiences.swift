internal import ChatStore
internal import EndToEndEncryption
internal import OMEMO
internal import Synchronization
internal import XMPPAddress

/// Who can read each conversation: requested before a message is encrypted, and remembered until then.
final class Audiences: Sendable {
    private let context: EncryptionContext
    private let bundles: FetchedBundles
    /// As last requested; a failure says why it is not known.
    private let prepared = Mutex<[ConversationAddress: Result<Audience, ProtectionError>]>([:])

    init(_ context: EncryptionContext, bundles: FetchedBundles) { (self.context, self.bundles) = (context, bundles) }

    /// The audience as last requested; `nil` if it was not.
    subscript(_ conversation: ConversationAddress) -> Result<Audience, ProtectionError>? {
        prepared.withLock { $0[conversation] }
    }

    /// Requests the audience of a conversation in which something may be encrypted.
    func prepare(_ conversation: ConversationAddress) async throws(ProtectionError) {
        let policy = try await KeyDraft(context.memory).encryption(of: conversation)
        guard (policy.policy ?? context.settings.policy) != .never else { return }
        await context.servers.published.wait()
        let audience = await examined(conversation)
        prepared.withLock { $0[conversation] = audience }
    }

    /// Who can read a conversation now. Whether an error prevents sending is decided when the message is sealed.
    func examined(_ conversation: ConversationAddress) async -> Result<Audience, ProtectionError> {
        do throws(ProtectionError) {
            return .success(try await audience(of: conversation))
        } catch {
            return .failure(error)
        }
    }

    private func audience(of conversation: ConversationAddress) async throws(ProtectionError) -> Audience {
        guard !context.ownDevice.isCheckDue else {
            throw ProtectionError(
                .unreachable, "The server has not said which keys of this device it has.", isTemporary: true)
        }
        guard let directory = context.servers.directory else {
            throw ProtectionError(.unreachable, "The account is offline.", isTemporary: true)
        }
        let recipients: [JID]
        switch conversation.kind {
        case .direct: recipients = conversation.address.bare == context.address ? [] : [conversation.address.bare]
        case .room: recipients = try await directory.members(of: conversation.address).filter { $0 != context.address }
        case .occupant:
            throw ProtectionError(.privateRoomMessage, "Private messages in rooms cannot be encrypted.")
        }
        var listings = await directory.devices(of: recipients + [context.address])
        for (account, listing) in listings where listing.isUnknown {
            listings[account]?.devices = try await devicesWithSession(of: account)
        }
        let audience = Audience(recipients: recipients, listings: listings)
        let missing = try await devicesWithoutSession(in: audience)
        if !missing.isEmpty { await bundles.fetch(missing, from: directory) }
        return audience
    }

    /// The devices of an account that can be encrypted for although its server does not answer.
    private func devicesWithSession(of account: JID) async throws(ProtectionError) -> [AnnouncedDevice] {
        var devices: [OMEMODevice: AnnouncedDevice] = [:]
        for generation in OMEMOGeneration.allCases {
            let prefix = SessionShelf.prefix(generation, account)
            for (name, record) in try await context.memory.values(beginningWith: prefix) {
                guard SessionShelf.canSend(record), let device = OMEMODevice(String(name.dropFirst(prefix.count)))
                else {
                    continue
                }
                devices[device, default: AnnouncedDevice(device, [])].generations.insert(generation)
            }
        }
        return devices.values.sorted { $0.id < $1.id }
    }

    /// The devices with which a session has to begin, in the generation to use.
    private func devicesWithoutSession(in audience: Audience) async throws(ProtectionError) -> [AnnouncedPeer] {
        let own = try context.own()
        var missing: [AnnouncedPeer] = []
        for (address, listing) in audience.listings {
            let sessions = try await KeyDraft(context.memory).usableSessions(of: address)
            for device in listing.devices where address != context.address || device.id != own.keys.device {
                let peer = AnnouncedPeer(address: address, device: device)
                if !peer.hasSession(in: sessions) { missing.append(peer) }
            }
        }
        return missing
    }
}

/// The accounts and devices that can read a conversation, as last requested.
struct Audience: Sendable {
    /// The accounts besides our own.
    var recipients: [JID]
    var listings: [JID: DeviceListing]
}

/// A device as its account announces it.
struct AnnouncedPeer: Sendable {
    let address: JID
    let device: AnnouncedDevice

    /// The newest first.
    var generations: [OMEMOGeneration] { [.current, .legacy].filter { device.generations.contains($0) } }

    func peer(in generation: OMEMOGeneration) -> PeerDevice {
        PeerDevice(generation: generation, address: address, device: device.id)
    }

    func hasSession(in sessions: [String: [UInt8]]) -> Bool {
        if sessions[SessionShelf.name(peer(in: .current))] != nil { return true }
        return sessions[SessionShelf.name(peer(in: device.newest))] != nil
    }
}

extension DeviceListing {
    /// The account's server did not answer, and no earlier answer is here.
    fileprivate var isUnknown: Bool { devices.isEmpty && failures.values.contains(.unreachable) }
}
