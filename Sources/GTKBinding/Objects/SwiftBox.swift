internal import CGTK

/// An item of a list as the list's boxes carry it: the model may change what a bound row looks like without a new box.
final class ItemBox<Item> {
    var item: Item

    init(_ item: Item) { self.item = item }
}

/// A GObject class registered from Swift whose instances own one Swift object each.
enum SwiftBox {
    /// Laid out as C does: the instance of the class above comes first.
    private struct Instance {
        var parent: GObject
        var payload: Unmanaged<AnyObject>?
    }

    /// Boxes that live, for tests.
    private(set) static var liveCount = 0

    private static var finalizeParent: (@convention(c) (UnsafeMutablePointer<GObject>?) -> Void)?

    static let type: GType = g_type_register_static_simple(
        FundamentalType.object, "HongyanSwiftBox", guint(MemoryLayout<GObjectClass>.size),
        { klass, _ in
            guard let klass = klass?.assumingMemoryBound(to: GObjectClass.self) else { return }
            SwiftBox.finalizeParent = klass.pointee.finalize
            klass.pointee.finalize = { object in
                guard let object else { return }
                let box = UnsafeMutableRawPointer(object).assumingMemoryBound(to: Instance.self)
                box.pointee.payload?.release()
                box.pointee.payload = nil
                SwiftBox.liveCount -= 1
                SwiftBox.finalizeParent?(object)
            }
        },
        guint(MemoryLayout<Instance>.stride), nil, GTypeFlags(rawValue: 0))

    /// A new object with a full reference.
    static func make(_ payload: AnyObject) -> UnsafeMutableRawPointer {
        let object = UnsafeMutableRawPointer(g_object_new_with_properties(type, 0, nil, nil))
        object.assumingMemoryBound(to: Instance.self).pointee.payload = Unmanaged.passRetained(payload)
        liveCount += 1
        return object
    }

    /// What a box holds; `nil` for objects of other classes.
    static func payload(_ object: UnsafeMutableRawPointer) -> AnyObject? {
        guard g_type_check_instance_is_a(object.assumingMemoryBound(to: GTypeInstance.self), type).isTrue else {
            return nil
        }
        return object.assumingMemoryBound(to: Instance.self).pointee.payload?.takeUnretainedValue()
    }
}

/// A closure as C's user data.
final class Callback<Arguments, Result> {
    let body: (Arguments) -> Result

    init(_ body: @escaping (Arguments) -> Result) { self.body = body }

    var retained: UnsafeMutableRawPointer { Unmanaged.passRetained(self).toOpaque() }

    static func from(_ data: UnsafeMutableRawPointer) -> Callback {
        Unmanaged<Callback>.fromOpaque(data).takeUnretainedValue()
    }

    static func release(_ data: UnsafeMutableRawPointer) { Unmanaged<Callback>.fromOpaque(data).release() }
}
