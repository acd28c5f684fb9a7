internal import CGTK

/// The data source of a ``SwiftListModel``.
class ListSource {
    init() {}

    var count: Int { 0 }
    func object(at index: Int) -> AnyObject { self }
}

/// A GObject class, registered from Swift, that implements GListModel with a ``ListSource``.
enum SwiftListModel {
    /// The memory layout of C: the instance of the parent class comes first.
    private struct Instance {
        var parent: GObject
        var source: Unmanaged<ListSource>?
    }

    private static var finalizeParent: (@convention(c) (UnsafeMutablePointer<GObject>?) -> Void)?

    private static let type: GType = {
        let type = g_type_register_static_simple(
            FundamentalType.object, "HongyanListModel", guint(MemoryLayout<GObjectClass>.size),
            { klass, _ in
                guard let klass = klass?.assumingMemoryBound(to: GObjectClass.self) else { return }
                SwiftListModel.finalizeParent = klass.pointee.finalize
                klass.pointee.finalize = { object in
                    guard let object else { return }
                    let model = UnsafeMutableRawPointer(object).assumingMemoryBound(to: Instance.self)
                    model.pointee.source?.release()
                    model.pointee.source = nil
                    SwiftListModel.finalizeParent?(object)
                }
            },
            guint(MemoryLayout<Instance>.stride), nil, GTypeFlags(rawValue: 0))
        var interface = GInterfaceInfo(
            interface_init: { interface, _ in
                guard let interface = interface?.assumingMemoryBound(to: GListModelInterface.self) else { return }
                interface.pointee.get_item_type = { _ in SwiftBox.type }
                interface.pointee.get_n_items = { model in guint(SwiftListModel.source(of: model)?.count ?? 0) }
                interface.pointee.get_item = { model, position in
                    guard let source = SwiftListModel.source(of: model), Int(position) < source.count else {
                        return nil
                    }
                    return SwiftBox.make(source.object(at: Int(position)))
                }
            }, interface_finalize: nil, interface_data: nil)
        g_type_add_interface_static(type, g_list_model_get_type(), &interface)
        return type
    }()

    /// Creates a model and returns a strong reference.
    static func make(_ source: ListSource) -> UnsafeMutableRawPointer {
        let model = UnsafeMutableRawPointer(g_object_new_with_properties(type, 0, nil, nil))
        model.assumingMemoryBound(to: Instance.self).pointee.source = Unmanaged.passRetained(source)
        return model
    }

    private static func source(of model: OpaquePointer?) -> ListSource? {
        guard let model else { return nil }
        return UnsafeMutableRawPointer(model).assumingMemoryBound(to: Instance.self).pointee.source?
            .takeUnretainedValue()
    }
}
