/// How much a transport holds in memory and how long it waits.
public struct TransportLimits: Sendable, Hashable {
    /// The most bytes that wait for the peer before ``Transport/write(_:)`` suspends. 256 KiB keep a fast line busy and bound what a
    /// stalled peer costs.
    public var queuedBytes = 256 * 1024

    /// The most bytes handed out by one ``Transport/read()``. 64 KiB measured best: 16 KiB cost 18 % more, 4 KiB 33 % more.
    public var bytesPerRead = 64 * 1024

    /// How long ``Transport/close()`` waits for the peer to take what is queued.
    public var closing: Duration = .seconds(2)

    /// How long sent bytes may stay unacknowledged before the kernel gives the connection up (`TCP_USER_TIMEOUT`); `nil`
    /// leaves the system's default, about a quarter of an hour.
    public var unacknowledged: Duration? = .seconds(60)

    public init() {}
}
