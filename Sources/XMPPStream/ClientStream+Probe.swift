extension ClientStream {
    /// Asks the server for a sign of life now (XEP-0198 §4 `<r/>`, or else a ping, XEP-0199) because there is reason to
    /// believe that the connection is dead. Without an answer in time the stream fails with `serverUnresponsive`.
    ///
    /// Does nothing unless stanzas flow. A question that waits for its answer already is not asked again.
    public mutating func probe(within patience: Duration, now: ContinuousClock.Instant) -> [StreamAction] {
        guard isEstablished, state.flow({ $0.keepAlive.ask(within: patience, now: now) }) == .probe else { return [] }
        noteKeepAlive()
        var output = ActionList(framing)
        probe(&output)
        return output.take()
    }

    /// The machine is in another network now, about which nothing is known.
    public mutating func networkChanged() {
        guard isEstablished else { return }
        state.flow { $0.keepAlive.pace?.networkChanged() }
        noteKeepAlive()
    }

    /// Keeps what is to outlive the connection.
    mutating func noteKeepAlive() {
        guard isEstablished else { return }
        (keepAliveCount, keepAlivePace) = state.flow { ($0.keepAlive.count, $0.keepAlive.pace) }
    }

    /// A space for those who keep the connection on the way.
    mutating func giveSignOfLife(now: ContinuousClock.Instant, _ output: inout ActionList) {
        switch framing {
        case .stream: output.write([UInt8(ascii: " ")])
        case .webSocket:
            state.flow { $0.keepAlive.askedInstead(now: now) }
            probe(&output)
        }
    }

    /// Whether the question of ``probe(within:now:)`` waits for its answer.
    public var isProbing: Bool {
        switch state {
        case .established(let established): established.keepAlive.isAsking
        case .idle: false
        case .connecting: false
        case .negotiating: false
        case .closing: false
        case .ended: false
        }
    }
}
