internal import ChatStore
internal import EndToEndEncryption
internal import OMEMO
internal import XMPPAddress

/// The devices of accounts, as people look at them.
struct KnownDevices: Sendable {
    let context: EncryptionContext
    let bundles: FetchedBundles
    let discovery: KeyDiscovery

    /// The devices of an account that it announces, and those whose keys are known here; also of our own account.
    ///
    /// Online, the account's list and the keys that were never seen are requested. Keys that are seen for the first
    /// time are recorded as if a message was sent.
    func devices(of address: JID) async throws(ProtectionError) -> [EncryptionDevice] {
        let address = address.bare
        let own = try context.own()
        var listing: DeviceListing?
        if context.servers.isOnline, let directory = context.servers.directory {
            listing = await directory.devices(of: [address])[address]
            if let known = listing, try await discovery.seeKeys(of: known, from: directory) {
                // Labels are checked with the keys.
                listing = await directory.devices(of: [address])[address]
            }
        }
        // A list that could not be read says nothing.
        if let known = listing, known.devices.isEmpty, !known.failures.isEmpty { listing = nil }
        var keys = try await KeyDraft(context.memory).knownKeys(of: address)
        let sessions = try await KeyDraft(context.memory).usableSessions(of: address)
        var devices: [EncryptionDevice] = []
        for announced in listing?.devices ?? [] where address != context.address || announced.id != own.keys.device {
            let peer = AnnouncedPeer(address: address, device: announced)
            var device = EncryptionDevice(
                device: announced.id.number, fingerprint: fingerprint(of: peer, sessions, keys),
                label: announced.label.text, generations: Set(announced.generations.map(\.listed)), isAnnounced: true)
            if let known = device.fingerprint.flatMap({ keys.removeValue(forKey: $0) }) { device.take(known) }
            devices.append(device)
        }
        for (fingerprint, known) in keys {
            var device = EncryptionDevice(device: known.device.number, fingerprint: fingerprint)
            device.isAnnounced = listing == nil ? nil : false
            for generation in OMEMOGeneration.allCases {
                let peer = PeerDevice(generation: generation, address: address, device: known.device)
                guard sessions[SessionShelf.name(peer)] != nil else { continue }
                device.generations.insert(generation.listed)
            }
            device.take(known)
            devices.append(device)
        }
        if address == context.address { devices.append(.thisDevice(own, in: listing, context)) }
        devices.markUnused(now: context.now())
        devices.sortForPeople()
        return devices
    }

    /// The key that a device has now: that of the session with it, otherwise the last one that was seen.
    private func fingerprint(
        of peer: AnnouncedPeer, _ sessions: [String: [UInt8]], _ keys: [String: KnownKey]
    ) -> String? {
        for generation in peer.generations {
            let device = peer.peer(in: generation)
            if let bundle = bundles.bundle(of: device) { return bundle.identityKey.fingerprint }
            guard let record = sessions[SessionShelf.name(device)], let shelf = try? SessionShelf(record),
                let session = shelf.sessions.first, let key = try? OMEMOSession(serialized: session).peer
            else { continue }
            return key.fingerprint
        }
        return keys.filter { $0.value.device == peer.device.id }
            .max { $0.value.firstSeen < $1.value.firstSeen }?.key
    }

    /// The nodes with the keys of this device that not everyone can read; while offline they are not known.
    func closedNodes() async throws(ProtectionError) -> [ClosedNode] {
        guard context.servers.isOnline, let directory = context.servers.directory else { return [] }
        return try await directory.closedNodes(of: try context.own().keys.device)
    }
}

/// Devices that are not used any more (``EncryptionDevice/isUnused``), of our own account and of others.
struct UnusedDevices: Sendable {
    private static let name = "omemo/settings/excludes-unused"

    let context: EncryptionContext

    /// Whether messages are not encrypted for unused devices. They are unless the person decides otherwise.
    func areExcluded(_ draft: KeyDraft) async throws(ProtectionError) -> Bool {
        try await draft.value(Self.name) != nil
    }

    func setExcluded(_ isExcluding: Bool) async throws {
        try await context.change { (draft: inout KeyDraft) async throws(ProtectionError) in
            draft.write(Self.name, isExcluding ? [1] : nil)
        }
        context.events.post(.encryption(nil))
    }

    /// The devices of an account that are unused.
    func devices(of address: JID, _ draft: KeyDraft) async throws(ProtectionError) -> Set<OMEMODevice> {
        var devices: [EncryptionDevice] = []
        if address == context.address { devices.append(.thisDevice(try context.own(), in: nil, context)) }
        for record in try await draft.values(beginningWith: KnownKey.prefix(address)).values {
            let known = try KnownKey(record)
            var device = EncryptionDevice(device: known.device.number)
            device.take(known)
            devices.append(device)
        }
        devices.markUnused(now: context.now())
        // A device that has another key now is used with that.
        let used = Set(devices.lazy.filter { !$0.isUnused }.map(\.device))
        return Set(devices.filter { !used.contains($0.device) }.compactMap { OMEMODevice($0.device) })
    }
}

extension EncryptionDevice {
    /// This device as its owner looks at it.
    static func thisDevice(
        _ own: OwnDevice.Keys, in listing: DeviceListing?, _ context: EncryptionContext
    ) -> EncryptionDevice {
        EncryptionDevice(
            device: own.keys.device.number, fingerprint: own.identity.publicKey.fingerprint,
            label: context.settings.label,
            generations: Set(OMEMOGeneration.allCases.map(\.listed)), trust: .verified,
            isAnnounced: listing.map { $0[own.keys.device] != nil }, isThisDevice: true, lastSeen: context.now())
    }

    fileprivate mutating func take(_ known: KnownKey) {
        trust = known.trust
        firstSeen = MessageTime(millisecondsSince1970: known.firstSeen * 1000)
        lastSeen = MessageTime(millisecondsSince1970: known.lastSeen * 1000)
    }
}

extension OMEMOGeneration {
    fileprivate var listed: EncryptionDevice.Generation { self == .current ? .current : .legacy }
}
