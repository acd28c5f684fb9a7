internal import Synchronization

/// A store in a file: SQLite with a write-ahead log, one writer, and several readers that each see a snapshot.
///
/// A transaction is durable when `write` returns. After a crash the store is in the state after one of its
/// transactions. Only one program can write the file; others can read it beside that one.
public final class SQLiteStore: LocalStore {
    /// What opening the file found.
    public struct OpeningReport: Sendable, Equatable {
        /// The file was created.
        public internal(set) var isNew = false
        /// The previous schema version, if the file was migrated.
        public internal(set) var migratedFrom: Int64?
        /// The last program did not close the store. Nothing is lost by that; ``SQLiteStore/verify()`` checks whether
        /// the file is undamaged.
        public internal(set) var wasNotClosed = false
        /// The result of recovering a damaged file.
        public internal(set) var salvage: SalvageReport?
        /// The store is read-only, because the file or its folder is not writable, or because another program has it open.
        public internal(set) var isReadOnly = false
    }

    public let path: String
    public let report: OpeningReport

    private let writer: StoreConnectionActor
    private let readers: [StoreConnectionActor]
    private let load: Mutex<[Int]>
    private let observers = StoreObservers()
    private let lock: StoreLock?
    private let pace = IndexingPace()

    /// The list, a timeline and a search can be read at the same time, and one more query.
    private static let readerCount = 4
    /// Messages that are indexed in one transaction, unless another change interrupts it.
    private static let indexingBatch = 4096

    private init(
        path: String, report: OpeningReport, writer: StoreConnectionActor, lock: StoreLock?, immutable: Bool
    ) {
        self.path = path
        self.report = report
        self.writer = writer
        self.lock = lock
        readers = (0..<Self.readerCount).map { number in
            StoreConnectionActor(label: "hongyan.store.reader\(number)") { () throws(StoreError) in
                try StoreSettings.reader(path: path, mode: immutable ? .immutable : .readOnly)
            }
        }
        load = Mutex(Array(repeating: 0, count: Self.readerCount))
    }

    /// Opens a store, or creates it.
    ///
    /// A file with an older schema is migrated. A damaged file is renamed, and a new one is created with everything
    /// that can be read; see ``report``. A file that is not writable is opened read-only.
    ///
    /// - Parameters:
    ///   - maximumSize: the maximum size of the file in bytes; `nil` is limited by the disk only.
    ///   - isShared: whether a file that another program has open is opened read-only; what that program writes is visible in
    ///     the next transaction.
    /// - Throws: `inUse` if another program has it open (with `isShared`, only while it creates or migrates the file), `tooNew` if
    ///   a newer version wrote it, `cannotOpen`, `diskFull` or `system` on an error of the file system.
    public static func open(
        at path: String, maximumSize: Int64? = nil, isShared: Bool = false
    ) async throws(StoreError) -> SQLiteStore {
        try await open(at: path, maximumSize: maximumSize, isShared: isShared, migrations: Migration.all)
    }

    /// The number of the process that has the store open, or had it open last; `nil` if that is unknown.
    public static func holder(of path: String) -> Int32? { StoreLock.holder(of: path) }

    static func open(
        at path: String, maximumSize: Int64?, isShared: Bool = false, migrations: [Migration]
    ) async throws(StoreError) -> SQLiteStore {
        // Opening may wait for the disk, so it runs on the writer's thread.
        let opening = Mutex<(report: OpeningReport, lock: StoreLock?, immutable: Bool)>((OpeningReport(), nil, false))
        let writer = StoreConnectionActor(label: "hongyan.store.writer") { () throws(StoreError) in
            let opened = try StoreOpening.open(
                path, maximumSize: maximumSize, isShared: isShared, migrations: migrations)
            opening.withLock { $0 = (opened.report, opened.lock, opened.isImmutable) }
            return opened.connection
        }
        try await writer.use { _ throws(StoreError) in }
        let (report, lock, immutable) = opening.withLock { $0 }
        let store = SQLiteStore(path: path, report: report, writer: writer, lock: lock, immutable: immutable)
        if !report.isReadOnly { store.startIndexing() }
        return store
    }

    public func read<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreReader) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        let index = load.withLock { load in
            let index = load.indices.min { load[$0] < load[$1] } ?? 0
            load[index] += 1
            return index
        }
        defer { load.withLock { $0[index] -= 1 } }
        return try await readers[index].read(body)
    }

    public func write<Result: Sendable>(
        _ body: @escaping @Sendable (any StoreWriter) throws(StoreError) -> Result
    ) async throws(StoreError) -> Result {
        pace.writeBegan()
        var unindexed = 0
        defer { pace.writeEnded(leaving: unindexed) }
        let written = try await writer.write { transaction throws(StoreError) in try body(transaction) }
        unindexed = written.unindexed
        observers.send(written.changes)
        if unindexed > 0 { startIndexing() }
        return written.result
    }

    public func changes() -> StoreChangeSequence { observers.add() }

    /// Waits for running transactions, checkpoints the log and closes the file.
    public func close() async {
        for reader in readers { await reader.close() }
        await writer.close { connection throws(StoreError) in
            try connection.run("INSERT OR REPLACE INTO properties (name, value) VALUES ('closed', 1)")
            try connection.execute("PRAGMA optimize")
        }
        observers.finish()
        lock?.release()
    }

    // MARK: Search index

    /// Messages are indexed after they are stored, because indexing takes longer; messages that are not indexed yet are
    /// found by scanning.
    private func startIndexing() {
        guard pace.start() else { return }
        let pace = pace
        Task(priority: .utility) { [weak self] in
            repeat {
                while let delay = pace.delay() { try? await Task.sleep(for: delay) }
                // A full disk stops indexing until the next change; the messages remain queued.
                guard let self, let isComplete = try? await self.indexStep(urgent: false) else { return pace.stop() }
                if isComplete { return }
            } while true
        }
    }

    /// - Returns: `true` if the index is complete.
    private func indexStep(urgent: Bool) async throws(StoreError) -> Bool {
        let pace = pace
        let waiting = pace.waiting
        let more = try await writer.write { transaction throws(StoreError) in
            try transaction.indexWaiting(limit: Self.indexingBatch) { !urgent && pace.hasWriter }
        }
        guard !more.result, pace.complete(waiting) else { return false }
        // After a long synchronisation the page cache is released; a log that grew message by message is truncated as
        // well.
        if waiting > Self.indexingBatch || StoreSettings.logBytes(of: path) > StoreSettings.quietLogBytes {
            try await writer.use { connection throws(StoreError) in
                connection.releaseMemory()
                // A failure only leaves the log as large as it is until the next synchronisation or the end of the
                // program.
                try? StoreSettings.emptyLog(of: connection)
            }
        }
        return true
    }

    /// Waits until every message is in the search index.
    public func finishSearchIndex() async throws(StoreError) {
        while try await !indexStep(urgent: true) {}
    }

    // MARK: Verification

    /// Reads the whole file and returns the problems that SQLite reports; empty if the file is intact. Takes seconds
    /// for a million messages and does not block other operations.
    ///
    /// A damaged file is recovered the next time it is opened; an inconsistent search index is rebuilt immediately.
    public func verify() async throws(StoreError) -> [String] {
        let path = path
        let problems = try await readers[Self.readerCount - 1].use { connection throws(StoreError) in
            try StoreVerification.problems(in: connection)
        }
        if !problems.isEmpty { StoreVerification.mark(path) }
        return problems
    }

    /// Rebuilds the search index from the messages.
    package func rebuildSearchIndex() async throws(StoreError) {
        _ = try await writer.write { transaction throws(StoreError) in try transaction.resetIndex() }
        startIndexing()
    }
}
