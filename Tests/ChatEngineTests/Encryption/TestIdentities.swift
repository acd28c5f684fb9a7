import Synchronization

@testable import ChatEngine

/// A keyring of one account, in memory.
final class TestIdentities: OMEMOIdentities {
    private let secret: Mutex<[UInt8]?>

    init(_ seed: [UInt8]? = nil) { secret = Mutex(seed) }

    func seed() async throws -> [UInt8]? { secret.withLock { $0 } }

    func save(_ seed: [UInt8]) async throws { secret.withLock { $0 = seed } }
}
