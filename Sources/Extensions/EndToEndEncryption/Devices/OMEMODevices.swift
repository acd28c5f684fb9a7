internal import MessagePayloads
public import OMEMO
internal import PublishSubscribe
internal import Waiting
import Waiting
internal import XMLStreaming
public import XMPPAddress
public import XMPPClient
internal import XMPPStanzas

/// The devices that accounts announce for OMEMO, and the keys that they publish, in both generations (XEP-0384 OMEMO Encryption).
///
/// Needs the extension `PublishSubscribe`; rooms need `GroupChat`. Lists are cached: accounts whose presence this session gets
/// announce each change, the lists of others are requested again after some minutes. Only the account itself can announce its
/// devices. This module encrypts nothing, has no secret keys and decides no trust.
///
///     configuration.add { PublishSubscribe($0) }
///     configuration.add { OMEMODevices($0, using: OpenSSLCryptography()) }
///     …
///     let listing = await session[OMEMODevices.self]?.devices(of: juliet)
public final actor OMEMODevices: SessionExtension {
    enum Job: Sendable {
        case announce(OMEMOGeneration)
        /// At once.
        case announceAll(Set<OMEMOGeneration>)
    }

    /// The announcement of this device in this session.
    struct Announcement {
        var device: OMEMODeviceList.Device
        var generations: Set<OMEMOGeneration>
        /// Those in whose list it stood: a list without it is a removal.
        var standing: Set<OMEMOGeneration> = []
        /// Removals in a row, and when the last one was.
        var removals = 0
        var lastRemoval: ContinuousInstant?
        /// Those that will be announced again, so that a repeated list is one removal.
        var pending: Set<OMEMOGeneration> = []
        /// Those whose announcement failed without a connection: they are announced when the session is resumed.
        var owed: Set<OMEMOGeneration> = []
    }

    nonisolated let session: Session
    nonisolated let cryptography: any OMEMOCryptography
    nonisolated let clock: SessionClock
    nonisolated let channel = EventChannel<DeviceEvent>()
    nonisolated let jobs = AsyncStream.makeStream(of: Job.self, bufferingPolicy: .bufferingNewest(64))
    /// Lists and bundles that are requested at the moment.
    nonisolated let requests = RequestLimiter()
    /// Our own lists are changed by one task at a time.
    nonisolated let publishing = AsyncLock()
    nonisolated let rooms = RoomMembersTable()

    var table = DeviceTable()
    var announcement: Announcement?
    var failures = BundleFailures()
    /// A request for the lists of an account, in the task of its first caller; the others wait for its end.
    private final class Asking {
        let end = Gate()
        /// The caller was cancelled: the others ask again.
        var wasCancelled = false
    }

    private var asking: [JID: Asking] = [:]

    public init(_ session: Session, using cryptography: any OMEMOCryptography) {
        self.init(session, using: cryptography, clock: .continuous)
    }

    package init(_ session: Session, using cryptography: any OMEMOCryptography, clock: SessionClock) {
        self.session = session
        self.cryptography = cryptography
        self.clock = clock
    }

    // MARK: Lists

    /// The changes of lists from now on.
    public nonisolated func events() -> AsyncStream<DeviceEvent> { channel.stream() }

    /// The devices of an account: from the cache, and from its server where the cache does not know.
    ///
    /// It never fails as a whole: what could not be read is in ``DeviceListing/failures``, and ``DeviceListing/error`` is why nothing can be
    /// encrypted at all. A failed request is not repeated before its backoff has passed.
    ///
    /// - Parameters:
    ///   - account: made bare.
    ///   - isFresh: asks the server although the list is valid, a few times a minute; for a message from a device that is not in
    ///     the list (XEP-0384 §6).
    public func devices(of account: JID, isFresh: Bool = false) async -> DeviceListing {
        let account = account.bare
        while let running = asking[account] {
            await running.end.wait()
            if Task.isCancelled || !isFresh && !running.wasCancelled {
                return table.listing(of: account, using: cryptography)
            }
        }
        let now = clock.now()
        let isRefreshed = isFresh && table.mayRefresh(account, now: now)
        let due = isRefreshed ? OMEMOGeneration.allCases : table.due(of: account, now: now)
        if !due.isEmpty {
            let running = Asking()
            asking[account] = running
            await ask(account, due)
            running.wasCancelled = Task.isCancelled
            asking[account] = nil
            running.end.open()
        }
        return table.listing(of: account, using: cryptography)
    }

    /// The devices of several accounts, requested side by side.
    public nonisolated func devices(of accounts: [JID]) async -> [JID: DeviceListing] {
        await withTaskGroup(of: DeviceListing.self) { group in
            for account in Set(accounts.map(\.bare)) { group.addTask { await self.devices(of: account) } }
            var listings: [JID: DeviceListing] = [:]
            for await listing in group { listings[listing.account] = listing }
            return listings
        }
    }

    /// The cached list of an account, without a request; `nil` if there is none.
    public func cachedDevices(of account: JID) -> DeviceListing? {
        table.knows(account.bare) ? table.listing(of: account.bare, using: cryptography) : nil
    }

    private func ask(_ account: JID, _ generations: [OMEMOGeneration]) async {
        let before = table.knows(account) ? table.listing(of: account, using: cryptography) : nil
        await withTaskGroup(of: Void.self) { group in
            for generation in generations { group.addTask { await self.ask(account, generation) } }
            await group.waitForAll()
        }
        let after = table.listing(of: account, using: cryptography)
        if before?.devices != after.devices, before != nil || !after.devices.isEmpty {
            channel.post(.listChanged(after))
        }
    }

    private func ask(_ account: JID, _ generation: OMEMOGeneration) async {
        let notices = table.notices(of: account, generation)
        let result = await requestList(of: account, generation)
        table.answered(result, generation, of: account, notices: notices, now: clock.now())
        if case .success(let list) = result, await isOwn(account) { ownListSeen(list) }
    }

    /// The list that the account's server has; an empty one if it has none.
    func requestList(
        of account: JID, _ generation: OMEMOGeneration
    ) async -> Result<OMEMODeviceList, ListRefusal> {
        do throws(ClientError) {
            let items = try await items(ItemsRequest(node: generation.devicesNode, maximum: 1), of: account)
            guard let item = items.last else { return .success(OMEMODeviceList(generation, devices: [])) }
            return Self.read(item, generation)
        } catch {
            return switch error.reading {
            case .missing: .success(OMEMODeviceList(generation, devices: []))
            case .forbidden: .failure(ListRefusal(.forbidden))
            case .damaged: .failure(ListRefusal(.damaged))
            case .unreachable: .failure(ListRefusal(.unreachable, isOfServer: error.isOfServer))
            }
        }
    }

    /// Items of an account, requested when it is the turn of its server.
    func items(_ request: ItemsRequest, of account: JID) async throws(ClientError) -> [PublishedItem] {
        guard session[PublishSubscribe.self] != nil else {
            throw ClientError(.invalidConfiguration, "OMEMO needs the extension PublishSubscribe in the configuration.")
        }
        let server = account.domain
        guard await requests.enter(server, now: clock.now) else {
            guard !Task.isCancelled else { throw ClientError(.cancelled, "The request was cancelled.") }
            throw ClientError(.timedOut, "The server has not answered earlier requests.")
        }
        let receiver = await isOwn(account) ? nil : account
        do throws(ClientError) {
            let page = try await session.request(request, to: receiver, timeout: EncryptionLimits.requestTimeout)
            requests.leave(server, wasSilent: false, now: clock.now())
            return page.items
        } catch {
            requests.leave(server, wasSilent: error.isSilence, now: clock.now())
            throw error
        }
    }

    /// A list of the wrong generation, without a payload, or with too many entries is refused as a whole.
    static func read(
        _ item: PublishedItem, _ generation: OMEMOGeneration
    ) -> Result<OMEMODeviceList, ListRefusal> {
        guard let payload = item.payload, payload.isNamed(OMEMODeviceList.name(of: generation)) else {
            return .failure(ListRefusal(.damaged))
        }
        guard payload.children.dropFirst(OMEMOLimits.devices).first(where: { _ in true }) == nil else {
            return .failure(ListRefusal(.tooManyDevices))
        }
        do {
            return .success(try OMEMODeviceList(from: payload))
        } catch {
            return .failure(ListRefusal(.damaged))
        }
    }

    func isOwn(_ account: JID) async -> Bool { await session.address?.bare == account }

    // MARK: What the session reports

    /// Events are announced only with the extension that reads them. A client that decrypts also announces XEP-0380
    /// (§3.3).
    public nonisolated var features: [String] {
        guard session[PublishSubscribe.self] != nil else { return [] }
        return OMEMOGeneration.allCases.map { PublishSubscribe.interest(in: $0.devicesNode) }
            + [EncryptionHint.name.namespace]
    }

    public nonisolated var interceptors: [any StanzaInterceptor] { [rooms] }

    public func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        let owed = announcement?.owed ?? []
        announcement?.owed = []
        guard !isResumed else {
            if !owed.isEmpty { jobs.continuation.yield(.announceAll(owed)) }
            return
        }
        table.sessionLost()
        rooms.removeAll()
        requests.reset()
        channel.post(.allOutdated)
        if let announcement { jobs.continuation.yield(.announceAll(announcement.generations)) }
    }

    public nonisolated func run(in session: Session) async {
        guard let data = session[PublishSubscribe.self] else { return }
        let notices = data.notices()
        await withDiscardingTaskGroup { group in
            group.addTask {
                await withDiscardingTaskGroup { works in
                    for await job in self.jobs.stream { works.addTask { await self.perform(job) } }
                    works.cancelAll()
                }
            }
            for await notice in notices { await self.noticed(notice) }
            group.cancelAll()
        }
    }

    public func sessionEnded(_ session: Session) async {
        channel.finish()
        jobs.continuation.finish()
    }

    private func noticed(_ notice: PublishSubscribeNotice) async {
        guard let node = notice.event.node,
            let generation = OMEMOGeneration.allCases.first(where: { $0.devicesNode == node })
        else { return }
        let account = notice.service
        // Of strangers nothing is stored before they are asked.
        if !table.knows(account) { guard await session.follows(account) else { return } }
        let before = table.listing(of: account, using: cryptography)
        let none = OMEMODeviceList(generation, devices: [])
        var result = Result<OMEMODeviceList, ListRefusal>.success(none)
        switch notice.event {
        case .items(_, let published, let retracted):
            guard let item = published.last else {
                if !retracted.isEmpty { table.invalidated(generation, of: account) }
                return
            }
            guard item.payload != nil else { return table.invalidated(generation, of: account) }
            result = Self.read(item, generation)
        case .purged, .removed: break
        case .configured, .subscription: return
        }
        failures.forget(account)
        table.announced(result, generation, by: account, now: clock.now())
        let after = table.listing(of: account, using: cryptography)
        if before != after { channel.post(.listChanged(after)) }
        if await isOwn(account) { ownListSeen((try? result.get()) ?? none) }
    }
}
