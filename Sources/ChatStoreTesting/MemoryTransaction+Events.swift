import ChatStore
import MessageSemantics

extension MemoryTransaction {
    /// Stores the events of the transaction, at its end.
    func record() throws(StoreError) {
        let entries = try events.entries { conversation throws(StoreError) in try key(of: conversation) }
        for entry in entries {
            state.lastEvent += 1
            state.events.append(
                StoredEvent(
                    position: state.lastEvent, kind: entry.kind, account: entry.account, address: entry.address,
                    conversationKind: entry.conversationKind, message: entry.message))
        }
        let lost = state.lastEvent - EventLog.limit
        guard lost > 0 else { return }
        state.events.removeAll { $0.position <= lost }
        state.eventReaders = state.eventReaders.filter { $0.value.acknowledged >= lost }
    }

    func eventLog() throws(StoreError) -> EventLog? {
        guard !state.eventLog.isEmpty else { return nil }
        return EventLog(
            identity: state.eventLog, removed: (state.events.first?.position ?? state.lastEvent + 1) - 1,
            newest: state.lastEvent)
    }

    func events(after position: Int64, limit: Int) throws(StoreError) -> [StoredEvent] {
        Array(state.events.lazy.filter { $0.position > position }.prefix(limit))
    }

    func eventReaders() throws(StoreError) -> [EventReader] { state.eventReaders.values.sorted { $0.name < $1.name } }

    func addEventReader(_ name: String, at time: MessageTime) throws(StoreError) -> EventReader {
        if let known = state.eventReaders[name] { return known }
        guard state.eventReaders.count < EventLog.readerLimit else { throw .tooManyEventReaders }
        if state.eventReaders.isEmpty {
            state.events = []
            state.eventLog = String(UInt64.random(in: .min ... .max), radix: 16)
        }
        let reader = EventReader(name: name, created: time, acknowledged: state.lastEvent)
        state.eventReaders[name] = reader
        return reader
    }

    func acknowledgeEvents(upTo position: Int64, by reader: String) throws(StoreError) {
        guard position <= state.lastEvent else { throw .noSuchEvent }
        guard let known = state.eventReaders[reader] else { throw .noSuchEventReader }
        state.eventReaders[reader]?.acknowledged = max(known.acknowledged, position)
        removeHandledEvents()
    }

    func removeEventReader(_ name: String) throws(StoreError) {
        state.eventReaders[name] = nil
        if state.eventReaders.isEmpty { (state.events, state.eventLog) = ([], "") }
        removeHandledEvents()
    }

    private func removeHandledEvents() {
        let handled = state.eventReaders.values.map(\.acknowledged).min() ?? state.lastEvent
        // The newest entry is never removed.
        let last = min(handled, state.lastEvent - 1)
        state.events.removeAll { $0.position <= last }
    }
}
