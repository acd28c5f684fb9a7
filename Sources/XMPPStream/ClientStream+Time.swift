public import Waiting

extension ClientStream {
    /// When to call `timerFired(now:)`; it can change with any event.
    public var nextDeadline: ContinuousInstant? {
        switch state {
        case .idle: nil
        case .connecting(let deadline): deadline
        case .negotiating(let negotiating): earliest(negotiating.deadline, negotiating.negotiation.nextDeadline)
        case .established(let established): earliest(established.keepAlive.nextDeadline, management.nextDeadline)
        case .closing(let deadline): deadline
        case .ended: nil
        }
    }

    /// Time has passed. A call before `nextDeadline` does nothing.
    public mutating func timerFired(now: ContinuousInstant) -> [StreamAction] {
        guard let nextDeadline, nextDeadline <= now else { return [] }
        var output = ActionList(framing)
        switch phase {
        case .connecting:
            output.append(.closeTransport)
            end(.failed(StreamFailure(.loginTimedOut)), &output)
        case .negotiating:
            if state.hasLoginTimedOut(now: now) {
                fail(StreamFailure(.loginTimedOut), tell: nil, &output)
            } else {
                perform(state.negotiate { $0.deadlinePassed(now: now) }, now: now, &output)
            }
        case .established:
            if case .answer(let handled) = management.deadlinePassed(now: now) {
                output.write(StreamMarkup.answer(handled))
            }
            let action = state.flow { $0.keepAlive.deadlinePassed(now: now) }
            noteKeepAlive()
            switch action {
            case .none: break
            case .whitespace: sendKeepAlive(now: now, &output)
            case .probe: probe(&output)
            case .dead:
                // Nothing is written: the peer is gone.
                output.append(.closeTransport)
                end(.failed(StreamFailure(.serverUnresponsive)), &output)
            }
        case .closing:
            output.append(.closeTransport)
            end(.requested, &output)
        case .idle, .ended:
            preconditionFailure("there is no deadline before the beginning and after the end")
        }
        return output.take()
    }

    /// Checks whether the connection is alive.
    mutating func probe(_ output: inout ActionList) {
        if management.isActive {
            management.requestSent()
            output.write(StreamMarkup.request)
        } else if state.flow({ $0.pendingPing }) == nil {
            pingCount += 1
            let id = "keepalive-\(pingCount)"
            state.flow { $0.pendingPing = id }
            output.write(StreamMarkup.ping(id: id, ofComponent: componentAddress))
        }
    }

    private func earliest(
        _ one: ContinuousInstant?, _ other: ContinuousInstant?
    ) -> ContinuousInstant? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }
}

// MARK: - Keep-alive

extension ClientStream {
    /// Checks now whether the connection is alive (XEP-0198 §4 `<r/>`, or a ping, XEP-0199), because there is reason to
    /// doubt it. Without a response in time the stream fails with `serverUnresponsive`.
    ///
    /// Does nothing unless the stream is established. A pending check is not repeated.
    public mutating func probe(within timeout: Duration, now: ContinuousInstant) -> [StreamAction] {
        guard isEstablished, state.flow({ $0.keepAlive.ask(within: timeout, now: now) }) == .probe else { return [] }
        noteKeepAlive()
        var output = ActionList(framing)
        probe(&output)
        return output.take()
    }

    /// The network has changed, and nothing is known about the new one.
    public mutating func networkChanged() {
        guard isEstablished else { return }
        state.flow { $0.keepAlive.pace?.networkChanged() }
        noteKeepAlive()
    }

    /// Stores the data that later connections need.
    mutating func noteKeepAlive() {
        guard isEstablished else { return }
        (keepAliveCount, keepAlivePace) = state.flow { ($0.keepAlive.count, $0.keepAlive.pace) }
    }

    /// Sends a space, so that address translators keep the connection.
    mutating func sendKeepAlive(now: ContinuousInstant, _ output: inout ActionList) {
        switch framing {
        case .stream: output.write([UInt8(ascii: " ")])
        case .webSocket:
            state.flow { $0.keepAlive.askedInstead(now: now) }
            probe(&output)
        }
    }

    /// Whether the check of ``probe(within:now:)`` is pending.
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
