import XMLStreaming
import XMPPStanzas
import XMPPStream

/// What waits to be stored, and whose turn it is.
struct Unsaved {
    /// The state differs from what was stored last.
    var isDue = false
    /// Received stanzas that are stored and not yet confirmed to the server.
    var handledAhead = 0
    /// Confirmed by the server; the tokens hear of it when it is stored.
    var acknowledged: [StanzaToken] = []
    /// Left by a session that is gone.
    var unacknowledged: [UnacknowledgedStanza] = []
    /// A state was stored and not taken back.
    var isStateKept = false
    /// Why nothing is stored any more.
    var failure: ClientError?

    var isSaving = false
    /// Those who store next, one after the other.
    var waiters: [CheckedContinuation<Void, Never>] = []
    /// Those who wait for what is being stored.
    var dependents: [CheckedContinuation<Void, Never>] = []
}

extension Session {
    /// Reads what an earlier process left.
    func loadSaved() async throws(ClientError) {
        if let store = configuration.store {
            do {
                if let saved = try await store.loadSession() {
                    resumption = saved.resumption
                    unsaved.isStateKept = true
                }
            } catch {
                throw ClientError(
                    .storeFailed, "The state of the session before could not be read. \(error)", cause: error)
            }
        }
        let unacknowledged = resumption?.unacknowledged ?? []
        for stanza in unacknowledged { ledger.restore(stanza) }
        if unacknowledged.contains(where: { $0.bytes.count > knownLimits.stanzaBytes }) {
            // The server would end each stream on which this session is resumed. In a new one it is not sent again.
            resumption = nil
            unsaved.unacknowledged += unacknowledged
            unsaved.isDue = true
        }
    }

    /// Stores what has changed, if anything has, and returns when it is durable, whoever stores it.
    ///
    /// - Returns: Whether the session may go on.
    @discardableResult
    func saveIfDue() async -> Bool {
        // A step that somebody else is storing at this moment is not due any more and not durable yet: what it protects must
        // not be written before.
        while !unsaved.isDue, unsaved.isSaving { await withCheckedContinuation { unsaved.dependents.append($0) } }
        return unsaved.isDue ? await save() : unsaved.failure == nil
    }

    /// Stores the present state together with stanzas that were received.
    ///
    /// - Parameter unreadable: How many stanzas were received of which nothing can be stored but that they are counted.
    /// - Returns: Whether the session may go on.
    @discardableResult
    func save(received: [XMLElement] = [], unreadable: Int = 0) async -> Bool {
        guard let store = configuration.store else { return true }
        let count = received.count + unreadable
        while unsaved.isSaving { await withCheckedContinuation { unsaved.waiters.append($0) } }
        guard unsaved.failure == nil else { return false }
        unsaved.isSaving = true
        defer {
            unsaved.isSaving = false
            for dependent in unsaved.dependents { dependent.resume() }
            unsaved.dependents = []
            if !unsaved.waiters.isEmpty { unsaved.waiters.removeFirst().resume() }
        }

        let acknowledged = unsaved.acknowledged
        let change = SessionChange(
            received: received, acknowledged: acknowledged.compactMap { ledger[$0]?.id },
            unacknowledged: unsaved.unacknowledged, resumption: stateToSave(handling: count))
        unsaved.isDue = false
        unsaved.acknowledged = []
        unsaved.unacknowledged = []
        guard
            !change.received.isEmpty || !change.acknowledged.isEmpty || !change.unacknowledged.isEmpty
                || change.resumption != nil || unsaved.isStateKept
        else {
            unsaved.handledAhead += count
            return true
        }
        do {
            // A commit is never broken off, even if the connection is that it belongs to.
            try await Task { try await store.commit(change) }.value
        } catch {
            storeFailed(error)
            return false
        }
        unsaved.isStateKept = change.resumption != nil
        unsaved.handledAhead += count
        reportAcknowledged(acknowledged)
        return true
    }

    /// The state as it is when everything received so far, and `count` stanzas more, are stored.
    private func stateToSave(handling count: Int) -> ResumptionState? {
        if let streamEnd, streamEnd.resumption == nil { return nil }
        return stream?.resumptionState(afterHandling: unsaved.handledAhead + count) ?? resumption
    }

    /// The stream is over: stores how the session stands, or that it is gone.
    func saveEnd(_ end: StreamEnd, wasOnline: Bool) async {
        guard configuration.store != nil else { return }
        // The end was wanted before the server was reached: what was stored before is still true.
        if end.reason == .requested, !wasOnline { return }
        if end.resumption == nil {
            // After a wanted end nobody waits for the goodbye.
            let isWanted = end.reason == .requested
            unsaved.unacknowledged += end.unacknowledged.filter {
                !isWanted || !$0.bytes.starts(with: "<presence".utf8)
            }
        }
        await save()
    }

    /// Leaves everything as it was stored last: nothing more is confirmed, written or told, and the server keeps the
    /// session.
    private func storeFailed(_ error: any Error) {
        unsaved.failure = ClientError(
            .storeFailed, "The session ended because its state could not be stored. \(error)", cause: error)
        inbox = []
        outbox = Outbox()
        act(.giveUp)
        perform(stream?.transportClosed(TransportClosure(.broken, detail: "Nothing can be stored."), now: clock.now()))
        outbox = Outbox()
    }
}
