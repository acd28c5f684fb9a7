internal import CGTK

/// A value for a message bus; its description uses GLib's notation.
public final class Variant: @MainActor CustomStringConvertible {
    let raw: OpaquePointer

    /// Adopts a new value, floating or not.
    init(adopting pointer: OpaquePointer) { raw = g_variant_take_ref(pointer) }

    init(borrowing pointer: OpaquePointer) { raw = g_variant_ref(pointer) }

    isolated deinit { g_variant_unref(raw) }

    // MARK: Making

    public convenience init(_ text: String) { self.init(adopting: g_variant_new_string(text)) }
    public convenience init(_ number: UInt32) { self.init(adopting: g_variant_new_uint32(number)) }
    public convenience init(_ number: Int32) { self.init(adopting: g_variant_new_int32(number)) }
    public convenience init(_ number: Int64) { self.init(adopting: g_variant_new_int64(gint64(number))) }
    public convenience init(_ byte: UInt8) { self.init(adopting: g_variant_new_byte(byte)) }
    public convenience init(_ truth: Bool) { self.init(adopting: g_variant_new_boolean(truth.gboolean)) }

    public convenience init(_ texts: [String]) { self.init(type: "s", texts.map { Variant($0) }) }

    public convenience init(bytes: [UInt8]) {
        let type = g_variant_type_new("y")
        defer { g_variant_type_free(type) }
        self.init(
            adopting: bytes.withUnsafeBytes { g_variant_new_fixed_array(type, $0.baseAddress, gsize($0.count), 1) })
    }

    /// A dictionary of names and values of any type.
    public convenience init(_ entries: [String: Variant]) {
        let entries = entries.sorted { $0.key < $1.key }.map { name, value in
            let (name, box) = (Variant(name), Variant(adopting: g_variant_new_variant(value.raw)))
            return withExtendedLifetime((name, box, value)) {
                Variant(adopting: g_variant_new_dict_entry(name.raw, box.raw))
            }
        }
        self.init(type: "{sv}", entries)
    }

    /// A tuple of values.
    public convenience init(tuple values: [Variant]) {
        self.init(adopting: Self.withPointers(values) { g_variant_new_tuple($0, gsize(values.count)) })
    }

    private convenience init(type: String, _ values: [Variant]) {
        let type = g_variant_type_new(type)
        defer { g_variant_type_free(type) }
        self.init(adopting: Self.withPointers(values) { g_variant_new_array(type, $0, gsize(values.count)) })
    }

    private static func withPointers(
        _ values: [Variant], _ body: (UnsafePointer<OpaquePointer?>?) -> OpaquePointer
    ) -> OpaquePointer {
        withExtendedLifetime(values) {
            values.map { Optional($0.raw) }.withUnsafeBufferPointer { body($0.baseAddress) }
        }
    }

    // MARK: Reading; values of other programs may have an unexpected type

    /// The number of child values.
    public var count: Int { g_variant_is_container(raw).isTrue ? Int(g_variant_n_children(raw)) : 0 }

    /// A child value; if it is boxed, the value inside the box.
    public subscript(index: Int) -> Variant? {
        guard index >= 0, index < count else { return nil }
        return Variant(adopting: g_variant_get_child_value(raw, gsize(index)))
    }

    public var text: String? {
        guard g_variant_classify(raw) == .string, let text = g_variant_get_string(raw, nil) else { return nil }
        return String(cString: text)
    }

    public var number: UInt32? { g_variant_classify(raw) == .uint32 ? g_variant_get_uint32(raw) : nil }

    /// A number of 32 or 64 bits without a sign.
    public var wideNumber: UInt64? {
        g_variant_classify(raw) == .uint64 ? UInt64(g_variant_get_uint64(raw)) : number.map(UInt64.init)
    }

    /// The strings of an array.
    public var texts: [String] { (0..<count).compactMap { self[$0]?.text } }

    public var description: String {
        let text: UnsafeMutablePointer<CChar>? = g_variant_print(raw, 0)
        defer { g_free(text) }
        return text.map { String(cString: $0) } ?? ""
    }
}
