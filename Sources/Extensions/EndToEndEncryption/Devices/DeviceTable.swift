internal import OMEMO
import Waiting
internal import XMPPAddress
internal import XMPPStream

/// The announced devices of accounts, without I/O: takes responses and notifications, returns ``DeviceListing``.
struct DeviceTable {
    typealias Instant = ContinuousInstant

    /// What one generation's list of an account is known to be.
    struct List {
        /// How the devices came, and so until when they are valid.
        enum Origin {
            case none
            /// The account announced it, and usually announces the next change as well.
            case announced(Instant)
            case requested(Instant)
            /// From before a lost session.
            case outdated
        }

        var devices: [OMEMODeviceList.Device] = []
        var omitted = 0
        var origin = Origin.none
        var failure: DeviceListing.Failure?
        /// Failed requests in a row, and when the next one is due.
        var failedRequests = 0
        var nextRequest: Instant?
        /// How often the account told its list: an answer that was on its way meanwhile is older.
        var notices = 0
    }

    struct Account {
        var lists: [OMEMOGeneration: List] = [:]
        /// The keys of the bundles that were read, by which labels are checked.
        var identities: [OMEMODevice: IdentityKey] = [:]
        /// The minute in which lists were refreshed last, and how often.
        var refreshes: (since: Instant, count: Int)?
        /// When it was used last, as a count of uses.
        var use: UInt64
    }

    private var accounts: [JID: Account] = [:]
    private var uses: UInt64 = 0
    private let limit: Int

    init(limit: Int = EncryptionLimits.accounts) { self.limit = limit }

    var count: Int { accounts.count }

    func knows(_ account: JID) -> Bool { accounts[account] != nil }

    // MARK: Validity

    /// The generations whose list has to be requested: not known, too old, or failed and due again.
    func due(of account: JID, now: Instant) -> [OMEMOGeneration] {
        OMEMOGeneration.allCases.filter { generation in
            guard let list = accounts[account]?.lists[generation] else { return true }
            if let next = list.nextRequest { return next <= now }
            return switch list.origin {
            case .announced(let time): time.advanced(by: EncryptionLimits.announcedListLifetime) <= now
            case .requested(let time): time.advanced(by: EncryptionLimits.requestedListLifetime) <= now
            case .none, .outdated: true
            }
        }
    }

    /// Whether the lists may be requested although they are valid; counts it.
    mutating func mayRefresh(_ account: JID, now: Instant) -> Bool {
        guard let known = accounts[account], let last = known.refreshes,
            now < last.since.advanced(by: .seconds(60))
        else {
            accounts[account]?.refreshes = (now, 1)
            return true
        }
        accounts[account]?.refreshes = (last.since, last.count + 1)
        return last.count < EncryptionLimits.refreshesPerMinute
    }

    /// How often each list was announced so far; compare it when the answer is there.
    func notices(of account: JID, _ generation: OMEMOGeneration) -> Int {
        accounts[account]?.lists[generation]?.notices ?? 0
    }

    /// The lists of both generations as one, with at most ``EncryptionLimits/devices``: those of the current generation first.
    mutating func listing(of account: JID, using cryptography: any OMEMOCryptography) -> DeviceListing {
        uses += 1
        accounts[account]?.use = uses
        guard let known = accounts[account] else { return DeviceListing(account) }
        var devices: [OMEMODevice: AnnouncedDevice] = [:]
        var result = DeviceListing(account)
        for generation in [OMEMOGeneration.current, .legacy] {
            guard let list = known.lists[generation] else { continue }
            result.failures[generation] = list.failure
            result.omittedCount += list.omitted
            for entry in list.devices {
                guard devices[entry.id] != nil || devices.count < EncryptionLimits.devices else {
                    result.omittedCount += 1
                    continue
                }
                devices[entry.id, default: AnnouncedDevice(entry.id, [])].generations.insert(generation)
                guard generation == .current, entry.label != nil else { continue }
                let label = DeviceLabel.unchecked(entry)
                devices[entry.id]?.label =
                    known.identities[entry.id].map { label.checked(by: $0, using: cryptography) } ?? label
            }
        }
        result.devices = devices.values.sorted { $0.id < $1.id }
        return result
    }

    // MARK: What happens

    /// The account told its list, or something in its place that is refused.
    mutating func announced(
        _ result: Result<OMEMODeviceList, ListRefusal>, _ generation: OMEMOGeneration, by account: JID, now: Instant
    ) {
        change(account, generation) { known in
            known.notices += 1
            known.set(result, origin: .announced(now))
        }
    }

    /// The account's list changed in a way that was not told.
    mutating func invalidated(_ generation: OMEMOGeneration, of account: JID) {
        guard accounts[account]?.lists[generation] != nil else { return }
        change(account, generation) { known in
            known.notices += 1
            known.origin = .outdated
            known.nextRequest = nil
        }
    }

    /// The answer to a request.
    ///
    /// - Parameter notices: the number of notices when the request was sent; an answer that a notice has overtaken is ignored.
    mutating func answered(
        _ result: Result<OMEMODeviceList, ListRefusal>, _ generation: OMEMOGeneration, of account: JID, notices: Int,
        now: Instant
    ) {
        change(account, generation) { known in
            guard known.notices == notices else { return }
            switch result {
            case .success: known.set(result, origin: .requested(now))
            case .failure(let refusal):
                known.failure = refusal.failure
                // After a refusal or an invalid response there is no list; after silence the earlier list stays valid.
                if refusal.failure != .unreachable { (known.devices, known.omitted) = ([], 0) }
                guard refusal.isOfServer else { return }
                known.failedRequests += 1
                known.nextRequest = now.advanced(by: EncryptionLimits.retry.pause(after: known.failedRequests))
            }
        }
    }

    /// This device published the list.
    ///
    /// - Parameter notices: the number of notices before; a list that a notice has overtaken is older.
    mutating func published(_ list: OMEMODeviceList, by account: JID, notices: Int, now: Instant) {
        change(account, list.generation) { known in
            guard known.notices == notices else { return }
            known.set(.success(list), origin: .requested(now))
        }
    }

    /// The list of a generation as it is known.
    func list(of account: JID, _ generation: OMEMOGeneration) -> OMEMODeviceList {
        OMEMODeviceList(generation, devices: accounts[account]?.lists[generation]?.devices ?? [])
    }

    /// A bundle of the device was read and verified.
    mutating func identified(_ address: DeviceAddress, _ key: IdentityKey) {
        guard accounts[address.account]?.lists.values.contains(where: { $0.contains(address.device) }) == true else {
            return
        }
        accounts[address.account]?.identities[address.device] = key
    }

    /// Changes were missed: all lists are requested again when they are needed.
    mutating func sessionLost() {
        for account in accounts.keys {
            for generation in OMEMOGeneration.allCases where accounts[account]?.lists[generation] != nil {
                accounts[account]?.lists[generation]?.origin = .outdated
                accounts[account]?.lists[generation]?.nextRequest = nil
            }
        }
    }

    private mutating func change(_ account: JID, _ generation: OMEMOGeneration, _ body: (inout List) -> Void) {
        uses += 1
        var known = accounts.removeValue(forKey: account) ?? Account(use: uses)
        known.use = uses
        body(&known.lists[generation, default: List()])
        // Keys of devices that are gone are not stored.
        let lists = known.lists.values
        known.identities = known.identities.filter { id, _ in lists.contains { $0.contains(id) } }
        if accounts.count >= limit, let oldest = accounts.min(by: { $0.value.use < $1.value.use }) {
            accounts[oldest.key] = nil
        }
        accounts[account] = known
    }
}

/// Why a list is not known; an `Error` only because `Result` wants one.
struct ListRefusal: Error {
    let failure: DeviceListing.Failure
    /// The server refused it or was silent. Otherwise nothing was requested, and this says nothing about the next time.
    let isOfServer: Bool

    init(_ failure: DeviceListing.Failure, isOfServer: Bool = true) {
        (self.failure, self.isOfServer) = (failure, isOfServer)
    }
}

extension DeviceTable.List {
    func contains(_ device: OMEMODevice) -> Bool { devices.contains { $0.id == device } }

    fileprivate mutating func set(_ result: Result<OMEMODeviceList, ListRefusal>, origin: Origin) {
        switch result {
        case .success(let list):
            // Programs add a new device at the end, and those at the beginning are the most likely to be abandoned.
            devices = list.devices.suffix(EncryptionLimits.devices)
            omitted = list.devices.count - devices.count
            failure = nil
        case .failure(let refusal): (devices, omitted, failure) = ([], 0, refusal.failure)
        }
        failedRequests = 0
        nextRequest = nil
        self.origin = origin
    }
}
