internal import Dispatch

/// One connection with its own queue: the writer, or one of the readers.
actor StoreConnectionActor {
    private let executor: QueueExecutor
    private var connection: SQLiteConnection?
    private let cache = ConnectionCache()
    private let open: @Sendable () throws(StoreError) -> SQLiteConnection
    private var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// - Parameter open: called on this actor's queue when the connection is first needed.
    init(label: String, open: @escaping @Sendable () throws(StoreError) -> SQLiteConnection) {
        executor = QueueExecutor(label: label)
        self.open = open
    }

    private func requireConnection() throws(StoreError) -> SQLiteConnection {
        if isClosed { throw StoreError(.closed, "The store was closed.") }
        if let connection { return connection }
        let opened = try open()
        connection = opened
        return opened
    }

    /// Uses the connection outside of a transaction.
    func use<Result: Sendable>(
        _ body: @Sendable (SQLiteConnection) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        try body(requireConnection())
    }

    func read<Result: Sendable>(
        _ body: @Sendable (any StoreReader) throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let connection = try requireConnection()
        return try connection.transaction(immediate: false) { () throws(StoreError) in
            cache.forgetSnapshot()
            return try body(SQLiteTransaction(connection, cache: cache))
        }
    }

    /// - Returns: the result of the closure, the changes, and the number of messages that were queued for the search
    ///   index.
    func write<Result: Sendable>(
        _ body: @Sendable (SQLiteTransaction) throws(StoreError) -> Result
    ) throws(StoreError) -> (result: Result, changes: StoreChanges, unindexed: Int) {
        let connection = try requireConnection()
        do throws(StoreError) {
            return try connection.transaction(immediate: true) { () throws(StoreError) in
                let transaction = SQLiteTransaction(connection, cache: cache)
                try transaction.beginRecording()
                let result = try body(transaction)
                try transaction.finish()
                try transaction.record()
                // Others, such as those of the search index, keep the size of the last messages.
                if transaction.unindexed > 0 {
                    connection.checkpointLog(ofPages: StoreSettings.logPages(adding: transaction.unindexed))
                }
                return (result, transaction.changes, transaction.unindexed)
            }
        } catch {
            // The cache can contain numbers that the failed transaction assigned.
            cache.removeAll()
            throw error
        }
    }

    /// - Parameter last: called with the connection, if there is one, before it is closed.
    func close(_ last: @Sendable (SQLiteConnection) throws(StoreError) -> Void = { _ throws(StoreError) in }) {
        isClosed = true
        if let connection { try? last(connection) }
        connection = nil
    }
}

/// Runs an actor on its own queue, so that waiting for the disk does not block a thread of Swift's pool.
final class QueueExecutor: SerialExecutor {
    private let queue: DispatchQueue

    init(label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
}
