internal import Synchronization

/// A store in a file: SQLite with a write-ahead log, one writer, and several readers that each see one moment.
///
/// What a transaction has written is on the disk when `write` returns; a crash at any instant leaves the store as it was
/// after one of its transactions. The file belongs to one program at a time.
public final class SQLiteStore: LocalStore {
    /// What was found when the file was opened.
    public struct OpeningReport: Sendable, Equatable {
        /// The file was not there before.
        public internal(set) var isNew = false
        /// The schema that the file had, if it was an older one.
        public internal(set) var migratedFrom: Int64?
        /// The last program that had it open did not close it. Nothing is lost by that; ``SQLiteStore/verify()`` tells
        /// whether the disk has kept everything.
        public internal(set) var wasNotClosed = false
        /// What was done because the file was damaged.
        public internal(set) var salvage: SalvageReport?
        /// The file or its folder cannot be written to, so the store only reads.
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

    /// The list, a timeline and a search can be read at the same time, and one more.
    private static let readerCount = 4
    /// Messages that are put into the search index at a time, unless another change comes.
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

    /// Opens a store, and makes it if it is not there.
    ///
    /// A file of an older schema is brought up to date, a damaged one is set aside and saved as far as it can be read;
    /// ``report`` tells. A file that cannot be written to is opened for reading.
    ///
    /// - Parameter maximumSize: how large the file may become, in bytes; the disk alone limits it otherwise.
    /// - Throws: `inUse` where another program has it open, `tooNew` where a newer version wrote it, `cannotOpen`,
    ///   `diskFull` and `system` as the disk makes it.
    public static func open(at path: String, maximumSize: Int64? = nil) async throws(StoreError) -> SQLiteStore {
        try await open(at: path, maximumSize: maximumSize, migrations: Migration.all)
    }

    static func open(
        at path: String, maximumSize: Int64?, migrations: [Migration]
    ) async throws(StoreError) -> SQLiteStore {
        // All of it may wait for the disk, so it is done on the writer's thread.
        let opening = Mutex<(report: OpeningReport, lock: StoreLock?, immutable: Bool)>((OpeningReport(), nil, false))
        let writer = StoreConnectionActor(label: "hongyan.store.writer") { () throws(StoreError) in
            let opened = try StoreOpening.open(path, maximumSize: maximumSize, migrations: migrations)
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
        pace.writerCame()
        var unindexed = 0
        defer { pace.writerWent(leaving: unindexed) }
        let written = try await writer.write { transaction throws(StoreError) in try body(transaction) }
        unindexed = written.unindexed
        observers.send(written.changes)
        if unindexed > 0 { startIndexing() }
        return written.result
    }

    public func changes() -> StoreChangeSequence { observers.add() }

    /// Lets what runs come to its end, joins the log to the file and lets go of both.
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

    /// Indexing goes on behind the messages, because it takes longer than keeping them; what is not indexed yet is found
    /// by reading it.
    private func startIndexing() {
        guard pace.start() else { return }
        let pace = pace
        Task(priority: .utility) { [weak self] in
            repeat {
                while let pause = pace.pause() { try? await Task.sleep(for: pause) }
                // A full disk stops it until the next change; the messages wait on.
                guard let self, let isComplete = try? await self.indexStep(urgent: false) else { return pace.stop() }
                if isComplete { return }
            } while true
        }
    }

    /// - Returns: whether the index is complete.
    private func indexStep(urgent: Bool) async throws(StoreError) -> Bool {
        let pace = pace
        let waiting = pace.waiting
        let more = try await writer.write { transaction throws(StoreError) in
            try transaction.indexWaiting(limit: Self.indexingBatch) { !urgent && pace.hasWriter }
        }
        guard !more.result, pace.complete(waiting) else { return false }
        // What a long sync has filled is given back, and so is a log that grew message by message.
        if waiting > Self.indexingBatch || StoreSettings.logBytes(of: path) > StoreSettings.quietLogBytes {
            try await writer.use { connection throws(StoreError) in
                connection.releaseMemory()
                // If it fails it stays as it is until the next sync or the end, which costs nothing but room.
                try? StoreSettings.emptyLog(of: connection)
            }
        }
        return true
    }

    /// Waits until every message is in the search index.
    public func finishSearchIndex() async throws(StoreError) {
        while try await !indexStep(urgent: true) {}
    }

    // MARK: Care

    /// Reads the whole file and tells what is wrong with it, in the words of SQLite; nothing if all is well. Takes
    /// seconds for a million messages and keeps nobody from working.
    ///
    /// A damaged file is salvaged when it is opened the next time; a search index that does not fit is made anew at once.
    public func verify() async throws(StoreError) -> [String] {
        let path = path
        let problems = try await readers[Self.readerCount - 1].use { connection throws(StoreError) in
            try StoreVerification.problems(in: connection)
        }
        if !problems.isEmpty { StoreVerification.mark(path) }
        return problems
    }

    /// Makes the search index anew from the messages.
    public func rebuildSearchIndex() async throws(StoreError) {
        _ = try await writer.write { transaction throws(StoreError) in try transaction.resetIndex() }
        startIndexing()
    }
}
