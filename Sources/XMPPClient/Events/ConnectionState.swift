import XMPPStream

/// The state of the connection of a session, as a program shows it to the user.
///
///     switch await session.connectionState {
///     case .offline(let reason, let nextAttempt): …   // why, and when it is tried again
///     case .connecting(let step): …
///     case .online: …
///     }
///
/// Each change is reported as ``SessionEvent/stateChanged(_:)``, and consecutive states differ. A session begins and
/// ends offline. It becomes online only through connecting, whose steps only move forward.
public enum ConnectionState: Sendable, Hashable {
    /// There is no connection.
    ///
    /// - reason: Why the last connection ended or failed; `nil` before the first one and after an intended end.
    /// - nextAttempt: The time from this change to the next attempt; `nil` if there will be none, or not before the
    ///   network is available again.
    case offline(reason: ClientError?, nextAttempt: Duration?)
    /// The session is connecting.
    case connecting(ConnectionStep)
    /// Stanzas can be exchanged, either in the resumed session, which has lost nothing (XEP-0198 §5), or in a new one.
    case online(isResumed: Bool)

    public var isOnline: Bool { if case .online = self { true } else { false } }
}

/// The steps of connecting, in order; not every connection has all of them.
public enum ConnectionStep: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// Finding the server and connecting to it.
    case connecting
    /// Encrypting the connection; a trust policy that asks the user does so now.
    case securing
    /// Logging in.
    case authenticating
    /// Resuming an earlier session (XEP-0198 §5).
    case resuming
    /// Binding a resource.
    case binding
    /// The server waits for registration requests (XEP-0077).
    case registering

    public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

extension ConnectionStep {
    /// The step that begins with this progress of the stream, if one does.
    init?(_ progress: StreamProgress) {
        switch progress {
        case .willConnect: self = .connecting
        case .securing: self = .securing
        case .authenticating: self = .authenticating
        case .resuming: self = .resuming
        case .binding: self = .binding
        case .connected, .negotiating, .secured, .opened, .authenticated, .bound, .resumed, .closeRequested,
            .closingSent, .closed:
            return nil
        }
    }
}
