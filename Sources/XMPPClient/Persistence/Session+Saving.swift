import XMLStreaming
import XMPPStanzas
import XMPPStream

extension Session {
    /// Loads the state of an earlier process: the session that the first connection resumes.
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
        for stanza in unacknowledged { sent.ledger.restore(stanza) }
        if unacknowledged.contains(where: { $0.bytes.count > memory.limits.stanzaBytes }) {
            // The server would end each stream on which this session is resumed. In a new session the stanza is not
            // sent again.
            resumption = nil
            saving.left(unacknowledged)
            saving.changed()
        }
        return resumption
    }

    /// Stores pending changes, and returns when they are durable, also if another task stores them.
    ///
    /// - Returns: Whether the session may continue.
    @discardableResult
    func saveIfDue() async -> Bool {
        // A step that another task is storing at this moment is neither due nor durable yet: the stanzas that depend on
        // it must not be written before.
        if !saving.isDue, !saving.turn.isFree { await saving.turn.withLock {} }
        return saving.isDue ? await save() : saving.failure == nil
    }

    /// Stores the current state together with received stanzas.
    ///
    /// - Parameter unreadable: The number of received stanzas that are counted but cannot be stored.
    /// - Returns: Whether the session may continue.
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
                received: received, unreadable: unreadable, resumption: resumption, id: { sent.ledger[$0]?.id })
        else { return true }
        do {
            // A commit is never aborted, even if its connection is.
            try await Task { try await store.commit(step.change) }.value
        } catch {
            storeFailed(error)
            return false
        }
        saving.stored(step)
        sent.acknowledged(step.acknowledged, in: self)
        return true
    }

    /// The state after everything received so far, and `count` stanzas more, are stored.
    private func stateToSave(handling count: Int) -> ResumptionState? {
        if let end = machine.end, end.resumption == nil { return nil }
        return stream?.resumptionState(afterHandling: saving.handledAhead + count) ?? machine.resumption
    }

    /// The stream is over: stores the state of the session, or that it is lost.
    func saveEnd(_ end: StreamEnd) async {
        guard isStored else { return }
        let isWanted = end.reason == .requested
        // The end was requested before the server was reached: the stored state is still valid.
        if isWanted, !machine.wasOnline { return }
        if end.resumption == nil {
            // After a wanted end the unavailable presence is not missed.
            saving.left(end.unacknowledged.filter { !isWanted || !$0.bytes.starts(with: "<presence".utf8) })
        }
        await save()
    }

    /// Leaves the stored state unchanged: nothing more is acknowledged, written or reported, and the server keeps the
    /// session.
    private func storeFailed(_ error: any Error) {
        let failure = ClientError(
            .storeFailed, "The session ended because its state could not be stored. \(error)", cause: error)
        saving.failed(failure)
        receiver.clear()
        connection.writer.clear()
        perform(machine.cannotGoOn(failure))
        connection.writer.clear()
    }
}
