/// A network fault between a client and its server, caused by a ``FaultProxy``.
public enum NetworkFault: String, Sendable, CaseIterable {
    /// The connection is reset.
    case reset
    /// The same after a number of bytes in one direction: in the middle of whatever is in transit.
    case resetUpstream, resetDownstream
    /// Nothing is forwarded for a while.
    case stallUpstream, stallDownstream, blackhole
    /// A few bytes at a time.
    case slices
    case halfCloseToClient, halfCloseToServer
    /// The connection is reset, and for a while no new one can be made.
    case refuse, hang, ignore
    case latency

    /// Causes the fault and returns when it is over; the network works again afterwards.
    ///
    /// - Parameters:
    ///   - duration: the duration of lasting faults.
    ///   - number: the number of bytes after which other faults occur, and for random choices; at least 1.
    public func happen(to proxy: FaultProxy, for duration: Duration, number: Int) async throws {
        func lasting(_ change: (inout FaultProxy.Settings) -> Void) async throws {
            proxy.configure(change)
            try await Task.sleep(for: duration)
            proxy.heal()
        }
        func away(_ acceptance: FaultProxy.Acceptance) async throws {
            proxy.configure { $0.acceptance = acceptance }
            proxy.resetConnections()
            try await Task.sleep(for: duration)
            proxy.heal()
        }
        switch self {
        case .reset: proxy.resetConnections()
        case .resetUpstream: try await lasting { $0.resetsAfterUpstreamBytes = number }
        case .resetDownstream: try await lasting { $0.resetsAfterDownstreamBytes = number }
        case .stallUpstream: try await lasting { $0.stallsUpstream = true }
        case .stallDownstream: try await lasting { $0.stallsDownstream = true }
        case .blackhole:
            proxy.blackhole()
            try await Task.sleep(for: duration)
            proxy.heal()
        case .slices: try await lasting { $0.downstreamSliceSize = 1 + number % 7 }
        case .halfCloseToClient: proxy.endTowardsClients()
        case .halfCloseToServer: proxy.endTowardsServer()
        case .refuse: try await away(.refuse)
        case .hang: try await away(.hang)
        case .ignore: try await away(.ignore)
        case .latency: try await lasting { $0.latency = .milliseconds(1 + number % 150) }
        }
    }
}
