internal import CGTK

/// A connection to a message bus (D-Bus), over which programs ask each other for something.
public final class MessageBus: Object {
    /// One thing that a program on the bus can do, or tells of.
    public struct Interface: Sendable, Hashable {
        /// By which the program is known on the bus.
        public let name: String
        public let path: String
        public let interface: String

        public init(_ name: String, path: String, interface: String? = nil) {
            self.name = name
            self.path = path
            self.interface = interface ?? name
        }
    }

    /// Ends with ``end(_:)``.
    public struct Subscription {
        fileprivate let id: guint
    }

    /// The bus at an address, for tests; blocks until it has answered.
    public convenience init(address: String) throws(GTKError) {
        var error: UnsafeMutablePointer<GError>?
        let flags: GDBusConnectionFlags = [.authenticationClient, .messageBusConnection]
        guard let connection = g_dbus_connection_new_for_address_sync(address, flags, nil, nil, &error) else {
            throw GTKError(taking: error)
        }
        self.init(adopting: UnsafeMutableRawPointer(connection))
    }

    /// By which others on the bus know this connection.
    public var ownName: String { g_dbus_connection_get_unique_name(cast()).map { String(cString: $0) } ?? "" }

    /// Calls a method and waits for what it gives.
    ///
    /// - Parameter patience: after that it is an error; programs that hang are many.
    public func call(
        _ method: String, of target: Interface, _ arguments: [Variant] = [], gives type: String,
        patience: Duration = .seconds(5)
    ) async throws(GTKError) -> Variant {
        let milliseconds = gint(clamping: Int64(patience / .milliseconds(1)))
        let parameters = Variant(tuple: arguments)
        let answer: Variant? = try await AsyncResult.wait(
            start: { done, data in
                let type = g_variant_type_new(type)
                defer { g_variant_type_free(type) }
                withExtendedLifetime(parameters) {
                    g_dbus_connection_call(
                        cast(), target.name, target.path, target.interface, method, parameters.raw, type, .none,
                        milliseconds, nil, done, data)
                }
            },
            finish: { [self] result, error in
                g_dbus_connection_call_finish(cast(), result, &error).map { Variant(adopting: $0) }
            })
        guard let answer else { throw GTKError(taking: nil) }
        return answer
    }

    /// Tells everybody on the bus who wants to know.
    public func tell(_ signal: String, of interface: String, from path: String, _ values: [Variant]) {
        let values = Variant(tuple: values)
        // It fails only for names that are none, and without a bus nobody is there to be told.
        withExtendedLifetime(values) {
            _ = g_dbus_connection_emit_signal(cast(), nil, path, interface, signal, values.raw, nil)
        }
    }

    /// Calls `body` with the name and the values of each signal; those of others than the program that has the name are not believed.
    ///
    /// - Parameter argument: only those whose first value is this.
    public func on(
        _ signal: String? = nil, of source: Interface, argument: String? = nil,
        _ body: @escaping (_ name: String, _ values: Variant) -> Void
    ) -> Subscription {
        let data = Callback<(String, Variant), Void> { body($0.0, $0.1) }.retained
        let id = g_dbus_connection_signal_subscribe(
            cast(), source.name, source.interface, signal, source.path, argument, .none,
            { _, _, _, _, name, values, data in
                guard let name, let values, let data else { return }
                Callback<(String, Variant), Void>.from(data).body(
                    (String(cString: name), Variant(borrowing: values)))
            }, data,
            { data in if let data { Callback<(String, Variant), Void>.release(data) } })
        return Subscription(id: id)
    }

    public func end(_ subscription: Subscription) { g_dbus_connection_signal_unsubscribe(cast(), subscription.id) }

    /// Tells of it when another program takes over a name, or nobody has it any more.
    public func onNewOwner(of name: String, _ body: @escaping () -> Void) -> Subscription {
        let bus = Interface("org.freedesktop.DBus", path: "/org/freedesktop/DBus")
        return on("NameOwnerChanged", of: bus, argument: name) { _, _ in body() }
    }
}
