/// A change of the machine's network.
public enum NetworkChange: Sendable, Hashable, CaseIterable {
    /// The network has become available.
    case available
    /// The last connection to a network is gone.
    case unavailable
    /// The network is still available, but with other addresses or another default route: existing connections may be
    /// dead without noticing.
    case changed
}

/// Reports changes of the machine's network, so that a session can check its connection at once instead of waiting for
/// a timeout.
public protocol NetworkMonitor: Sendable {
    /// The changes from now on, without the initial state. Monitoring ends with the stream.
    ///
    /// A slow reader gets only the latest changes.
    func changes() -> AsyncStream<NetworkChange>
}

/// The network of this machine, as reported by the Linux kernel (rtnetlink(7)).
///
/// Loopback and link-local addresses do not count: with only these no server can be reached. Several consecutive
/// changes are reported as one (``debounce``): an interface that comes up gets its addresses and routes one after
/// another.
///
/// All monitors of a loop share one routing socket, which is open while there is an observer.
///
/// If the system forbids the routing socket of the kernel, the stream ends at once; then nothing is known about the
/// network.
public struct RouteNetworkMonitor: NetworkMonitor {
    /// How long changes are collected before they are reported. Address and route follow an interface within a few
    /// dozen milliseconds; users do not notice the rest.
    public static let debounce = Duration.milliseconds(250)

    private let loop: EventLoop

    public init(loop: EventLoop = .shared) {
        self.loop = loop
    }

    public func changes() -> AsyncStream<NetworkChange> {
        changes {}
    }

    /// The same; `whenReady` is called when the initial state is known.
    func changes(whenReady: @escaping @Sendable () -> Void) -> AsyncStream<NetworkChange> {
        // Only the latest changes matter: the last one says whether there is a network.
        let (stream, continuation) = AsyncStream.makeStream(
            of: NetworkChange.self, bufferingPolicy: .bufferingNewest(4))
        let observer = RouteWatcher.Observer(continuation: continuation, whenReady: whenReady)
        let loop = loop
        continuation.onTermination = { _ in
            observer.isOver.store(true, ordering: .releasing)
            loop.execute { RouteWatcher.remove(observer, on: loop) }
        }
        loop.execute { RouteWatcher.add(observer, on: loop) }
        return stream
    }
}
