import XMPPStream

/// How the connection of a session looks to a person: the one state to show.
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
    /// - reason: Why the last one ended or was not made; `nil` before the first one and after a wanted end.
    /// - nextAttempt: The time from this change to the next attempt; `nil` if there will be none, or not before there is
    ///   a network again.
    case offline(reason: ClientError?, nextAttempt: Duration?)
    /// A connection is being made.
    case connecting(ConnectionStep)
    /// Stanzas flow; either in the session from before, which has lost nothing (XEP-0198 §5), or in a new one.
    case online(isResumed: Bool)

    public var isOnline: Bool { if case .online = self { true } else { false } }
}

/// The steps of making a connection, in their order; not every connection has all of them.
public enum ConnectionStep: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// The server is looked for and connected to.
    case connecting
    /// The connection is being encrypted; a trust policy that asks a person asks now.
    case securing
    /// The account is being logged in.
    case authenticating
    /// An earlier session is being resumed (XEP-0198 §5).
    case resuming
    /// An address is being bound.
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
