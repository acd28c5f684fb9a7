import ChatStore
import Synchronization

/// Counts the transactions of another store.
final class CountingStore: LocalStore {
    private let store: any LocalStore
    private let counts = Mutex((reads: 0, writes: 0))

    var reads: Int { counts.withLock { $0.reads } }
    var writes: Int { counts.withLock { $0.writes } }

    init(_ store: any LocalStore) { self.store = store }

    func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        counts.withLock { $0.reads += 1 }
        return try await store.read(body)
    }

    func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        counts.withLock { $0.writes += 1 }
        return try await store.write(body)
    }

    func changes() -> StoreChangeSequence { store.changes() }

    func close() async { await store.close() }
}
