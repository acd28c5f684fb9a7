internal import ChatStore
internal import EndToEndEncryption
internal import OMEMO
internal import Synchronization
internal import Waiting
internal import XMPPAddress
internal import XMPPClient

/// The requests of the encryption to servers.
protocol KeyDirectory: Sendable {
    func devices(of accounts: [JID]) async -> [JID: DeviceListing]
    func bundle(of device: PeerDevice) async throws(ProtectionError) -> VerifiedBundle
    /// The accounts that read a room.
    func members(of room: JID) async throws(ProtectionError) -> [JID]
    /// The accounts that are known to have a device with this number, without a request.
    func accounts(announcing device: OMEMODevice) async -> [JID]
    /// Whether the account announces the device, without a request; `nil` if its list is not here.
    func announces(_ device: PeerDevice) async -> Bool?
    /// Removes a device of our own account from its lists, with its bundles.
    func withdraw(_ device: OMEMODevice) async throws(ProtectionError)
    /// The nodes of a device of our own account that not everyone can read.
    func closedNodes(of device: OMEMODevice) async throws(ProtectionError) -> [ClosedNode]
}

/// The servers that the encryption of one account asks, while they can be reached.
final class KeyServers: Sendable {
    /// Open when others can answer: the keys of this device are published, or could not be.
    let published = Gate()
    private let connection = Mutex<(any KeyDirectory)?>(nil)

    /// `nil` while offline.
    var directory: (any KeyDirectory)? { connection.withLock { $0 } }

    /// Requests go to these servers from now on, or to none.
    func connect(to directory: (any KeyDirectory)?) { connection.withLock { $0 = directory } }

    /// Whether servers can be asked: the account is online, and others can answer.
    var isOnline: Bool { published.isOpen && directory != nil }
}

/// The servers, through a session.
final class SessionDirectory: KeyDirectory {
    private let devices: OMEMODevices
    /// The accounts whose devices were requested: they include the senders in rooms.
    private let asked = Mutex<Set<JID>>([])

    init(_ devices: OMEMODevices) { self.devices = devices }

    func devices(of accounts: [JID]) async -> [JID: DeviceListing] {
        asked.withLock { asked in
            if asked.count > EncryptionLimits.accounts { asked = [] }
            asked.formUnion(accounts)
        }
        return await devices.devices(of: accounts)
    }

    func bundle(of device: PeerDevice) async throws(ProtectionError) -> VerifiedBundle {
        try await devices.bundle(BundleAddress(DeviceAddress(device.address, device.device), device.generation))
    }

    func members(of room: JID) async throws(ProtectionError) -> [JID] {
        try await devices.recipients(in: ConversationAddress(room, kind: .room))
    }

    func announces(_ device: PeerDevice) async -> Bool? {
        await devices.cachedDevices(of: device.address).map { $0[device.device] != nil }
    }

    func withdraw(_ device: OMEMODevice) async throws(ProtectionError) { try await devices.withdraw(device) }

    func closedNodes(of device: OMEMODevice) async throws(ProtectionError) -> [ClosedNode] {
        try await devices.closedNodes(of: device)
    }

    /// An account that may not learn our presence gets no response, except a member of a room in which the messages are
    /// encrypted for it.
    func mayWrite(to account: JID, _ rooms: Set<JID>, in session: Session) async -> Bool {
        if await session.mayLearnPresence(account) { return true }
        for room in rooms {
            if let members = try? await members(of: room), members.contains(account) { return true }
        }
        return false
    }

    func accounts(announcing device: OMEMODevice) async -> [JID] {
        var found: [JID] = []
        for account in asked.withLock({ $0 }) {
            if await devices.cachedDevices(of: account)?[device] != nil { found.append(account) }
        }
        return found
    }
}
