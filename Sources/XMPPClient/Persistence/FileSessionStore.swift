import Dispatch
import Synchronization
import Waiting
public import XMLStreaming
public import XMPPStream

/// A session store in one file, for bots and other programs without a database.
///
/// The file is a journal: each change is appended with a checksum and made durable, and from time to time the whole is
/// rewritten beside it and moved over it. Whenever the process or the machine dies, the next start finds the last
/// change that was committed. Only the owner can read the file, and one store at a time has it open.
///
/// Stanzas that the program must not lose can be kept until it has finished with them:
///
///     let store = try FileSessionStore(path: "/var/lib/bot/session") { stanza in
///         (try? Message(from: stanza))?.isMessageWithBody == true
///     }
///     configuration.store = store
///     try await Client(configuration).run { session in
///         for await received in store.inbox {
///             print(received.stanza)
///             try await store.finish(received)      // never comes again, not even in the next process
///         }
///     }
public final class FileSessionStore: SessionStore {
    /// A stanza that was received and is kept until it is finished.
    public struct Received: Sendable {
        /// Grows from one stanza to the next, also across processes.
        public let number: UInt64
        public let stanza: XMLElement
    }

    private struct Inner: ~Copyable {
        var file: JournalFile
        var journal: SessionJournal
        /// Opened with the next change, for a program that waits for the next stanza.
        var change = Gate()
        var isEnded = false
        var failure: ClientError?
    }

    /// The size from which the journal is compacted when most of its records are obsolete.
    static let compactionSize = 64 * 1024
    /// The maximum ratio of the size of the journal to the size of its content.
    static let compactionFactor = 4

    private let inner: Mutex<Inner>
    private let isKept: @Sendable (XMLElement) -> Bool
    /// Waiting for a disk would hold up a thread that others share.
    private let queue = DispatchQueue(label: "session store")

    /// Opens the file, or makes it; the folder must exist.
    ///
    /// - Parameters:
    ///   - keeping: Which stanzas are kept for ``inbox``; by default none, for programs that look at ``Session/events(_:limit:)``
    ///     alone.
    /// - Throws: ``ClientError`` with `storeFailed` if the file cannot be used, belongs to another user, is in use or is
    ///   no journal.
    public init(
        path: String, keeping isKept: @escaping @Sendable (XMLElement) -> Bool = { _ in false }
    ) throws(ClientError) {
        let file = try JournalFile(path: path)
        guard var journal = SessionJournal(reading: try file.readAll()) else {
            throw ClientError(.storeFailed, "\(path) is not the journal of a session.")
        }
        if journal.byteCount < SessionJournal.header.count {
            try file.truncate(to: 0)
            try file.append(SessionJournal.header, at: 0)
            journal.rewritten(byteCount: SessionJournal.header.count)
        } else {
            try file.truncate(to: journal.byteCount)
        }
        self.isKept = isKept
        inner = Mutex(Inner(file: file, journal: journal))
    }

    /// Lets the file go, so that another store can open it. Every commit after it fails; without it the file is let go
    /// soon after the store itself is.
    public func close() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                inner.withLock { $0.file.letGo() }
                continuation.resume()
            }
        }
    }

    // MARK: The session's part

    public func loadSession() async throws -> SavedSession? {
        inner.withLock { inner in
            inner.isEnded = false
            return inner.journal.content.resumption.map { SavedSession(resumption: $0) }
        }
    }

    public func commit(_ change: SessionChange) async throws {
        let received = change.received.map(\.element).filter(isKept).map(\.description)
        try await write { journal in
            .change(
                journal.change(to: change.resumption), received: received, unacknowledged: change.unacknowledged)
        }
        if !received.isEmpty { wake() }
    }

    public func sessionEnded() async {
        inner.withLock { $0.isEnded = true }
        wake()
    }

    // MARK: The program's part

    /// The stanzas that are not finished, oldest first: those that an earlier process left, then new ones as they come.
    /// Ends with the session, and when the task is cancelled.
    public var inbox: Inbox { Inbox(store: self) }

    /// The stanzas that are not finished, oldest first.
    public var received: [Received] {
        inner.withLock { $0.journal.content.received }.compactMap { Self.received($0) }
    }

    /// The program has done with a stanza.
    public func finish(_ stanza: Received) async throws(ClientError) {
        try await write { _ in .finished(stanza.number) }
    }

    /// Own stanzas of sessions that are gone, of which it is not known whether they arrived, oldest first.
    public var unacknowledged: [UnacknowledgedStanza] { inner.withLock { $0.journal.content.unacknowledged } }

    /// The program has decided about them.
    public func forgetUnacknowledged() async throws(ClientError) {
        try await write { _ in .unacknowledgedTaken }
    }

    /// The stanzas that are not finished, as they come.
    public struct Inbox: AsyncSequence, Sendable {
        public typealias Element = Received
        public typealias Failure = Never

        let store: FileSessionStore

        public struct AsyncIterator: AsyncIteratorProtocol {
            let store: FileSessionStore
            var last: UInt64 = 0

            public mutating func next() async -> Received? {
                await next(isolation: nil)
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async -> Received? {
                guard let received = await store.next(after: last) else { return nil }
                last = received.number
                return received
            }
        }

        public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(store: store) }
    }

    // MARK: Writing

    /// Appends a record; the caller waits until it is durable.
    private func write(
        _ make: @escaping @Sendable (SessionJournal) -> SessionJournal.Record
    ) async throws(ClientError) {
        let result: Result<Void, ClientError> = await withCheckedContinuation { continuation in
            queue.async { [self] in
                continuation.resume(
                    returning: inner.withLock { inner in
                        do throws(ClientError) {
                            try Self.write(make(inner.journal), to: &inner)
                            return .success(())
                        } catch {
                            inner.failure = error
                            return .failure(error)
                        }
                    })
            }
        }
        try result.get()
    }

    private static func write(_ record: SessionJournal.Record, to inner: inout Inner) throws(ClientError) {
        // The effect of a failed write is unknown, so nothing may be appended after it.
        if let failure = inner.failure { throw failure }
        let bytes: [UInt8]
        do {
            bytes = try SessionJournal.bytes(of: record)
        } catch {
            throw ClientError(.storeFailed, "The session could not be put into bytes.", cause: error)
        }
        try inner.file.append(bytes, at: inner.journal.byteCount)
        inner.journal.append(record, byteCount: bytes.count)
        if inner.journal.byteCount > compactionSize, let whole = try? inner.journal.file(),
            inner.journal.byteCount > whole.count * compactionFactor
        {
            try inner.file.replace(with: whole)
            inner.journal.rewritten(byteCount: whole.count)
        }
    }

    // MARK: Waiting

    private func next(after number: UInt64) async -> Received? {
        while true {
            let (found, isEnded, change) = inner.withLock { inner in
                (inner.journal.content.received.first { $0.number > number }, inner.isEnded, inner.change)
            }
            if let found {
                if let received = Self.received(found) { return received }
                return await next(after: found.number)
            }
            if isEnded || Task.isCancelled { return nil }
            await change.wait()
        }
    }

    private func wake() {
        inner.withLock { inner in
            inner.change.open()
            inner.change = Gate()
        }
    }

    private static func received(_ stored: SessionJournal.Received) -> Received? {
        // A parsed stanza can exceed the limits of the parser when it is written again, with each namespace declared
        // where it is used.
        guard let stanza = try? XMLElement(parsing: stored.stanza, limits: .unlimited) else { return nil }
        return Received(number: stored.number, stanza: stanza)
    }
}
