public import ChatStore
public import EndToEndEncryption
internal import OMEMO
public import XMPPAddress

/// The devices of accounts, as people look at them.
extension OMEMOProtection {
    /// The devices of an account that it announces, and those whose keys are known here; also of our own account.
    ///
    /// Online, the account's list and the keys that were never seen are requested. Keys that are seen for the first
    /// time are recorded as if a message was sent.
    public func devices(of address: JID) async throws(ProtectionError) -> [EncryptionDevice] {
        let address = address.bare
        let own = try own()
        var listing: DeviceListing?
        if isOnline, let directory {
            listing = await directory.devices(of: [address])[address]
            if let known = listing, try await seeKeys(of: known, from: directory) {
                // Labels are checked with the keys.
                listing = await directory.devices(of: [address])[address]
            }
        }
        // A list that could not be read says nothing.
        if let known = listing, known.devices.isEmpty, !known.failures.isEmpty { listing = nil }
        var keys = try await knownKeys(of: address)
        let sessions = try await KeyDraft(memory).usableSessions(of: address)
        var devices: [EncryptionDevice] = []
        for announced in listing?.devices ?? [] where address != self.address || announced.id != own.keys.device {
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
        if address == self.address { devices.append(thisDevice(own, in: listing)) }
        devices.markUnused(now: now())
        devices.sortForPeople()
        return devices
    }

    private func thisDevice(_ own: OwnDevice.Keys, in listing: DeviceListing?) -> EncryptionDevice {
        EncryptionDevice(
            device: own.keys.device.number, fingerprint: own.identity.publicKey.fingerprint, label: settings.label,
            generations: Set(OMEMOGeneration.allCases.map(\.listed)), trust: .verified,
            isAnnounced: listing.map { $0[own.keys.device] != nil }, isThisDevice: true, lastSeen: now())
    }

    /// The keys that are known of an account, by fingerprint.
    func knownKeys(of address: JID) async throws(ProtectionError) -> [String: KnownKey] {
        let prefix = KnownKey.prefix(address)
        var keys: [String: KnownKey] = [:]
        for (name, record) in try await memory.values(beginningWith: prefix) {
            keys[String(name.dropFirst(prefix.count))] = try KnownKey(record)
        }
        return keys
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

    /// Requests the keys of devices that were never seen, or that a label is checked with, and records them.
    ///
    /// - Returns: whether there were any.
    func seeKeys(of listing: DeviceListing, from directory: any KeyDirectory) async throws(ProtectionError)
        -> Bool
    {
        let own = try own()
        let known = Set(try await knownKeys(of: listing.account).values.map(\.device))
        let unseen = listing.devices.filter { device in
            if listing.account == address, device.id == own.keys.device { return false }
            if case .unchecked = device.label { return true }
            return !known.contains(device.id)
        }.map { AnnouncedPeer(address: listing.account, device: $0) }
        guard !unseen.isEmpty else { return false }
        await bundles.fetch(unseen, from: directory)
        await recordKeys(of: unseen, in: ConversationAddress(listing.account, kind: .direct))
        return true
    }

    /// Records the keys of devices whose bundles are here, as if a message was sent: a key that needs a decision is
    /// noted in the conversation, once.
    func recordKeys(of peers: [AnnouncedPeer], in conversation: ConversationAddress) async {
        let found = peers.flatMap { peer in peer.generations.map { peer.peer(in: $0) } }
        let moment = Moment(conversation: conversation, time: now())
        // A key that is refused stays unknown.
        try? await change { (draft: inout KeyDraft) async throws(ProtectionError) in
            for device in found {
                guard let bundle = self.bundles.bundle(of: device) else { continue }
                var attempt = draft
                guard
                    (try? await self.trust(in: bundle.identityKey, of: device, by: .bundle, at: moment, &attempt))
                        != nil
                else { continue }
                draft = attempt
            }
        }
    }

    /// The devices whose bundles are here and have keys that were never seen.
    func newKeys(in audience: Audience) async -> [AnnouncedPeer] {
        var peers: [AnnouncedPeer] = []
        for (address, listing) in audience.listings {
            guard let known = try? await knownKeys(of: address) else { continue }
            for device in listing.devices {
                let peer = AnnouncedPeer(address: address, device: device)
                let isNew = peer.generations.contains { generation in
                    guard let bundle = bundles.bundle(of: peer.peer(in: generation)) else { return false }
                    return known[bundle.identityKey.fingerprint] == nil
                }
                if isNew { peers.append(peer) }
            }
        }
        return peers
    }

    /// The server has announced other devices of an account. Where messages of a contact are encrypted, the keys are
    /// requested now, so that the person learns of one that needs a decision before the next message.
    func listChanged(_ listing: DeviceListing) async {
        guard listing.account != address else { return }
        // Lists also come before the keys of this device are published.
        await published.wait()
        guard let directory else { return }
        let conversation = ConversationAddress(listing.account, kind: .direct)
        guard let encryption = try? await KeyDraft(memory).encryption(of: conversation), encryption.wasEncrypted,
            (try? await strangers.isKnownPerson(listing.account)) == true
        else { return }
        _ = try? await seeKeys(of: listing, from: directory)
    }

    /// The nodes with the keys of this device that not everyone can read; while offline they are not known.
    public func closedNodes() async throws(ProtectionError) -> [ClosedNode] {
        guard isOnline, let directory else { return [] }
        return try await directory.closedNodes(of: try own().keys.device)
    }
}

/// Devices that are not used any more.
extension OMEMOProtection {
    private static let unusedName = "omemo/settings/excludes-unused"

    /// Whether messages are not encrypted for unused devices (``EncryptionDevice/isUnused``), of our own account and of
    /// others. They are unless the person decides otherwise.
    public var excludesUnusedDevices: Bool {
        get async throws(ProtectionError) { try await excludesUnusedDevices(KeyDraft(memory)) }
    }

    public func setExcludesUnusedDevices(_ isExcluding: Bool) async throws {
        try await change { (draft: inout KeyDraft) async throws(ProtectionError) in
            draft.write(Self.unusedName, isExcluding ? [1] : nil)
        }
        events.post(.encryption(nil))
    }

    func excludesUnusedDevices(_ draft: KeyDraft) async throws(ProtectionError) -> Bool {
        try await draft.value(Self.unusedName) != nil
    }

    /// The devices of an account that are unused.
    func unusedDevices(of address: JID, _ draft: KeyDraft) async throws(ProtectionError) -> Set<OMEMODevice> {
        var devices: [EncryptionDevice] = []
        if address == self.address { devices.append(thisDevice(try own(), in: nil)) }
        for record in try await draft.values(beginningWith: KnownKey.prefix(address)).values {
            let known = try KnownKey(record)
            var device = EncryptionDevice(device: known.device.number)
            device.take(known)
            devices.append(device)
        }
        devices.markUnused(now: now())
        // A device that has another key now is used with that.
        let used = Set(devices.lazy.filter { !$0.isUnused }.map(\.device))
        return Set(devices.filter { !used.contains($0.device) }.compactMap { OMEMODevice($0.device) })
    }
}

extension EncryptionDevice {
    fileprivate mutating func take(_ known: KnownKey) {
        trust = known.trust
        firstSeen = MessageTime(millisecondsSince1970: known.firstSeen * 1000)
        lastSeen = MessageTime(millisecondsSince1970: known.lastSeen * 1000)
    }
}

extension OMEMOGeneration {
    fileprivate var listed: EncryptionDevice.Generation { self == .current ? .current : .legacy }
}
