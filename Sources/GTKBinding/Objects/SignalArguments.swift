internal import CGTK

/// The arguments of one emission of a signal, by number; 0 is the object that emits it.
public struct SignalArguments {
    let result: UnsafeMutablePointer<GValue>?
    public let count: Int
    let values: UnsafePointer<GValue>

    public func integer(_ index: Int) -> Int { Int(g_value_get_int(values + index)) }
    public func unsigned(_ index: Int) -> UInt32 { g_value_get_uint(values + index) }
    public func flags(_ index: Int) -> UInt32 { g_value_get_flags(values + index) }
    public func number(_ index: Int) -> Double { g_value_get_double(values + index) }
    public func boolean(_ index: Int) -> Bool { g_value_get_boolean(values + index).isTrue }
    public func string(_ index: Int) -> String? { g_value_get_string(values + index).map { String(cString: $0) } }

    /// The object that emits the signal.
    var emitter: Emitter? { object(0).map(Emitter.init) }

    func object(_ index: Int) -> UnsafeMutableRawPointer? { g_value_get_object(values + index) }
    /// An instance of another kind than GObject, such as an event.
    func instance(_ index: Int) -> UnsafeMutableRawPointer? { g_value_peek_pointer(values + index) }
    func boxed(_ index: Int) -> UnsafeMutableRawPointer? { g_value_get_boxed(values + index) }
    func variant(_ index: Int) -> OpaquePointer? { g_value_get_variant(values + index) }

    /// Answers a signal that asks whether it was handled.
    public func answer(_ isHandled: Bool) {
        if let result { g_value_set_boolean(result, isHandled.gboolean) }
    }

    /// Answers a signal that asks what may be done.
    func answer(flags: UInt32) {
        if let result { g_value_set_flags(result, flags) }
    }
}

extension gboolean {
    nonisolated var isTrue: Bool { self != 0 }
}

extension Bool {
    nonisolated var gboolean: gboolean { self ? 1 : 0 }
}
