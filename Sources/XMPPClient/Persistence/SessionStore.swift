public import XMLStreaming
public import XMPPStream

/// Keeps what must outlive the process, so that a session goes on where it stood whenever the process ends (XEP-0198
/// §5), and nothing is lost or doubled by that.
///
/// The rules that the session keeps:
///
/// * A stanza is in a committed ``SessionChange/resumption`` before its bytes go to the transport. One commit serves
///   everything that is written at once.
/// * What was received is committed, together with the state that counts it, before the server is told that it may
///   forget it, and before interceptors and observers see it.
/// * Commits come one at a time, in the order of what happened.
///
/// So a store that keeps its messages and the resumption in one transaction has every message exactly once. A commit
/// that throws ends the session with the code `storeFailed`: nothing of it is confirmed or written, and the server
/// keeps what it has for the next session.
public protocol SessionStore: Sendable {
    /// What was committed last; `nil` if no session is to be gone on with.
    func loadSession() async throws -> SavedSession?

    /// Stores one step, whole or not at all; durable when it returns.
    func commit(_ change: SessionChange) async throws

    /// The session is over; no commit follows.
    func sessionEnded() async
}

extension SessionStore {
    public func sessionEnded() async {}
}

/// What a store has of an earlier session.
public struct SavedSession: Sendable, Equatable {
    /// The state to go on from.
    public var resumption: ResumptionState

    public init(resumption: ResumptionState) {
        self.resumption = resumption
    }
}

/// One step of a session, to be stored as a whole.
public struct SessionChange: Sendable {
    /// Stanzas that were received, oldest first, as they came, before any interceptor.
    public var received: [XMLElement] = []

    /// The ids of own stanzas for which the server took responsibility since the step before.
    public var acknowledged: [String] = []

    /// Own stanzas of a session that is gone, of which it is not known whether they arrived, oldest first. What the
    /// server had confirmed, if only in refusing the resumption (`<failed h='…'/>`), is not among them. They are in no
    /// state any more; the program decides whether to send them again.
    public var unacknowledged: [UnacknowledgedStanza] = []

    /// The state after this step; `nil` when there is none to go on from: the session was closed on purpose, is lost,
    /// or the server does not resume.
    public var resumption: ResumptionState?

    public init(
        received: [XMLElement] = [], acknowledged: [String] = [], unacknowledged: [UnacknowledgedStanza] = [],
        resumption: ResumptionState?
    ) {
        self.received = received
        self.acknowledged = acknowledged
        self.unacknowledged = unacknowledged
        self.resumption = resumption
    }
}
