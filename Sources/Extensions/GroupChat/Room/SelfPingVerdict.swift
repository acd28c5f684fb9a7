import XMPPClient

/// What the answer to a ping of the own nickname says (XEP-0410 MUC Self-Ping (Schrödinger's Chat) §3.2).
enum SelfPingVerdict: Equatable, Sendable {
    case inside
    case outside
    /// No decision can be made.
    case unknown

    /// - Parameter failure: `nil` for a result.
    init(_ failure: ClientError?) {
        guard let failure else {
            self = .inside
            return
        }
        switch failure.stanzaError?.condition {
        case nil: self = .unknown
        // My other client does not know pings, but it is in the room.
        case .serviceUnavailable?, .featureNotImplemented?: self = .inside
        // I just changed the nickname.
        case .itemNotFound?: self = .inside
        case .remoteServerNotFound?, .remoteServerTimeout?: self = .unknown
        case _?: self = .outside
        }
    }
}
