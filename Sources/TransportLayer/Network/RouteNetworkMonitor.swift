/// The network of this machine, as the Linux kernel tells it (rtnetlink(7)).
///
/// Loopback does not count, and neither do link-local addresses: with them alone no server can be reached. Several changes in a row are one
/// (``debounce``): an interface that comes up gets its addresses and routes one after another.
///
/// Where the system forbids the kernel's routing socket, the stream ends at once; then nothing is known about the network.
public struct RouteNetworkMonitor: NetworkMonitor {
    /// How long the kernel's news are gathered before they are told. Address and route follow an interface within some ten milliseconds; a
    /// person does not notice the rest.
    public static let debounce = Duration.milliseconds(250)

    private let loop: EventLoop

    public init(loop: EventLoop = .shared) {
        self.loop = loop
    }

    public func changes() -> AsyncStream<NetworkChange> {
        changes {}
    }

    /// The same; `whenReady` is called once it is known how things stand at the beginning.
    func changes(whenReady: @escaping @Sendable () -> Void) -> AsyncStream<NetworkChange> {
        // More than this nobody needs: the last one says whether there is a network.
        let (stream, continuation) = AsyncStream.makeStream(
            of: NetworkChange.self, bufferingPolicy: .bufferingNewest(4))
        let watcher = RouteWatcher(loop: loop, continuation: continuation, whenReady: whenReady)
        let loop = loop
        // The stream keeps the watcher alive, and its end ends it.
        continuation.onTermination = { _ in
            loop.execute { watcher.assumeIsolated { $0.stop() } }
        }
        loop.execute { watcher.assumeIsolated { $0.start() } }
        return stream
    }
}
