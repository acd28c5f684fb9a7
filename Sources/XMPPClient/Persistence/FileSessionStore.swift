import Dispatch
import Foundation
import Synchronization
import Waiting
public import XMLStreaming
public import XMPPAddress
public import XMPPStream

/// A session store in one file, for bots and other programs without a database.
///
/// The file is a journal: each change is appended with a checksum and made durable, and from time to time the complete
/// state is written to a new file that replaces it. If the process or the machine stops at any time, the next start
/// finds the last committed change. Only the owner can read the file, and only one store can open it at a time.
///
/// Stanzas that must not be lost can be stored until the program has finished processing them:
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
///
/// With the extension `ArchiveCatchUp` the inbox also gets what the server stored in the archive while no session could be
/// resumed, each message once.
public final class FileSessionStore: SessionStore, CatchUpStore {
    /// A received stanza that is stored until it is finished.
    public struct Received: Sendable {
        /// Increases from one stanza to the next, also across processes.
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
    /// Blocking for the disk would occupy a thread of the shared pool.
    private let queue = DispatchQueue(label: "session store")

    /// Opens or creates the file; the folder must exist.
    ///
    /// - Parameters:
    ///   - keeping: Selects the stanzas to store for ``inbox``; by default none, for programs that only use
    ///     ``Session/events(_:limit:file:line:)``.
    /// - Throws: ``ClientError`` with `storeFailed` if the file cannot be used, belongs to another user, is in use or
    ///   is not a journal.
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

    /// Closes the file, so that another store can open it. Every later commit fails; without this call the file is
    /// closed soon after the store is released.
    public func close() async {
        await queue.run { [self] in inner.withLock { $0.file.closeFile() } }
    }

    // MARK: For the session

    public func loadSession() async throws -> SavedSession? {
        inner.withLock { inner in
            inner.isEnded = false
            return inner.journal.content.resumption.map { SavedSession(resumption: $0) }
        }
    }

    public func commit(_ change: SessionChange) async throws {
        let stanzas = change.received.map(\.element)
        try await write { [isKept] journal in
            let state = journal.change(to: change.resumption)
            let known = journal.content.archive
            let (new, step) = Self.archive(stanzas, known, isSameSession: state.continuesSession)
            return .change(
                state, received: new.filter(isKept).map(\.description), unacknowledged: change.unacknowledged,
                archive: step)
        }
        if !stanzas.isEmpty { wake() }
    }

    /// The live stanzas that did not come from the archive before, and what they change in the knowledge of it.
    private static func archive(
        _ stanzas: [XMLElement], _ known: SessionJournal.ArchiveProgress?, isSameSession: Bool
    ) -> ([XMLElement], SessionJournal.ArchiveStep?) {
        guard let known, let account = try? JID(known.account) else { return (stanzas, nil) }
        var step = SessionJournal.ArchiveStep()
        // Between two sessions messages may have been missed.
        if !isSameSession, known.isComplete { step.isComplete = false }
        let follows = isSameSession && known.isComplete
        let ids = Set(known.ids)
        let new = stanzas.filter { stanza in
            guard let id = ArchiveMark.id(of: stanza, in: account) else { return true }
            if follows { step.mark = ArchiveMark(id: id, stamp: Date().formatted(.iso8601)) }
            guard !ids.contains(id) else { return false }
            step.ids.append(id)
            return true
        }
        return (new, step == SessionJournal.ArchiveStep() ? nil : step)
    }

    public func sessionEnded() async {
        inner.withLock { $0.isEnded = true }
        wake()
    }

    // MARK: For the program

    /// The unfinished stanzas, oldest first: those of an earlier process, then new ones as they arrive. Ends with the
    /// session, and when the task is cancelled.
    public var inbox: Inbox { Inbox(store: self) }

    /// The unfinished stanzas, oldest first.
    public var received: [Received] {
        inner.withLock { $0.journal.content.received }.compactMap { Self.received($0) }
    }

    /// The program has finished processing a stanza.
    public func finish(_ stanza: Received) async throws(ClientError) {
        try await write { _ in .finished(stanza.number) }
    }

    /// Our stanzas of lost sessions for which it is unknown whether they arrived, oldest first.
    public var unacknowledged: [UnacknowledgedStanza] { inner.withLock { $0.journal.content.unacknowledged } }

    /// The program has decided whether to send them again.
    public func forgetUnacknowledged() async throws(ClientError) {
        try await write { _ in .unacknowledgedTaken }
    }

    /// The unfinished stanzas, as they arrive.
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

    // MARK: For catching up with the archive

    public func beginCatchUp(of account: JID) async throws -> CatchUpState {
        let known = inner.withLock { $0.journal.content.archive }
        if let known, known.account == account.bare.description {
            return CatchUpState(mark: known.mark, isComplete: known.isComplete)
        }
        try await write { _ in .archived(.init(account: account.bare.description), received: []) }
        return CatchUpState(mark: nil, isComplete: false)
    }

    public func commit(archived: [CatchUpMessage], through mark: ArchiveMark?, isComplete: Bool) async throws {
        try await write { [isKept] journal in
            let known = Set(journal.content.archive?.ids ?? [])
            let new = archived.filter { !known.contains($0.id) }
            return .archived(
                .init(mark: mark, isComplete: isComplete, ids: new.map(\.id)),
                received: new.map(\.stanza).filter(isKept).map(\.description))
        }
        if !archived.isEmpty { wake() }
    }

    // MARK: Writing

    /// Appends a record; the caller waits until it is durable.
    private func write(
        _ make: @escaping @Sendable (SessionJournal) -> SessionJournal.Record
    ) async throws(ClientError) {
        let result: Result<Void, ClientError> = await queue.run { [self] in
            inner.withLock { inner in
                do throws(ClientError) {
                    try Self.write(make(inner.journal), to: &inner)
                    return .success(())
                } catch {
                    inner.failure = error
                    return .failure(error)
                }
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
