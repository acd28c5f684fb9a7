/// How a stream ended: the one terminal value of a connection.
public struct StreamEnd: Equatable, Sendable {
    public enum Reason: Equatable, Sendable {
        /// The owner asked for it.
        case requested
        /// The server closed the stream without naming an error.
        case closedByServer
        /// Something went wrong.
        case failed(StreamFailure)
    }

    public let reason: Reason

    /// The value from which the session can be resumed, unless it is over for good.
    public let resumption: ResumptionState?

    /// The stanzas for which the server has not taken responsibility, oldest first. They are also in `resumption`;
    /// without that they must be sent again on another session or reported as lost.
    public let unacknowledged: [UnacknowledgedStanza]

    public init(reason: Reason, resumption: ResumptionState? = nil, unacknowledged: [UnacknowledgedStanza] = []) {
        self.reason = reason
        self.resumption = resumption
        self.unacknowledged = unacknowledged
    }

    /// What went wrong, if anything.
    public var failure: StreamFailure? {
        if case .failed(let failure) = reason { failure } else { nil }
    }
}
