/// What has become of the machine's own network.
public enum NetworkChange: Sendable, Hashable, CaseIterable {
    /// There was no network, and there is one.
    case available
    /// The last way out is gone.
    case unavailable
    /// There was a network and there is one, but with other addresses or another default route: connections made before may be dead
    /// without knowing it.
    case changed
}

/// Tells when the machine's network changes, so that a session can look after its connection at once instead of waiting for a time limit.
public protocol NetworkMonitor: Sendable {
    /// The changes from now on; nothing is told about the state at the beginning. Watching ends with the stream.
    ///
    /// Whoever reads slowly gets the latest ones.
    func changes() -> AsyncStream<NetworkChange>
}
