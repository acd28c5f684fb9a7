public import MessageSemantics
public import OMEMO
internal import PublishSubscribe
internal import XMLStreaming
internal import XMPPAddress
internal import XMPPClient

extension OMEMODevices {
    /// A random id that no device of this account has announced (XEP-0384 §6).
    ///
    /// - Throws: with `unreachable` if the account's lists cannot be read now.
    public func unusedDevice() async throws(ProtectionError) -> OMEMODevice {
        var taken: Set<OMEMODevice> = []
        for generation in OMEMOGeneration.allCases { taken.formUnion(try await ownList(generation).devices.map(\.id)) }
        do throws(OMEMOError) {
            return try OMEMODevice.random(except: taken, using: cryptography)
        } catch {
            throw ProtectionError(.publishingRefused, error.description, cause: error)
        }
    }

    /// Publishes the bundle of this device for everybody (XEP-0384 §5.3.2).
    ///
    /// Publish the bundles before ``announce(_:in:)``, so that no device is announced without keys. A node with another access model
    /// is reconfigured first.
    public func publish(_ bundle: OMEMOBundle, of device: OMEMODevice) async throws(ProtectionError) {
        // The legacy generation has one node for each device.
        let id = bundle.generation == .current ? device.description : "current"
        try await publish(
            bundle, id: id, in: bundle.generation.bundlesNode(of: device),
            NodeConfiguration.ofBundles(bundle.generation))
        failures.forget(try await ownAddress())
    }

    /// Adds this device to the account's lists, and keeps it there: where another program removes it, it is added again.
    ///
    /// A list is published only if it changes; the access models of lists and bundles are repaired in any case. After a lost
    /// session both are checked again.
    ///
    /// - Parameter device: with the signed label, if it has one.
    /// - Throws: with `unreachable`, `tooManyDevices` or `publishingRefused`. It is tried again after the next login.
    public func announce(
        _ device: OMEMODeviceList.Device, in generations: Set<OMEMOGeneration> = Set(OMEMOGeneration.allCases)
    ) async throws(ProtectionError) {
        announcement = Announcement(
            device: device, generations: generations,
            standing: announcement?.device.id == device.id ? announcement?.standing ?? [] : [],
            removals: announcement?.removals ?? 0, lastRemoval: announcement?.lastRemoval,
            pending: announcement?.pending ?? [])
        for generation in generations.sorted(by: { $0.rawValue < $1.rawValue }) {
            try await announce(device, in: generation)
        }
    }

    /// Replaces the account's list of a generation, to remove devices that are not used any more.
    public func publish(_ list: OMEMODeviceList) async throws(ProtectionError) {
        await publishing.lock()
        defer { publishing.leave() }
        try await replaceList(list)
    }

    /// Removes this or another device of the account from the lists, together with its bundles.
    public func withdraw(_ device: OMEMODevice) async throws(ProtectionError) {
        if announcement?.device.id == device { announcement = nil }
        await publishing.lock()
        defer { publishing.leave() }
        for generation in OMEMOGeneration.allCases {
            var list = try await ownList(generation)
            if list.devices.contains(where: { $0.id == device }) {
                list.devices.removeAll { $0.id == device }
                try await replaceList(list)
            }
            guard let data = session[PublishSubscribe.self] else { continue }
            let node = generation.bundlesNode(of: device)
            do throws(ClientError) {
                switch generation {
                case .legacy: try await data.removeNode(node)
                case .current: try await data.retract(device.description, from: node)
                }
            } catch  where error.isItemNotFound {
                // It had none.
            } catch {
                throw Self.refusal(error)
            }
        }
    }

    // MARK: Lists

    private func announce(
        _ device: OMEMODeviceList.Device, in generation: OMEMOGeneration
    ) async throws(ProtectionError) {
        await publishing.lock()
        defer { publishing.leave() }
        let own = try await ownAddress()
        let notices = table.notices(of: own, generation)
        var list = try await ownList(generation)
        var entry = device
        if generation == .legacy { (entry.label, entry.labelSignature) = (nil, nil) }
        if let place = list.devices.firstIndex(where: { $0.id == device.id }) {
            guard list.devices[place] != entry else {
                try await repair(generation.devicesNode, .publicData)
                try await repair(generation.bundlesNode(of: device.id), .ofBundles(generation))
                table.published(list, by: own, notices: notices, now: clock.now())
                stands(device.id, in: generation)
                return ownListSeen(table.list(of: own, generation))
            }
            list.devices[place] = entry
        } else {
            list.devices.append(entry)
        }
        try await replaceList(list)
        stands(device.id, in: generation)
        // Another device may have replaced the list at the same moment, and its notice may have come before the answer.
        ownListSeen(table.list(of: own, generation))
        try await repair(generation.bundlesNode(of: device.id), .ofBundles(generation))
    }

    /// Records that the list contains the device: a later list without it is a removal.
    private func stands(_ device: OMEMODevice, in generation: OMEMOGeneration) {
        if announcement?.device.id == device { announcement?.standing.insert(generation) }
    }

    private func replaceList(_ list: OMEMODeviceList) async throws(ProtectionError) {
        guard list.devices.count <= OMEMOLimits.devices else { throw Self.tooMany }
        let own = try await ownAddress()
        let before = table.listing(of: own, using: cryptography)
        let notices = table.notices(of: own, list.generation)
        try await publish(list, id: "current", in: list.generation.devicesNode, .publicData)
        table.published(list, by: own, notices: notices, now: clock.now())
        let after = table.listing(of: own, using: cryptography)
        if before != after { channel.post(.listChanged(after)) }
    }

    /// The account's list as the server has it. One that cannot be read is replaced: no program can use it.
    private func ownList(_ generation: OMEMOGeneration) async throws(ProtectionError) -> OMEMODeviceList {
        switch await requestList(of: try await ownAddress(), generation) {
        case .success(let list): return list
        case .failure(let refusal):
            switch refusal.failure {
            case .damaged: return OMEMODeviceList(generation, devices: [])
            case .tooManyDevices: throw Self.tooMany
            case .forbidden, .unreachable: throw Self.unavailable
            }
        }
    }

    private func publish(
        _ payload: some XMLEncodable, id: String, in node: String, _ configuration: NodeConfiguration
    ) async throws(ProtectionError) {
        guard let data = session[PublishSubscribe.self] else { throw Self.unavailable }
        do throws(ClientError) {
            try await data.publish(payload, id: id, in: node, configuration: configuration)
        } catch {
            throw Self.refusal(error)
        }
    }

    private func ownAddress() async throws(ProtectionError) -> JID {
        guard let own = await session.address?.bare else { throw Self.unavailable }
        return own
    }

    // MARK: Staying in the list

    /// The account's list as it is now. Devices must look for themselves in it and come back (XEP-0384 §5.3.1).
    func ownListSeen(_ list: OMEMODeviceList) {
        guard var own = announcement, own.standing.contains(list.generation),
            !list.devices.contains(where: { $0.id == own.device.id }), own.pending.insert(list.generation).inserted
        else { return }
        let now = clock.now()
        if let last = own.lastRemoval, last.advanced(by: EncryptionLimits.announcingMemory) < now { own.removals = 0 }
        own.removals += 1
        own.lastRemoval = now
        announcement = own
        channel.post(.ownDeviceMissing(list.generation))
        jobs.continuation.yield(.announce(list.generation))
    }

    func perform(_ job: Job) async {
        guard let own = announcement else { return }
        switch job {
        case .announceAll(let generations): for generation in generations { await announceAgain(generation) }
        case .announce(let generation):
            // The first removal is usually an accident, and the list without this device must not last.
            if own.removals > 1 {
                await clock.sleep(clock.now().advanced(by: EncryptionLimits.announcing.pause(after: own.removals - 1)))
            }
            announcement?.pending.remove(generation)
            await announceAgain(generation)
        }
    }

    private func announceAgain(_ generation: OMEMOGeneration) async {
        guard !Task.isCancelled, let own = announcement, own.generations.contains(generation) else { return }
        do throws(ProtectionError) {
            try await announce(own.device, in: generation)
            channel.post(.announcedAgain(generation))
        } catch {
            guard error.isTemporary else { return }
            announcement?.owed.insert(generation)
            // The start of the next session, or of this one when it is resumed, takes what is owed.
            guard await session.isOnline, announcement?.owed.remove(generation) != nil else { return }
            announcement?.removals += 1
            guard announcement?.pending.insert(generation).inserted == true else { return }
            jobs.continuation.yield(.announce(generation))
        }
    }

    // MARK: Errors

    static func refusal(_ error: ClientError) -> ProtectionError {
        switch error.reading {
        case .unreachable where error.code != .refused || error.stanzaError?.type == .wait:
            ProtectionError(
                .unreachable, "The account's server cannot be reached now.", isTemporary: true, cause: error)
        default: ProtectionError(.publishingRefused, "The server refused the keys: \(error.message)", cause: error)
        }
    }

    static let unavailable = ProtectionError(
        .unreachable, "The account's device list cannot be requested now.", isTemporary: true)
    private static let tooMany = ProtectionError(
        .tooManyDevices, "The account's device list has more than \(OMEMOLimits.devices) entries.")
}
