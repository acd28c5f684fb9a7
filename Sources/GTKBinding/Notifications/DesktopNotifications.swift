internal import CGTK

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

/// A notification as GIO sends it.
final class Notification: Object {
    convenience init(_ content: NotificationContent) {
        self.init(adopting: UnsafeMutableRawPointer(g_notification_new(content.title)))
        g_notification_set_body(cast(), content.body)
        if content.priority == .high { g_notification_set_priority(cast(), .high) }
        if let picture = content.picture { show(picture: picture) }
        if let click = content.click {
            g_notification_set_default_action_and_target_value(
                cast(), click.name, g_variant_new_string(click.target))
        }
        if let reply = content.reply { addButton(reply.label, reply.action) }
        for button in content.buttons { addButton(button.label, button.action) }
    }

    private func show(picture: [UInt8]) {
        let bytes = picture.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        defer { g_bytes_unref(bytes) }
        let icon = Object(adopting: UnsafeMutableRawPointer(g_bytes_icon_new(bytes)))
        icon.use { g_notification_set_icon(cast(), $0) }
    }

    private func addButton(_ label: String, _ action: NotificationAction) {
        g_notification_add_button_with_target_value(
            cast(), label, action.name, g_variant_new_string(action.target))
    }
}
