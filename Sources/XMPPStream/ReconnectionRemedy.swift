import XMPPStanzas

/// The reaction to the end of a stream.
enum ReconnectionRemedy: Equatable, Sendable {
    /// Nothing: the end was wanted.
    case none
    /// A person, or other settings. To try again by itself would fail again or do harm: lock the account, fight with
    /// another client for a resource, insist on a server whose certificate is not accepted.
    case person
    /// Another place, at once (RFC 6120 §4.9.3.19).
    case elsewhere(StreamError.Host)
    /// A new session, at once: the server that keeps the old one does not answer.
    case fresh
    /// Time.
    case time
    /// Time, unless the same thing went wrong at the same place again and again: then a person.
    case timeUnlessRepeated(StreamFailure.Cause)

    /// - Parameters:
    ///   - wasOnline: Whether this account had a session before, by which the settings are proved good.
    ///   - hasGhost: Whether the server may still be at resuming a session that was given up for a new one.
    init(_ end: StreamEnd, wasOnline: Bool, hasGhost: Bool = false) {
        switch end.reason {
        case .requested: self = .none
        case .closedByServer: self = .time
        case .failed(let failure): self.init(failure, wasOnline, hasGhost)
        }
    }

    private init(_ failure: StreamFailure, _ wasOnline: Bool, _ hasGhost: Bool) {
        if let other = failure.streamError?.otherHost {
            self = .elsewhere(other)
            return
        }
        switch failure.code {
        case .resumptionTimedOut: self = .fresh
        // The state of the session was wrong, not its owner: a new session has a new state.
        case .handledCountTooHigh: self = .time
        // A handshake that breaks off under a connection that breaks off looks like one that was refused. Where it has
        // succeeded before the former is more likely, and nothing is ever sent without it.
        case .encryptionFailed: self = wasOnline ? .time : .person
        default:
            switch failure.category {
            case .connection: self = .time
            // Something that was sent or received broke the stream, not the account: it must not stay offline because
            // of it.
            case .protocolViolation where wasOnline: self = .timeUnlessRepeated(failure.cause)
            case .policy where wasOnline && failure.objectsToOurStanza: self = .time
            // No other client wants the resource: it is this client's own old session that the server resumed.
            case .conflict where hasGhost: self = .time
            case .authentication, .encryption, .policy, .settings, .conflict, .protocolViolation: self = .person
            }
        }
    }
}
