import XMLStreaming
import XMPPStanzas
import XMPPStream

extension Session {
    /// Reads what an earlier process left: the session that the first connection resumes.
    func loadSaved() async throws(ClientError) -> ResumptionState? {
        var resumption = configuration.resumption
        if let store = configuration.store {
            do {
                if let saved = try await store.loadSession() {
                    resumption = saved.resumption
                    saving.stateLoaded()
                }
            } catch {
                throw ClientError(
                    .storeFailed, "The state of the session before could not be read. \(error)", cause: error)
            }
        }
        let unacknowledged = resumption?.unacknowledged ?? []
        for stanza in unacknowledged { ledger.restore(stanza) }
        if unacknowledged.contains(where: { $0.bytes.count > memory.limits.stanzaBytes }) {
            // The server would end each stream on which this session is resumed. In a new one it is not sent again.
            resumption = nil
            saving.left(unacknowledged)
            saving.changed()
        }
        return resumption
    }

    /// Stores what has changed, if anything has, and returns when it is durable, also if another task stores it.
    ///
    /// - Returns: Whether the session may go on.
    @discardableResult
    func saveIfDue() async -> Bool {
        // A step that another task is storing at this moment is not due any more and not durable yet: what it protects must
        // not be written before.
        if !saving.isDue, !saving.turn.isFree { await saving.turn.withLock {} }
        return saving.isDue ? await save() : saving.failure == nil
    }

    /// Stores the present state together with stanzas that were received.
    ///
    /// - Parameter unreadable: How many stanzas were received of which nothing can be stored but that they are counted.
    /// - Returns: Whether the session may go on.
    @discardableResult
    func save(received: [ReceivedStanza] = [], unreadable: Int = 0) async -> Bool {
        guard let store = configuration.store else { return true }
        let turn = saving.turn
        await turn.lock()
        defer { turn.leave() }
        guard saving.failure == nil else { return false }
        let resumption = stateToSave(handling: received.count + unreadable)
        guard
            let step = saving.begin(
                received: received, unreadable: unreadable, resumption: resumption, id: { ledger[$0]?.id })
        else { return true }
        do {
            // A commit is never broken off, even if the connection is that it belongs to.
            try await Task { try await store.commit(step.change) }.value
        } catch {
            storeFailed(error)
            return false
        }
        saving.stored(step)
        reportAcknowledged(step.acknowledged)
        return true
    }

    /// The state as it is when everything received so far, and `count` stanzas more, are stored.
    private func stateToSave(handling count: Int) -> ResumptionState? {
        if let end = machine.end, end.resumption == nil { return nil }
        return stream?.resumptionState(afterHandling: saving.handledAhead + count) ?? machine.resumption
    }

    /// The stream is over: stores how the session stands, or that it is gone.
    func saveEnd(_ end: StreamEnd) async {
        guard configuration.store != nil else { return }
        let isWanted = end.reason == .requested
        // The end was wanted before the server was reached: what was stored before is still true.
        if isWanted, !machine.wasOnline { return }
        if end.resumption == nil {
            // After a wanted end the unavailable presence is not missed.
            saving.left(end.unacknowledged.filter { !isWanted || !$0.bytes.starts(with: "<presence".utf8) })
        }
        await save()
    }

    /// Leaves everything as it was stored last: nothing more is confirmed, written or told, and the server keeps the
    /// session.
    private func storeFailed(_ error: any Error) {
        let failure = ClientError(
            .storeFailed, "The session ended because its state could not be stored. \(error)", cause: error)
        saving.failed(failure)
        connection.inbox = []
        connection.outbox = Outbox()
        perform(machine.cannotGoOn(failure))
        perform(stream?.transportClosed(TransportClosure(.broken, detail: "Nothing can be stored."), now: clock.now()))
        connection.outbox = Outbox()
    }
}
