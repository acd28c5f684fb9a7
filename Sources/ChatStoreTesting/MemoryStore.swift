public import ChatStore

/// A store without a file, for tests: what it contains ends with it. The rules about messages are those of `SQLiteStore`.
public final class MemoryStore: LocalStore {
    private let keeper = Keeper()
    private let observers = StoreObservers()

    private actor Keeper {
        private var state = MemoryState()
        private var isClosed = false

        func read<Result: Sendable>(
            _ body: @Sendable (any StoreReader) throws(StoreError) -> Result
        ) throws(StoreError) -> Result {
            if isClosed { throw StoreError(.closed, "The store was closed.") }
            return try body(MemoryTransaction(state))
        }

        func write<Result: Sendable>(
            _ body: @Sendable (any StoreWriter) throws(StoreError) -> Result
        ) throws(StoreError) -> (Result, StoreChanges) {
            if isClosed { throw StoreError(.closed, "The store was closed.") }
            let transaction = MemoryTransaction(state)
            let result = try body(transaction)
            state = transaction.state
            return (result, transaction.changes)
        }

        func close() {
            isClosed = true
            state = MemoryState()
        }
    }

    public init() {}

    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        try await keeper.read(body)
    }

    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let (result, changes) = try await keeper.write(body)
        observers.send(changes)
        return result
    }

    public func changes() -> StoreChangeSequence { observers.add() }

    public func close() async {
        await keeper.close()
        observers.finish()
    }
}
