import Waiting
import XMLStreaming
import XMPPStream

/// The changes of a session that wait to be stored, and the actions to perform afterwards.
struct Saving {
    /// Serialises the changes in the order of the calls.
    private(set) lazy var turn = AsyncLock()
    /// Whether the state differs from the stored one.
    private(set) var isDue = false
    /// The failure after which nothing is stored any more.
    private(set) var failure: ClientError?
    /// The number of received stanzas that are stored and not yet confirmed to the server.
    private(set) var handledAhead = 0
    /// Stanzas confirmed by the server; their tokens are notified when this is stored.
    private(set) var acknowledged: [StanzaToken] = []
    /// Unacknowledged stanzas of a lost session.
    private var unacknowledged: [UnacknowledgedStanza] = []
    /// Whether a stored state has not been removed.
    private var isStateKept = false

    mutating func stateLoaded() { isStateKept = true }

    /// A new connection counts received stanzas from the beginning.
    mutating func connectionBegan() { handledAhead = 0 }

    mutating func changed() { isDue = true }

    mutating func left(_ stanzas: [UnacknowledgedStanza]) { unacknowledged += stanzas }

    mutating func confirmed(_ numbers: [StanzaToken]) {
        acknowledged += numbers
        isDue = true
    }

    /// Received stanzas that were stored are confirmed to the server.
    mutating func handled(_ count: Int) { handledAhead -= count }

    mutating func failed(_ error: ClientError) { failure = error }

    /// One step of storing.
    struct Step {
        let change: SessionChange
        /// The stanzas whose tokens are notified when the change is stored.
        let acknowledged: [StanzaToken]
        let receivedCount: Int
    }

    /// Takes all waiting changes; `nil` if there is nothing to store.
    ///
    /// - Parameter unreadable: The number of received stanzas that are counted but not stored.
    mutating func begin(
        received: [ReceivedStanza], unreadable: Int, resumption: ResumptionState?, id: (StanzaToken) -> String?
    ) -> Step? {
        let numbers = acknowledged
        let step = Step(
            change: SessionChange(
                received: received, acknowledged: numbers.compactMap(id), unacknowledged: unacknowledged,
                resumption: resumption),
            acknowledged: numbers, receivedCount: received.count + unreadable)
        isDue = false
        acknowledged = []
        unacknowledged = []
        let change = step.change
        if change.received.isEmpty, change.acknowledged.isEmpty, change.unacknowledged.isEmpty,
            change.resumption == nil, !isStateKept
        {
            handledAhead += step.receivedCount
            return nil
        }
        return step
    }

    mutating func stored(_ step: Step) {
        isStateKept = step.change.resumption != nil
        handledAhead += step.receivedCount
    }
}

/// Saves the data for the next login; each task waits for the previous one.
///
/// The tasks are not among those of the session: an issued token must be saved even if the session ends at this moment. The end
/// of the session waits for them.
struct SignInSaving {
    private var last: Task<Void, Never>?

    mutating func append(_ body: @escaping @Sendable () async -> Void) {
        last = Task { [last] in
            await last?.value
            await body()
        }
    }

    /// Returns when everything is saved.
    nonisolated(nonsending) func wait() async { await last?.value }
}
