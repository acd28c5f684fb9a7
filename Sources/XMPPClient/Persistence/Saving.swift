import Waiting
import XMLStreaming
import XMPPStream

/// What of a session waits to be stored, and what is done when it is.
struct Saving {
    /// One change at a time, in the order in which it was asked for.
    let turn = AsyncLock()
    /// The state differs from what was stored last.
    private(set) var isDue = false
    /// Why nothing is stored any more.
    private(set) var failure: ClientError?
    /// Received stanzas that are stored and not yet confirmed to the server.
    private(set) var handledAhead = 0
    /// Confirmed by the server; the tokens hear of it when it is stored.
    private(set) var acknowledged: [StanzaToken] = []
    /// Left by a session that is gone.
    private var unacknowledged: [UnacknowledgedStanza] = []
    /// Whether a stored state has not been removed.
    private var isStateKept = false

    mutating func stateLoaded() { isStateKept = true }

    /// A new connection counts what it brings from the beginning.
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

    /// Takes all that waits; `nil` if there is nothing to store.
    ///
    /// - Parameter unreadable: How many stanzas were received of which nothing is stored but that they are counted.
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
