public import ChatEngine
public import ChatStore
internal import EndToEndEncryption
public import Observation
public import XMPPAddress

/// The devices of an account with their keys: a contact's, a room member's, or our own.
///
///     let model = DeviceListModel(address, account: account)
///     Task { await model.run() }                     // until the task is cancelled
///     await model.setTrust(.verified, in: device)    // what goes wrong stands in `failure`
@MainActor
@Observable
public final class DeviceListModel {
    /// The bare address of the account whose devices these are.
    public let address: JID
    /// Whether it is our own account.
    public let isOwn: Bool
    /// This device first, then those that are announced, the last used ones first.
    public private(set) var devices: [EncryptionDevice] = []
    /// Whether ``devices`` was read.
    public private(set) var isKnown = false
    /// This device, for a comparison with the fingerprint that the other person sees.
    public private(set) var thisDevice: EncryptionDevice?
    /// The `xmpp:` URI with the fingerprint of this device and our other verified ones.
    public private(set) var link: String?
    /// The same with few devices, for a QR code that a phone can read.
    public private(set) var codeLink: String?
    /// Whether messages are not encrypted for devices that were not used for a month.
    public private(set) var excludesUnused = false
    /// An operation is in progress.
    public private(set) var isWorking = false
    /// Why the last operation failed, as a sentence for the user.
    public private(set) var failure: String?

    @ObservationIgnored private let own: JID
    @ObservationIgnored private let service: any EncryptionService
    @ObservationIgnored private let events: @Sendable () -> AsyncStream<ChatAccountEvent>
    @ObservationIgnored private let environment: ModelEnvironment

    /// The maximum number of devices in ``codeLink``: with more, the modules of the code are too small.
    static let codeLimit = 3

    /// The minimum time between two updates.
    static let interval: Duration = .milliseconds(500)

    /// - Parameter own: the address of the account that looks.
    public init(
        _ address: JID, own: JID, service: any EncryptionService,
        events: @escaping @Sendable () -> AsyncStream<ChatAccountEvent>,
        environment: ModelEnvironment = ModelEnvironment()
    ) {
        self.address = address.bare
        self.own = own.bare
        isOwn = address.bare == own.bare
        self.service = service
        self.events = events
        self.environment = environment
    }

    /// - Returns: `nil` if the account has no encryption.
    public convenience init?(
        _ address: JID, account: ChatAccount, environment: ModelEnvironment = ModelEnvironment()
    ) {
        guard let service = account.encryption else { return nil }
        self.init(
            address, own: account.address, service: service, events: { account.events() }, environment: environment)
    }

    /// The number of devices with a verified key, without this one.
    public var verifiedCount: Int { devices.count { $0.trust == .verified && !$0.isThisDevice } }

    /// The devices about which the user has to decide before anything is encrypted for them.
    public var undecided: [EncryptionDevice] { devices.filter { $0.trust == .undecided && $0.fingerprint != nil } }

    /// Follows the account until the task is cancelled.
    public func run() async {
        let coalescer = Coalescer(every: Self.interval, clock: environment.clock)
        let events = events()
        coalescer.call()
        await withTaskGroup { group in
            group.addTask { [weak self] in await coalescer.run { await self?.refresh() } }
            for await event in events {
                switch event {
                case .connection, .encryption(nil), .encryption(address), .encryption(own): coalescer.call()
                default: break
                }
            }
            group.cancelAll()
        }
    }

    /// Reads everything again.
    public func refresh() async {
        do {
            let found = try await service.devices(of: address)
            if devices != found { devices = found }
            let own = isOwn ? found : try await service.devices(of: own)
            let this = own.first(where: \.isThisDevice)
            if thisDevice != this { thisDevice = this }
            var known = try await service.verificationLink(for: self.own)
            if link != known?.uri { link = known?.uri }
            if let few = known?.entries.prefix(Self.codeLimit) { known?.entries = Array(few) }
            if codeLink != known?.uri { codeLink = known?.uri }
            let isExcluding = try await service.excludesUnusedDevices
            if excludesUnused != isExcluding { excludesUnused = isExcluding }
        } catch {
            failure = Wording.failure(any: error)
        }
        if !isKnown { isKnown = true }
    }

    // MARK: Decisions

    /// Sets the trust in the key of a device; a device without a key is left alone.
    public func setTrust(_ trust: DeviceTrust, in device: EncryptionDevice) async {
        guard let fingerprint = device.fingerprint, !device.isThisDevice, device.trust != trust else { return }
        await attempt { service, address in try await service.setTrust(trust, of: fingerprint, at: address) }
    }

    /// Forgets the key of a device, with the trust in it.
    public func forget(_ device: EncryptionDevice) async {
        guard let fingerprint = device.fingerprint, !device.isThisDevice else { return }
        await attempt { service, address in try await service.forget(fingerprint, at: address) }
    }

    /// Removes a device of our own account from its lists on the server, so that no device encrypts for it any more.
    public func remove(_ device: EncryptionDevice) async {
        guard isOwn, !device.isThisDevice else { return }
        await attempt { service, _ in
            try await service.removeDevice(device.device)
            if let fingerprint = device.fingerprint { try await service.forget(fingerprint, at: self.own) }
        }
    }

    /// Decides whether messages are encrypted for devices that were not used for a month, of all accounts.
    public func setExcludesUnused(_ isExcluding: Bool) async {
        guard isExcluding != excludesUnused else { return }
        await attempt { service, _ in try await service.setExcludesUnusedDevices(isExcluding) }
    }

    /// Publishes the keys of this device again.
    public func announceAgain() {
        guard isOwn else { return }
        service.announceAgain()
    }

    /// Verifies the keys of a link.
    ///
    /// - Returns: what came of it, as a sentence for the user; `nil` if it failed, or if the link is of another account.
    public func verify(_ request: VerificationRequest) async -> String? {
        guard request.account == address else { return nil }
        var outcome: VerificationOutcome?
        await attempt { service, _ in outcome = try await service.verify(with: request.link) }
        return outcome.map { Wording.verification($0, of: self.address) }
    }

    /// Clears ``failure`` after it was shown.
    public func clearFailure() { failure = nil }

    private func attempt(_ body: (any EncryptionService, JID) async throws -> Void) async {
        isWorking = true
        failure = nil
        defer { isWorking = false }
        do {
            try await body(service, address)
        } catch {
            failure = Wording.failure(any: error)
            return
        }
        await refresh()
    }
}
