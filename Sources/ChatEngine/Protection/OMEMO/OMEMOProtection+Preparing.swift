public import ChatStore
internal import EndToEndEncryption
internal import OMEMO
internal import XMPPAddress

extension OMEMOProtection {
    public func prepare(_ conversation: ConversationAddress) async throws(ProtectionError) {
        let policy = try await encryption(of: conversation, KeyDraft(memory))
        guard (policy.policy ?? settings.policy) != .never else { return }
        await published.wait()
        let audience = await examinedAudience(of: conversation)
        state.withLock { $0.audiences[conversation] = audience }
    }

    /// Who can read a conversation now. Whether an error prevents sending is decided when the message is sealed.
    func examinedAudience(of conversation: ConversationAddress) async -> Result<Audience, ProtectionError> {
        do throws(ProtectionError) {
            return .success(try await audience(of: conversation))
        } catch {
            return .failure(error)
        }
    }

    private func audience(of conversation: ConversationAddress) async throws(ProtectionError) -> Audience {
        guard !state.withLock({ $0.isCheckDue }) else {
            throw ProtectionError(
                .unreachable, "The server has not said which keys of this device it has.", isTemporary: true)
        }
        guard let directory = state.withLock({ $0.directory }) else {
            throw ProtectionError(.unreachable, "The account is offline.", isTemporary: true)
        }
        let recipients: [JID]
        switch conversation.kind {
        case .direct: recipients = conversation.address.bare == address ? [] : [conversation.address.bare]
        case .room: recipients = try await directory.members(of: conversation.address).filter { $0 != address }
        case .occupant:
            throw ProtectionError(.privateRoomMessage, "Private messages in rooms cannot be encrypted.")
        }
        var listings = await directory.devices(of: recipients + [address])
        for (account, listing) in listings where listing.isUnknown {
            listings[account]?.devices = try await devicesWithSession(of: account)
        }
        let audience = Audience(recipients: recipients, listings: listings)
        let missing = try await devicesWithoutSession(in: audience)
        if !missing.isEmpty { await fetchBundles(of: missing, from: directory) }
        return audience
    }

    /// The devices of an account that can be encrypted for although its server does not answer.
    private func devicesWithSession(of account: JID) async throws(ProtectionError) -> [AnnouncedDevice] {
        var devices: [OMEMODevice: AnnouncedDevice] = [:]
        for generation in OMEMOGeneration.allCases {
            let prefix = SessionShelf.prefix(generation, account)
            for name in try await memory.values(beginningWith: prefix).keys {
                guard let device = OMEMODevice(String(name.dropFirst(prefix.count))) else { continue }
                devices[device, default: AnnouncedDevice(device, [])].generations.insert(generation)
            }
        }
        return devices.values.sorted { $0.id < $1.id }
    }

    /// The devices with which a session has to begin, in the generation to use.
    private func devicesWithoutSession(in audience: Audience) async throws(ProtectionError) -> [AnnouncedPeer] {
        let own = try own()
        var missing: [AnnouncedPeer] = []
        for (address, listing) in audience.listings {
            let sessions = try await sessions(of: address, KeyDraft(memory))
            for device in listing.devices where address != self.address || device.id != own.keys.device {
                let peer = AnnouncedPeer(address: address, device: device)
                if !peer.hasSession(in: sessions) { missing.append(peer) }
            }
        }
        return missing
    }

    /// The names of the sessions with an account's devices.
    func sessions(
        of address: JID, _ draft: KeyDraft
    ) async throws(ProtectionError) -> [String: [UInt8]] {
        var sessions: [String: [UInt8]] = [:]
        for generation in OMEMOGeneration.allCases {
            sessions.merge(
                try await draft.values(beginningWith: SessionShelf.prefix(generation, address)),
                uniquingKeysWith: { first, _ in first })
        }
        return sessions
    }

    func fetchBundles(of missing: [AnnouncedPeer], from directory: any KeyDirectory) async {
        await withDiscardingTaskGroup { group in
            for peer in missing {
                group.addTask {
                    for generation in peer.generations {
                        let device = peer.peer(in: generation)
                        if self.hasBundle(of: device) { return }
                        let result: Result<VerifiedBundle, ProtectionError>
                        do throws(ProtectionError) {
                            result = .success(try await directory.bundle(of: device))
                        } catch {
                            result = .failure(error)
                        }
                        self.keep(FetchedBundle(result: result, time: self.seconds), of: device)
                        if case .success = result { return }
                        if case .failure(let error) = result, error.isTemporary { return }
                    }
                }
            }
        }
    }

    private func hasBundle(of device: PeerDevice) -> Bool {
        guard let known = state.withLock({ $0.bundles[device] }), case .success = known.result else { return false }
        return abs(seconds - known.time) < FetchedBundle.lifetime
    }

    private func keep(_ bundle: FetchedBundle, of device: PeerDevice) {
        state.withLock { state in
            if state.bundles.count >= EncryptionLimits.failures {
                state.bundles = state.bundles.filter { abs(bundle.time - $0.value.time) < FetchedBundle.lifetime }
                if state.bundles.count >= EncryptionLimits.failures { state.bundles = [:] }
            }
            state.bundles[device] = bundle
        }
    }
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
