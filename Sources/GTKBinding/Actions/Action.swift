internal import CGTK

/// An action that a menu, a key, a button or a notification can activate.
public final class Action: Object {
    public init(_ name: String, _ body: @escaping () -> Void) {
        super.init(adopting: UnsafeMutableRawPointer(g_simple_action_new(name, nil)))
        on("activate", body)
    }

    /// An action with a text parameter, for example the conversation.
    public init(_ name: String, text body: @escaping (String) -> Void) {
        let type = g_variant_type_new("s")
        defer { g_variant_type_free(type) }
        super.init(adopting: UnsafeMutableRawPointer(g_simple_action_new(name, type)))
        connect("activate") { call in
            guard let variant = call.variant(1), let text = g_variant_get_string(variant, nil) else { return }
            body(String(cString: text))
        }
    }

    /// An action that toggles a state; menus show a check mark.
    public init(_ name: String, isOn: Bool, _ body: @escaping (Bool) -> Void) {
        super.init(
            adopting: UnsafeMutableRawPointer(
                g_simple_action_new_stateful(name, nil, g_variant_new_boolean(isOn.gboolean))))
        on("activate", reading: { $0 }) { action in
            let isOn = !Self.isOn(action.cast())
            g_simple_action_set_state(action.cast(), g_variant_new_boolean(isOn.gboolean))
            body(isOn)
        }
    }

    /// The state of a toggle action.
    public var isOn: Bool {
        get { Self.isOn(cast()) }
        set { g_simple_action_set_state(cast(), g_variant_new_boolean(newValue.gboolean)) }
    }

    private static func isOn(_ action: OpaquePointer) -> Bool {
        guard let state = g_action_get_state(action) else { return false }
        defer { g_variant_unref(state) }
        return g_variant_get_boolean(state).isTrue
    }

    public var isEnabled: Bool {
        get { g_action_get_enabled(cast()).isTrue }
        set { g_simple_action_set_enabled(cast(), newValue.gboolean) }
    }
}

/// Actions of one widget, see ``Widget/insert(_:prefix:)``.
public final class ActionGroup: Object {
    public init(_ actions: [Action] = []) {
        super.init(adopting: UnsafeMutableRawPointer(g_simple_action_group_new()))
        for action in actions { add(action) }
    }

    public func add(_ action: Action) { g_action_map_add_action(cast(), action.cast()) }
    public func remove(_ name: String) { g_action_map_remove_action(cast(), name) }

    /// Activates an action of the group, like a menu.
    public func activate(_ name: String) { g_action_group_activate_action(cast(), name, nil) }
}
