internal import CGTK

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
