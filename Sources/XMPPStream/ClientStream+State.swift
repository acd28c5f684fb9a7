import Waiting
import XMLStreaming
import XMPPAddress

extension ClientStream {
    struct Negotiating: ~Copyable {
        var negotiation: StreamNegotiation
        /// Nil while the user is being asked.
        var deadline: ContinuousInstant?
    }

    struct Established: ~Copyable {
        /// Our full address.
        let address: JID
        var keepAlive: KeepAlive
        /// The id of the pending ping.
        var pendingPing: String?
    }

    enum State: ~Copyable {
        /// Nothing happened. → connecting, negotiating, ended
        case idle
        /// The owner connects a transport. → negotiating, ended
        case connecting(deadline: ContinuousInstant)
        /// The stream is being negotiated. → established, ended
        case negotiating(Negotiating)
        /// Stanzas can be exchanged. → closing, ended
        case established(Established)
        /// `</stream:stream>` was written; waiting for that of the server. → ended
        case closing(deadline: ContinuousInstant)
        /// `.ended` was returned. Final.
        case ended
    }
}

extension ClientStream.Established {
    /// Whether this is the response to our ping, which the owner did not send, or the ping itself, which the server has
    /// returned to a component.
    mutating func takesAnswer(_ element: XMLElement) -> Bool {
        guard let pendingPing,
            element.isAnswer(to: pendingPing, for: address) || element.isReturned(pendingPing, to: address)
        else { return false }
        self.pendingPing = nil
        keepAlive.answerReceived()
        return true
    }
}

extension ClientStream.State {
    /// Passes an event to the negotiation.
    mutating func negotiate(
        _ event: (inout StreamNegotiation) -> [StreamNegotiation.Action]
    ) -> [StreamNegotiation.Action] {
        negotiating { event(&$0.negotiation) }
    }

    mutating func setLoginDeadline(_ deadline: ContinuousInstant?) {
        negotiating { $0.deadline = deadline }
    }

    mutating func hasLoginTimedOut(now: ContinuousInstant) -> Bool {
        negotiating { $0.deadline.map { $0 <= now } ?? false }
    }

    // Never `if case` or `guard case` over a consumed value: Swift 6.3 releases the payload twice there.
    private mutating func negotiating<Result>(_ change: (inout ClientStream.Negotiating) -> Result) -> Result {
        switch consume self {
        case .negotiating(var negotiating):
            let result = change(&negotiating)
            self = .negotiating(negotiating)
            return result
        case .idle: Self.outOfOrder()
        case .connecting: Self.outOfOrder()
        case .established: Self.outOfOrder()
        case .closing: Self.outOfOrder()
        case .ended: Self.outOfOrder()
        }
    }

    /// Changes the state of an established stream.
    mutating func flow<Result>(_ change: (inout ClientStream.Established) -> Result) -> Result {
        switch consume self {
        case .established(var established):
            let result = change(&established)
            self = .established(established)
            return result
        case .idle: Self.outOfOrder()
        case .connecting: Self.outOfOrder()
        case .negotiating: Self.outOfOrder()
        case .closing: Self.outOfOrder()
        case .ended: Self.outOfOrder()
        }
    }

    private static func outOfOrder() -> Never {
        preconditionFailure("a part of the stream was changed in a state that does not have it")
    }
}

// MARK: - Questions about the state

extension ClientStream {
    /// The states by name.
    enum Phase { case idle, connecting, negotiating, established, closing, ended }

    var phase: Phase {
        switch state {
        case .idle: .idle
        case .connecting: .connecting
        case .negotiating: .negotiating
        case .established: .established
        case .closing: .closing
        case .ended: .ended
        }
    }

    private var negotiationPhase: StreamNegotiation.Phase? {
        switch state {
        case .negotiating(let negotiating): negotiating.negotiation.phase
        case .idle: nil
        case .connecting: nil
        case .established: nil
        case .closing: nil
        case .ended: nil
        }
    }

    /// Whether the header of the server must come next.
    var awaitsHeader: Bool {
        switch negotiationPhase {
        case .openingInClear, .opening, .reopening: true
        case nil, .initial, .awaitingFeaturesInClear, .awaitingProceed, .handshaking, .awaitingFeatures, .registering,
            .presentingSecret, .authenticating, .authenticatingExtensibly, .awaitingAdmittedFeatures,
            .awaitingFinalFeatures, .resuming, .binding, .choosingResource, .bindingOtherwise, .startingSession,
            .enabling, .finished:
            false
        }
    }

    var isHandshaking: Bool { negotiationPhase == .handshaking }

    var isRegistering: Bool { negotiationPhase == .registering }
}
