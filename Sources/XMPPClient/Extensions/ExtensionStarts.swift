import Waiting

/// Starts the extensions of a session: concurrently except for their declared order, and again with the next connection
/// if a lost connection interrupted them.
struct ExtensionStarts {
    /// The starts with one connection.
    final class Round: Sendable {
        /// Opened when an extension has started, or releases those that start after it.
        private let gates: [ObjectIdentifier: Gate]
        /// Opened when the round is over: all extensions have started, or there is another connection.
        let isOver = Gate()

        init(_ keys: some Sequence<ObjectIdentifier>) {
            gates = Dictionary(keys.map { ($0, Gate()) }, uniquingKeysWith: { first, _ in first })
        }

        /// Returns when the extension releases others; at once if there is no extension of that type.
        func wait(for key: ObjectIdentifier) async { await gates[key]?.wait() }

        func release(_ key: ObjectIdentifier) { gates[key]?.open() }
    }

    /// The start of one extension.
    final class Start: Sendable {
        private let key: ObjectIdentifier
        private let round: Round

        init(of key: ObjectIdentifier, in round: Round) { (self.key, self.round) = (key, round) }

        /// The extensions that start after this one may begin.
        func release() { round.release(key) }
    }

    /// Extensions that have not started with the present session.
    private var owed: Set<ObjectIdentifier> = []
    /// An extension starts once at a time: the start with an earlier connection ends before the next one begins.
    private var locks: [ObjectIdentifier: AsyncLock] = [:]
    private(set) var round: Round?

    /// A new session began: the server has forgotten everything announced before.
    mutating func sessionBegan(_ extensions: [any SessionExtension]) {
        owed = Set(extensions.map { ObjectIdentifier(type(of: $0)) })
    }

    /// Another connection is online; starts that were not completed with the previous one are aborted.
    mutating func begin(_ extensions: [any SessionExtension]) -> Round {
        round?.isOver.open()
        let keys = extensions.map { ObjectIdentifier(type(of: $0)) }
        for key in keys where locks[key] == nil { locks[key] = AsyncLock() }
        let round = Round(keys)
        self.round = round
        return round
    }

    /// An extension was added to the current session: its start is owed.
    mutating func join(_ key: ObjectIdentifier) {
        owed.insert(key)
        if locks[key] == nil { locks[key] = AsyncLock() }
    }

    /// An extension was removed.
    mutating func leave(_ key: ObjectIdentifier) { owed.remove(key) }

    func lock(of key: ObjectIdentifier) -> AsyncLock? { locks[key] }

    func isOwed(_ key: ObjectIdentifier) -> Bool { owed.contains(key) }

    mutating func started(_ key: ObjectIdentifier) { owed.remove(key) }

    /// The types of extensions that wait for each other, if there are any.
    static func cycle(in extensions: [any SessionExtension]) -> [any SessionExtension]? {
        var left = extensions
        while !left.isEmpty {
            let keys = Set(left.map { ObjectIdentifier(type(of: $0)) })
            let waiting = left.filter { $0.startsAfter.contains { keys.contains(ObjectIdentifier($0)) } }
            if waiting.count == left.count { return left }
            left = waiting
        }
        return nil
    }
}

extension Session {
    /// Lets the extensions begin that start after the calling one, because the stanzas that they must not overtake were
    /// sent. Without this call they begin when the start returns; outside of a start it has no effect.
    public nonisolated func releaseFollowers() { SessionContext.start?.release() }

    /// Starts the extensions, broadcasts the presence again if an earlier session did so, and starts the closure of the
    /// program.
    func start(_ round: ExtensionStarts.Round) async {
        let extensions = extensionTable.all
        // Nothing has to be waited for.
        guard !extensions.isEmpty else {
            round.isOver.open()
            return await letProgramBegin(round)
        }
        await withDiscardingTaskGroup { group in
            group.addTask {
                await withDiscardingTaskGroup { starts in
                    for entry in extensions { starts.addTask { await self.start(entry, in: round) } }
                }
                round.isOver.open()
            }
            let due = clock.now().advanced(by: configuration.startTimeout)
            group.addTask { [clock] in
                await withTaskGroup(of: Void.self) { first in
                    first.addTask { await round.isOver.wait() }
                    first.addTask { await clock.sleep(due) }
                    await first.next()
                    first.cancelAll()
                }
                await self.letProgramBegin(round)
            }
            await round.isOver.wait()
            // The requests of an aborted start are cancelled; the next start sends them again.
            if !isCurrent(round) { group.cancelAll() }
        }
    }

    /// Starts one extension, unless it is removed before.
    nonisolated func start(_ entry: ExtensionTable.Entry, in round: ExtensionStarts.Round) async {
        await entry.work.run { await self.start(entry.instance, in: round) }
        round.release(entry.key)
    }

    private func start(_ instance: any SessionExtension, in round: ExtensionStarts.Round) async {
        let key = ObjectIdentifier(type(of: instance))
        defer { round.release(key) }
        for kind in instance.startsAfter { await round.wait(for: ObjectIdentifier(kind)) }
        guard let lock = starts.lock(of: key), await lock.enter() else { return }
        defer { lock.leave() }
        guard isCurrent(round) else { return }
        do {
            try await SessionContext.$start.withValue(ExtensionStarts.Start(of: key, in: round)) {
                try await instance.sessionStarted(self, isResumed: !starts.isOwed(key))
            }
        } catch {
            guard starts.round === round else { return }
            emit(.extensionFailed(String(describing: type(of: instance)), error))
            flushEvents()
        }
        // Otherwise the connection was lost meanwhile, and the later start does everything.
        if isCurrent(round) { starts.started(key) }
    }

    private func letProgramBegin(_ round: ExtensionStarts.Round) async {
        guard isCurrent(round) else { return }
        if machine.takeOwedPresence() != nil { _ = try? await resendPresence() }
        firstOnline.open()
    }

    private func isCurrent(_ round: ExtensionStarts.Round) -> Bool { starts.round === round && isOnline }
}
