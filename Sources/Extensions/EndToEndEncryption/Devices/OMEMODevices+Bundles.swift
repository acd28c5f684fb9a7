public import MessageSemantics
public import OMEMO
internal import PublishSubscribe
import Waiting
internal import XMPPAddress
internal import XMPPClient
internal import XMPPStream

/// A device in the generation in which something is encrypted for it.
public struct BundleAddress: Sendable, Hashable {
    public let device: DeviceAddress
    public let generation: OMEMOGeneration

    public init(_ device: DeviceAddress, _ generation: OMEMOGeneration) {
        (self.device, self.generation) = (device, generation)
    }
}

extension OMEMODevices {
    /// The bundle of a device with a verified signature, requested from the account's server.
    ///
    /// Request it only when a session is about to be started, because its one-time keys are used up (XEP-0384 §6). A failure is
    /// remembered, and thrown again without a request until its backoff has passed.
    ///
    /// - Throws: with `bundleMissing`, `bundleDamaged`, `keysForbidden` or `unreachable`, and the device as the only recipient.
    public func bundle(_ address: BundleAddress) async throws(ProtectionError) -> VerifiedBundle {
        if let error = failures.error(of: address, now: clock.now()) { throw error }
        do throws(BundleFailure) {
            let bundle = try await requestBundle(address)
            failures.succeeded(address)
            table.identified(address.device, bundle.identityKey)
            return bundle
        } catch {
            let reason = error.protectionError(address)
            if error.isRemembered { failures.failed(address, reason, now: clock.now()) }
            throw reason
        }
    }

    /// The bundles of several devices, requested side by side. One that cannot be had does not affect the others.
    public nonisolated func bundles(
        _ addresses: [BundleAddress]
    ) async -> [BundleAddress: Result<VerifiedBundle, ProtectionError>] {
        typealias Outcome = Result<VerifiedBundle, ProtectionError>
        return await withTaskGroup(of: (BundleAddress, Outcome).self) { group in
            for address in Set(addresses) {
                group.addTask {
                    do throws(ProtectionError) {
                        return (address, .success(try await self.bundle(address)))
                    } catch {
                        return (address, .failure(error))
                    }
                }
            }
            var results: [BundleAddress: Outcome] = [:]
            for await (address, result) in group { results[address] = result }
            return results
        }
    }

    private func requestBundle(_ address: BundleAddress) async throws(BundleFailure) -> VerifiedBundle {
        let (device, generation) = (address.device.device, address.generation)
        let node = generation.bundlesNode(of: device)
        let request =
            generation == .current
            ? ItemsRequest(node: node, ids: [device.description]) : ItemsRequest(node: node, maximum: 1)
        let items: [PublishedItem]
        do throws(ClientError) {
            items = try await self.items(request, of: address.device.account)
        } catch {
            throw BundleFailure(error)
        }
        // All bundles of the current generation are in one node: the item's id says whose it is.
        let item = generation == .current ? items.last { $0.id == device.description } : items.last
        guard let payload = item?.payload else { throw BundleFailure(.missing) }
        do {
            let bundle = try OMEMOBundle(from: payload)
            guard bundle.generation == generation else { throw OMEMOError(.malformed) }
            return try bundle.verified(using: cryptography)
        } catch {
            throw BundleFailure(.damaged, error)
        }
    }
}

/// Why a bundle could not be had.
struct BundleFailure: Error {
    enum Kind {
        case missing, forbidden, damaged, unreachable
        /// Nothing was requested; this says nothing about the device.
        case offline
    }

    let kind: Kind
    let cause: (any Error)?

    init(_ kind: Kind, _ cause: (any Error)? = nil) { (self.kind, self.cause) = (kind, cause) }

    init(_ error: ClientError) {
        cause = error
        switch error.reading {
        case .missing: kind = .missing
        case .forbidden: kind = .forbidden
        case .damaged: kind = .damaged
        case .unreachable: kind = error.isOfServer ? .unreachable : .offline
        }
    }

    var isRemembered: Bool { kind != .offline }

    func protectionError(_ address: BundleAddress) -> ProtectionError {
        let (code, text): (ProtectionError.Code, String) =
            switch kind {
            case .missing: (.bundleMissing, "The device has not published its keys.")
            case .forbidden: (.keysForbidden, "The keys of the device are not public.")
            case .damaged: (.bundleDamaged, "The keys of the device cannot be used.")
            case .unreachable, .offline: (.unreachable, "The keys of the device cannot be requested now.")
            }
        return ProtectionError(
            code, text, scheme: address.generation.namespace,
            recipients: [.init(address.device.account, device: address.device.device.description, code)],
            isTemporary: code == .unreachable, cause: cause)
    }
}

/// Bundles that could not be had, so that none is requested for each message.
struct BundleFailures {
    private struct Entry {
        var count: Int
        var next: ContinuousInstant
        var error: ProtectionError
    }

    private var entries: [BundleAddress: Entry] = [:]
    private let limit: Int

    init(limit: Int = EncryptionLimits.failures) { self.limit = limit }

    var count: Int { entries.count }

    /// The failure that still counts.
    func error(of address: BundleAddress, now: ContinuousInstant) -> ProtectionError? {
        entries[address].flatMap { now < $0.next ? $0.error : nil }
    }

    mutating func failed(_ address: BundleAddress, _ error: ProtectionError, now: ContinuousInstant) {
        let count = (entries[address]?.count ?? 0) + 1
        if entries[address] == nil, entries.count >= limit {
            entries = entries.filter { now < $0.value.next }
            // All still count, which happens only under attack.
            if entries.count >= limit { entries.removeAll() }
        }
        let next = now.advanced(by: EncryptionLimits.retry.pause(after: count))
        entries[address] = Entry(count: count, next: next, error: error)
    }

    mutating func succeeded(_ address: BundleAddress) { entries[address] = nil }

    /// The account may have published other keys since.
    mutating func forget(_ account: JID) {
        guard !entries.isEmpty else { return }
        entries = entries.filter { $0.key.device.account != account }
    }
}
