/// The stanzas sent and not yet acknowledged, oldest first, and how many were acknowledged before them.
///
/// All counts are modulo 2^32 (XEP-0198 §4): they may wrap, the difference of two of them may not.
package struct UnacknowledgedQueue: Equatable, Sendable {
    /// The last `h` the peer reported.
    package private(set) var acknowledged: UInt32

    private var storage: [UnacknowledgedStanza]
    private var head = 0

    package init(acknowledged: UInt32 = 0, stanzas: [UnacknowledgedStanza] = []) {
        self.acknowledged = acknowledged
        storage = stanzas
    }

    package var count: Int { storage.count - head }

    package var isEmpty: Bool { count == 0 }

    /// How many stanzas were sent on this session, modulo 2^32.
    package var sent: UInt32 { acknowledged &+ UInt32(truncatingIfNeeded: count) }

    package var stanzas: [UnacknowledgedStanza] { Array(storage[head...]) }

    package mutating func append(_ stanza: UnacknowledgedStanza) {
        storage.append(stanza)
    }

    /// Removes what `handled` covers.
    ///
    /// - Returns: The tokens of the removed stanzas in the order of sending, or nil when the peer claims to have
    ///   handled more than was sent. A count that runs backwards is such a claim too, modulo 2^32.
    package mutating func acknowledge(_ handled: UInt32) -> [StanzaToken]? {
        let newly = Int(handled &- acknowledged)
        guard newly <= count else { return nil }
        guard newly > 0 else { return [] }
        let tokens = storage[head..<head + newly].map(\.token)
        head += newly
        acknowledged = handled
        // Moving the rest down only when it is the smaller part keeps removal linear in what is removed.
        if head >= storage.count - head {
            storage.removeFirst(head)
            head = 0
        }
        return tokens
    }

    package static func == (left: UnacknowledgedQueue, right: UnacknowledgedQueue) -> Bool {
        left.acknowledged == right.acknowledged && left.storage[left.head...] == right.storage[right.head...]
    }
}
