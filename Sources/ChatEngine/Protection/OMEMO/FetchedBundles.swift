internal import ChatStore
internal import EndToEndEncryption
internal import OMEMO
internal import Synchronization
internal import XMPPAddress

/// The bundles of devices with which a session will begin, as last requested.
final class FetchedBundles: Sendable {
    /// The answer to a request for a bundle.
    private struct Answer {
        let result: Result<VerifiedBundle, ProtectionError>
        /// In seconds since 1970.
        let time: Int64
    }

    /// The seconds for which an answer can be used: a later one may have other one-time keys.
    private static let lifetime: Int64 = 600

    private let answers = Mutex<[PeerDevice: Answer]>([:])
    private let now: @Sendable () -> MessageTime

    init(now: @escaping @Sendable () -> MessageTime) { self.now = now }

    private var seconds: Int64 { now().millisecondsSince1970 / 1000 }

    /// The answer of the server; `nil` if it was not asked.
    func result(for device: PeerDevice) -> Result<VerifiedBundle, ProtectionError>? {
        answers.withLock { $0[device]?.result }
    }

    func bundle(of device: PeerDevice) -> VerifiedBundle? { try? result(for: device)?.get() }

    /// Requests the bundles of devices that are not here, each in the newest generation in which there is one.
    func fetch(_ missing: [AnnouncedPeer], from directory: any KeyDirectory) async {
        await withDiscardingTaskGroup { group in
            for peer in missing {
                group.addTask {
                    for generation in peer.generations {
                        let device = peer.peer(in: generation)
                        if self.isFresh(device) { return }
                        let result: Result<VerifiedBundle, ProtectionError>
                        do throws(ProtectionError) {
                            result = .success(try await directory.bundle(of: device))
                        } catch {
                            result = .failure(error)
                        }
                        self.store(result, of: device)
                        if case .success = result { return }
                        if case .failure(let error) = result, error.isTemporary { return }
                    }
                }
            }
        }
    }

    /// A session has begun with the bundle, which must not be used for another one.
    func used(_ device: PeerDevice) { answers.withLock { $0[device] = nil } }

    func forget(_ address: JID) { answers.withLock { $0 = $0.filter { $0.key.address != address } } }

    private func isFresh(_ device: PeerDevice) -> Bool {
        guard let known = answers.withLock({ $0[device] }), case .success = known.result else { return false }
        return abs(seconds - known.time) < Self.lifetime
    }

    private func store(_ result: Result<VerifiedBundle, ProtectionError>, of device: PeerDevice) {
        let seconds = seconds
        answers.withLock { answers in
            if answers.count >= EncryptionLimits.failures {
                answers = answers.filter { abs(seconds - $0.value.time) < Self.lifetime }
                if answers.count >= EncryptionLimits.failures { answers = [:] }
            }
            answers[device] = Answer(result: result, time: seconds)
        }
    }
}
