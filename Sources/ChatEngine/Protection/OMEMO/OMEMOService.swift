internal import ChatStore
internal import EndToEndEncryption
internal import OMEMO
internal import Synchronization
internal import Waiting
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStream

/// Publishes the keys of this device while the account is online, and sends the empty messages that others wait for.
actor OMEMOService {
    let context: AccountContext
    let protection: OMEMOProtection
    /// What the server has of this device: the ids of one-time keys, and that of the signed key.
    private var published: Set<UInt32>?
    private var publishedSignedKey: UInt32?
    private var problem: String?
    /// The first publication of this process.
    private var isFirst = true
    /// When the oldest one-time key was replaced, in seconds since 1970.
    private var lastReplacement: Int64?

    /// The time until due keys are checked.
    private static let pause = Duration.seconds(600)
    /// Seconds after which the oldest one-time key is replaced: an older copy of the records is noticed, also one that was
    /// made while the program was running.
    private static let replacementPeriod: Int64 = 6 * 3_600
    /// When failed requests are repeated.
    private static let retry = Backoff(first: .seconds(2), longest: pause)

    init(_ context: AccountContext, _ protection: OMEMOProtection) {
        self.context = context
        self.protection = protection
    }

    /// Works until the task is cancelled.
    func run(in session: Session) async {
        guard let devices = session[OMEMODevices.self] else { return }
        let directory = SessionDirectory(devices)
        protection.connect(to: directory)
        defer {
            protection.connect(to: nil)
            protection.events.post(.encryption(nil))
        }
        published = nil
        let signal = protection.work
        let (connection, lists) = (session.events(.connection), devices.events())
        await withDiscardingTaskGroup { group in
            group.addTask {
                for await batch in connection {
                    for case .connection(.online) in batch { signal.send() }
                }
            }
            group.addTask {
                // A server that does not answer must not hold up the events of others.
                await withDiscardingTaskGroup { requests in
                    for await event in lists {
                        signal.send()
                        await self.report(event)
                        guard case .listChanged(let listing) = event else { continue }
                        requests.addTask { await self.protection.listChanged(listing) }
                    }
                    requests.cancelAll()
                }
            }
            group.addTask {
                while !Task.isCancelled {
                    try? await Task.sleep(for: Self.pause)
                    signal.send()
                }
            }
            var failures = 0
            while !Task.isCancelled {
                if await session.isOnline {
                    do {
                        defer { openGate() }
                        try await publish(with: devices)
                        openGate()
                        try await context.recorder.openPostponed(of: protection)
                        try await withdrawRetired(with: devices)
                        group.addTask { await self.refreshLists(with: devices) }
                        try await sendOwed(in: session, directory)
                        try await requestCopies(in: session, directory)
                        try await sendCopies(in: session, directory)
                        problem = nil
                        failures = 0
                    } catch {
                        failures += 1
                        let pause = Self.retry.pause(after: failures)
                        group.addTask {
                            try? await Task.sleep(for: pause)
                            signal.send()
                        }
                        // A lasting problem is reported once.
                        if problem != "\(error)" { context.events.post(.problem(.session(error))) }
                        problem = "\(error)"
                    }
                }
                await signal.wait()
            }
            group.cancelAll()
        }
    }

    /// Others can answer now.
    private func openGate() {
        guard !protection.published.isOpen else { return }
        protection.published.open()
        protection.events.post(.encryption(nil))
    }

    private func report(_ event: DeviceEvent) {
        switch event {
        case .listChanged(let listing): protection.events.post(.encryption(listing.account))
        case .ownDeviceMissing, .announcedAgain: protection.events.post(.encryption(protection.address))
        case .allOutdated: protection.events.post(.encryption(nil))
        }
    }

    /// Requests the lists in which a sender's device is missing, a few times a minute; not those of strangers.
    private func refreshLists(with devices: OMEMODevices) async {
        for account in protection.unlisted.take()
        where (try? await protection.strangers.isKnownPerson(account)) == true {
            _ = await devices.devices(of: account, isFresh: true)
        }
    }

    // MARK: Publishing

    private var isReplacementDue: Bool {
        guard !isFirst, let last = lastReplacement else { return true }
        return abs(protection.seconds - last) >= Self.replacementPeriod
    }

    private func publish(with devices: OMEMODevices) async throws {
        let protection = protection
        let device = protection.ownDevice
        if device.takeAnnouncement() { (published, publishedSignedKey) = (nil, nil) }
        if isFirst { device.checkBegan() }
        let cryptography = protection.cryptography
        // Where the keyring could not be opened before.
        try await protection.load()
        var own = try protection.own()
        let known = published == nil ? try await serverKeys(of: own, with: devices) : nil
        if published == nil {
            if !own.keys.isAnnounced {
                let listing = await devices.devices(of: context.address)
                if listing.devices.contains(where: { $0.id == own.keys.device }) {
                    own.keys.device = try await devices.unusedDevice()
                }
            }
        }
        let isReplacing = isReplacementDue
        let before = own
        let (keys, unused) = try await protection.changeQuietly {
            (draft: inout KeyDraft) async throws(ProtectionError) in
            var keys = before.keys
            if let known, let last = known.preKeys.max(), last > keys.lastPreKey || known.signedKey > keys.lastSignedKey
            {
                try await protection.renew(&keys, after: last, known.signedKey, &draft)
            }
            do throws(OMEMOError) {
                _ = try keys.rotate(now: protection.seconds, using: cryptography)
            } catch {
                throw ProtectionError(.ownKeys, error.description, cause: error)
            }
            // A number that grows shows on the server that these records are older than what was published.
            if isReplacing {
                try await device.retireOne(&draft)
                try await protection.discardOldKeys(&draft)
            }
            try await device.refill(&keys, &draft)
            let unused = try await device.unusedPreKeys(draft)
            if keys.record != before.keys.record { draft.write(OwnKeys.name, keys.record) }
            return (keys, unused)
        }
        own.keys = keys
        device.checked(own)
        isFirst = false
        if isReplacing { lastReplacement = protection.seconds }
        let ids = Set(unused.map(\.id))
        guard ids != published || keys.currentSignedKey.pair.id != publishedSignedKey else { return }
        for generation in OMEMOGeneration.allCases {
            let bundle = try OMEMOBundle(
                generation, identity: own.identity, signedPreKey: keys.currentSignedKey, preKeys: unused,
                using: cryptography)
            try await devices.publish(bundle, of: keys.device)
        }
        if published == nil {
            let entry: OMEMODeviceList.Device =
                if let label = protection.settings.label {
                    try OMEMODeviceList.Device(keys.device, label: label, by: own.identity, using: cryptography)
                } else {
                    OMEMODeviceList.Device(keys.device)
                }
            try await devices.announce(entry)
        }
        (published, publishedSignedKey) = (ids, keys.currentSignedKey.pair.id)
        guard !keys.isAnnounced else { return }
        own.keys.isAnnounced = true
        let announced = own
        try await protection.changeQuietly { (draft: inout KeyDraft) async throws(ProtectionError) in
            draft.write(OwnKeys.name, announced.keys.record)
        }
        device.replace(announced)
    }

    /// Removes an earlier device of this profile whose identity key no longer exists.
    private func withdrawRetired(with devices: OMEMODevices) async throws {
        let record = try await protection.memory.value(OwnKeys.retiredName)
        guard let record, let device = OMEMODevice(String(decoding: record, as: UTF8.self)) else { return }
        try await devices.withdraw(device)
        try await protection.change { (draft: inout KeyDraft) async throws(ProtectionError) in
            draft.write(OwnKeys.retiredName, nil)
        }
    }

    /// What the server has of this device from before; `nil` if nothing.
    ///
    /// - Throws: if the server gives no answer: what it has is not replaced unseen.
    private func serverKeys(
        of own: OwnDevice.Keys, with devices: OMEMODevices
    ) async throws(ProtectionError) -> (preKeys: Set<UInt32>, signedKey: UInt32)? {
        var result: (preKeys: Set<UInt32>, signedKey: UInt32)?
        for generation in OMEMOGeneration.allCases {
            let address = BundleAddress(DeviceAddress(context.address, own.keys.device), generation)
            let bundle: VerifiedBundle
            do throws(ProtectionError) {
                bundle = try await devices.bundle(address)
            } catch {
                guard !error.isTemporary else { throw error }
                continue
            }
            guard bundle.identityKey.isSame(as: own.identity.publicKey, using: protection.cryptography) else {
                continue
            }
            result = (
                (result?.preKeys ?? []).union(bundle.preKeyIDs), max(result?.signedKey ?? 0, bundle.signedPreKeyID)
            )
        }
        return result
    }
}
