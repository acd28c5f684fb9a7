internal import CGTK

/// One strong reference to a GObject, let go of on the main thread with the last Swift reference to this wrapper.
///
/// A wrapper does not keep the widgets inside it alive, GTK does: a view keeps the wrappers that it needs later. A handler lives as
/// long as the GObject, never as long as the wrapper: what it reads comes from the ``Emitter``. Handlers capture views weakly; a
/// handler that holds a wrapper of its own widget, or of one above it, is a reference cycle.
// The attribute is written out: with the module's default only, modules that import this one do not compile for release.
@MainActor
open class Object {
    let raw: UnsafeMutableRawPointer

    /// Wrappers that live, for tests that look for leaks.
    public private(set) static var liveCount = 0

    /// Takes over a new reference, floating or not.
    init(adopting pointer: UnsafeMutableRawPointer) {
        raw = pointer
        if g_object_is_floating(pointer) != 0 { g_object_ref_sink(pointer) }
        Object.liveCount += 1
    }

    convenience init(adopting pointer: OpaquePointer) { self.init(adopting: UnsafeMutableRawPointer(pointer)) }

    convenience init<Instance>(adopting pointer: UnsafeMutablePointer<Instance>) {
        self.init(adopting: UnsafeMutableRawPointer(pointer))
    }

    /// Adds a reference to an object owned by other code.
    init(borrowing pointer: UnsafeMutableRawPointer) {
        raw = pointer
        g_object_ref(pointer)
        Object.liveCount += 1
    }

    isolated deinit {
        g_object_unref(raw)
        Object.liveCount -= 1
    }

    // Which of the two a C function takes is up to how its header declares the class; the compiler picks the right one.
    func cast() -> OpaquePointer { OpaquePointer(raw) }
    func cast<Instance>() -> UnsafeMutablePointer<Instance> { raw.assumingMemoryBound(to: Instance.self) }

    /// Calls C with an object that nothing else may hold. `f(Wrapper().cast())` would pass what is gone before `f` begins.
    func use<Result>(_ body: (OpaquePointer) -> Result) -> Result { body(cast()) }

    /// Whether another wrapper refers to the same object.
    public func isSame(as other: Object) -> Bool { raw == other.raw }

    // MARK: Signals

    /// A handler that was connected; it lives as long as the object, unless it is disconnected.
    public struct Connection: Hashable, Sendable {
        let id: UInt
    }

    /// Calls `handler` at each emission of a signal, for example `clicked` or `notify::folded`.
    @discardableResult
    public func on(_ signal: String, _ handler: @escaping () -> Void) -> Connection {
        connect(signal) { _ in handler() }
    }

    /// Calls `handler` with what `read` finds in the object that emits the signal.
    ///
    /// The wrapper through which a handler was connected may be released long before the object, so nothing here refers
    /// to it. A widget that is being destroyed has no values any more, and its last changes are not reported, because
    /// they are not caused by the user.
    @discardableResult
    func on<Value>(
        _ signal: String, reading read: @escaping (Emitter) -> Value, _ handler: @escaping (Value) -> Void
    ) -> Connection {
        connect(signal) { call in
            if let emitter = call.emitter, !emitter.isBeingDestroyed { handler(read(emitter)) }
        }
    }

    /// Calls `handler` with the arguments of a signal, which may be answered.
    @discardableResult
    public func connect(_ signal: String, _ handler: @escaping (SignalArguments) -> Void) -> Connection {
        let box = Unmanaged.passRetained(SignalHandler(handler)).toOpaque()
        let closure = g_closure_new_simple(guint(MemoryLayout<GClosure>.size), box)
        g_closure_add_finalize_notifier(closure, box) { data, _ in
            if let data { Unmanaged<SignalHandler>.fromOpaque(data).release() }
        }
        // One marshaller for all signals: the arguments are read from their values by number.
        g_closure_set_marshal(closure) { closure, result, count, values, _, _ in
            guard let data = closure?.pointee.data, let values else { return }
            let handler = Unmanaged<SignalHandler>.fromOpaque(data).takeUnretainedValue()
            handler.body(SignalArguments(result: result, count: Int(count), values: values))
        }
        return Connection(id: g_signal_connect_closure(raw, signal, closure, 0))
    }

    public func disconnect(_ connection: Connection) { g_signal_handler_disconnect(raw, connection.id) }

    /// Runs `body` without calling a handler, for example for showing what the model says in a switch.
    public func withoutHearing(_ connection: Connection, _ body: () -> Void) {
        g_signal_handler_block(raw, connection.id)
        body()
        g_signal_handler_unblock(raw, connection.id)
    }
}

/// The object that emits a signal, valid during the emission.
struct Emitter {
    let raw: UnsafeMutableRawPointer

    // As those of ``Object``.
    func cast() -> OpaquePointer { OpaquePointer(raw) }
    func cast<Instance>() -> UnsafeMutablePointer<Instance> { raw.assumingMemoryBound(to: Instance.self) }

    /// A widget whose children may be gone already.
    var isBeingDestroyed: Bool {
        g_type_check_instance_is_a(raw.assumingMemoryBound(to: GTypeInstance.self), gtk_widget_get_type()).isTrue
            && gtk_widget_in_destruction(cast()).isTrue
    }
}

final class SignalHandler {
    let body: (SignalArguments) -> Void

    init(_ body: @escaping (SignalArguments) -> Void) { self.body = body }
}

/// The numbers of GLib's fundamental types. The macros of its headers contain a cast, which Swift does not import.
enum FundamentalType {
    static let boolean = GType(5 << 2)
    static let integer = GType(6 << 2)
    static let unsigned = GType(7 << 2)
    static let double = GType(15 << 2)
    static let string = GType(16 << 2)
    static let object = GType(20 << 2)
}

extension Object {
    public func set(_ property: String, _ value: Bool) {
        withValue(FundamentalType.boolean) { box in
            g_value_set_boolean(&box, value.gboolean)
            g_object_set_property(cast(), property, &box)
        }
    }

    public func set(_ property: String, _ value: Int) {
        withValue(FundamentalType.integer) { box in
            g_value_set_int(&box, gint(clamping: value))
            g_object_set_property(cast(), property, &box)
        }
    }

    public func set(_ property: String, _ value: Double) {
        withValue(FundamentalType.double) { box in
            g_value_set_double(&box, value)
            g_object_set_property(cast(), property, &box)
        }
    }

    public func set(_ property: String, _ value: String?) {
        withValue(FundamentalType.string) { box in
            g_value_set_string(&box, value)
            g_object_set_property(cast(), property, &box)
        }
    }

    public func string(_ property: String) -> String? {
        withValue(FundamentalType.string) { box in
            g_object_get_property(cast(), property, &box)
            return g_value_get_string(&box).map { String(cString: $0) }
        }
    }

    public func integer(_ property: String) -> Int {
        withValue(FundamentalType.integer) { box in
            g_object_get_property(cast(), property, &box)
            return Int(g_value_get_int(&box))
        }
    }

    public func boolean(_ property: String) -> Bool {
        withValue(FundamentalType.boolean) { box in
            g_object_get_property(cast(), property, &box)
            return g_value_get_boolean(&box).isTrue
        }
    }

    private func withValue<Result>(_ type: GType, _ body: (inout GValue) -> Result) -> Result {
        var value = GValue()
        g_value_init(&value, type)
        defer { g_value_unset(&value) }
        return body(&value)
    }
}
