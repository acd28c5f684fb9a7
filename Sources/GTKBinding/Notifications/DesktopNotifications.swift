/// Sends notifications through a ``NotificationServer`` if the desktop supports inline replies, otherwise through GIO.
///
/// They are sent one after another: the next one with the same name needs the number of the previous one.
public final class DesktopNotifications: NotificationSink {
    private enum Order {
        case send(NotificationContent, String)
        case withdraw(String)
        case end(CheckedContinuation<Void, Never>)
    }

    private let server: NotificationServer
    private weak var other: (any NotificationSink)?
    private let orders: AsyncStream<Order>.Continuation

    /// - Parameter other: handles what the server does not support.
    public init(_ server: NotificationServer, otherwise other: any NotificationSink) {
        self.server = server
        self.other = other
        let (stream, orders) = AsyncStream.makeStream(of: Order.self)
        self.orders = orders
        Task { [weak self] in
            for await order in stream { await self?.follow(order) }
        }
    }

    isolated deinit { orders.finish() }

    public func send(_ notification: NotificationContent, id: String) { orders.yield(.send(notification, id)) }

    public func withdrawNotification(_ id: String) { orders.yield(.withdraw(id)) }

    /// Withdraws the notifications with an inline reply: no program would receive it any more.
    public func end() async { await withCheckedContinuation { orders.yield(.end($0)) } }

    private func follow(_ order: Order) async {
        switch order {
        case .send(let content, let id): if await !server.show(content, id: id) { other?.send(content, id: id) }
        case .withdraw(let id):
            await server.close(id)
            other?.withdrawNotification(id)
        case .end(let continuation):
            // A server that hangs is waited for only once.
            for id in server.names.sorted() where await !server.close(id) { break }
            continuation.resume()
        }
    }
}
