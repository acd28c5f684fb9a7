internal import ChatStore
internal import EndToEndEncryption
internal import OMEMO
internal import Synchronization
internal import Waiting
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStream

/// Works for the encryption of an account while it is online: publishes the keys of this device, follows the lists of others,
/// and sends the empty messages and copies that other devices wait for.
actor OMEMOService {
    private let context: AccountContext
    private let parts: EncryptionParts
    private let encryption: EncryptionContext
    private let publication: KeyPublication
    private let emptyMessages: EmptyMessages
    private let copies: CopyDelivery
    private var problem: String?

    /// The time until due keys are checked.
    private static let pause = Duration.seconds(600)
    /// When failed requests are repeated.
    private static let retry = Backoff(first: .seconds(2), longest: pause)

    init(_ context: AccountContext, _ parts: EncryptionParts) {
        self.context = context
        self.parts = parts
        encryption = parts.context
        publication = KeyPublication(parts)
        emptyMessages = EmptyMessages(encryption: parts.context, repair: parts.repair)
        copies = CopyDelivery(context: context, encryption: parts.context, copies: parts.copies)
    }

    /// Works until the task is cancelled.
    func run(in session: Session) async {
        guard let devices = session[OMEMODevices.self] else { return }
        let directory = SessionDirectory(devices)
        encryption.servers.connect(to: directory)
        defer {
            encryption.servers.connect(to: nil)
            encryption.events.post(.encryption(nil))
        }
        publication.begin()
        let signal = encryption.work
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
                        requests.addTask { await self.parts.discovery.listChanged(listing) }
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
            var (failures, delays) = (0, 0)
            while !Task.isCancelled {
                if await session.isOnline {
                    do {
                        defer { openGate() }
                        try await publication.publish(with: devices)
                        openGate()
                        let areOpen = try await context.recorder.openPostponed(of: encryption)
                        try await publication.withdrawRetired(with: devices)
                        group.addTask { await self.refreshLists(with: devices) }
                        let areSent = try await emptyMessages.sendOwed(in: session, directory)
                        delays = areOpen && areSent ? 0 : delays + 1
                        if delays > 0 { group.addTask { [delays] in await self.retry(after: delays) } }
                        try await copies.requestCopies(in: session, directory)
                        try await copies.sendCopies(in: session, directory)
                        problem = nil
                        failures = 0
                    } catch {
                        failures += 1
                        group.addTask { [failures] in await self.retry(after: failures) }
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

    /// Begins a round some time after as many rounds that have failed.
    private func retry(after failures: Int) async {
        try? await Task.sleep(for: Self.retry.pause(after: failures))
        encryption.work.send()
    }

    /// Others can answer now.
    private func openGate() {
        guard !encryption.servers.published.isOpen else { return }
        encryption.servers.published.open()
        encryption.events.post(.encryption(nil))
    }

    private func report(_ event: DeviceEvent) {
        switch event {
        case .listChanged(let listing): encryption.events.post(.encryption(listing.account))
        case .ownDeviceMissing, .announcedAgain: encryption.events.post(.encryption(encryption.address))
        case .allOutdated: encryption.events.post(.encryption(nil))
        }
    }

    /// Requests the lists in which a sender's device is missing, a few times a minute; not those of strangers.
    private func refreshLists(with devices: OMEMODevices) async {
        for account in parts.keyTrust.unlisted.take()
        where (try? await parts.strangers.isKnownPerson(account)) == true {
            _ = await devices.devices(of: account, isFresh: true)
        }
    }
}
