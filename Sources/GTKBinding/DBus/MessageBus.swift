internal import CGTK

/// A connection to a message bus (D-Bus), over which programs call each other.
public final class MessageBus: Object {
    /// An interface of an object on the bus.
    public struct Interface: Sendable, Hashable {
        /// The bus name of the program.
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

    /// Connects to the bus at an address, for tests; blocks until it has responded.
    public convenience init(address: String) throws(GTKError) {
        var error: UnsafeMutablePointer<GError>?
        let flags: GDBusConnectionFlags = [.authenticationClient, .messageBusConnection]
        guard let connection = g_dbus_connection_new_for_address_sync(address, flags, nil, nil, &error) else {
            throw GTKError(taking: error)
        }
        self.init(adopting: UnsafeMutableRawPointer(connection))
    }

    /// The name of this connection on the bus.
    package var ownName: String { g_dbus_connection_get_unique_name(cast()).map { String(cString: $0) } ?? "" }

    /// Calls a method and waits for its result.
    ///
    /// - Parameters:
    ///   - startsProgram: `false` is an error if the program does not run, instead of starting it.
    ///   - timeout: a longer call is an error; many programs hang.
    public func call(
        _ method: String, of target: Interface, _ arguments: [Variant] = [], gives type: String,
        startsProgram: Bool = true, timeout: Duration = .seconds(5)
    ) async throws(GTKError) -> Variant {
        let milliseconds = gint(clamping: Int64(timeout / .milliseconds(1)))
        let parameters = Variant(tuple: arguments)
        let answer: Variant? = try await AsyncResult.wait(
            start: { done, data in
                let type = g_variant_type_new(type)
                defer { g_variant_type_free(type) }
                withExtendedLifetime(parameters) {
                    g_dbus_connection_call(
                        cast(), target.name, target.path, target.interface, method, parameters.raw, type,
                        startsProgram ? .none : .noAutoStart, milliseconds, nil, done, data)
                }
            },
            finish: { [self] result, error in
                g_dbus_connection_call_finish(cast(), result, &error).map { Variant(adopting: $0) }
            })
        guard let answer else { throw GTKError(taking: nil) }
        return answer
    }

    /// Emits a signal to all subscribers.
    public func emit(_ signal: String, of interface: String, from path: String, _ values: [Variant]) {
        let values = Variant(tuple: values)
        // It fails only for invalid names, and without a bus there are no subscribers.
        withExtendedLifetime(values) {
            _ = g_dbus_connection_emit_signal(cast(), nil, path, interface, signal, values.raw, nil)
        }
    }

    /// Calls `body` with the name and the values of each signal from the program that owns the name; signals of others
    /// are ignored.
    ///
    /// - Parameter argument: the required first value.
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

    /// Calls `body` when another program takes over a name, or when its owner disappears.
    public func onNewOwner(of name: String, _ body: @escaping () -> Void) -> Subscription {
        let bus = Interface("org.freedesktop.DBus", path: "/org/freedesktop/DBus")
        return on("NameOwnerChanged", of: bus, argument: name) { _, _ in body() }
    }
}
