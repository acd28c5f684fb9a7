internal import CGTK

/// The program as seen by the desktop: a single instance, its actions, the URIs that it opens.
public final class Application: Object {
    /// - Parameters:
    ///   - id: reversed domain name; the desktop file and the icon have the same name.
    ///   - isUnique: a second start activates the first instance; `false` in tests.
    public init(_ id: String, isUnique: Bool = true) {
        let flags: GApplicationFlags = isUnique ? [.handlesOpen] : [.handlesOpen, .nonUnique]
        super.init(adopting: UnsafeMutableRawPointer(adw_application_new(id, flags)))
    }

    /// Called once, before everything else.
    public func onStartup(_ body: @escaping () -> Void) { on("startup", body) }
    /// Called when the program is started without a URI, the first time and again.
    public func onActivate(_ body: @escaping () -> Void) { on("activate", body) }

    /// Called with URIs to open, for example `xmpp:juliet@capulet.example`.
    public func onOpen(_ body: @escaping ([String]) -> Void) {
        connect("open") { call in
            guard let files = call.pointer(1)?.assumingMemoryBound(to: OpaquePointer?.self) else { return }
            body(
                (0..<call.integer(2)).compactMap { index in
                    guard let file = files[index] else { return nil }
                    let uri: UnsafeMutablePointer<CChar>? = g_file_get_uri(file)
                    defer { g_free(uri) }
                    return uri.map { String(cString: $0) }
                })
        }
    }

    /// Runs until the last window is closed or ``quit()`` is called; returns the exit status.
    public func run(_ arguments: [String] = []) -> Int32 {
        var pointers: [UnsafeMutablePointer<CChar>?] = (arguments.isEmpty ? ["hongyan-desktop"] : arguments).map {
            g_strdup($0)
        }
        let count = gint(pointers.count)
        pointers.append(nil)
        defer { for pointer in pointers { g_free(pointer) } }
        return g_application_run(cast(), count, &pointers)
    }

    /// Starts without running, so that windows can be created: for tests, which run the loop themselves.
    public func register() throws(GTKError) {
        var error: UnsafeMutablePointer<GError>?
        guard g_application_register(cast(), nil, &error).isTrue else { throw GTKError(taking: error) }
    }

    public func quit() { g_application_quit(cast()) }

    /// Keeps running without a window, until ``release()`` is called as often.
    public func hold() { g_application_hold(cast()) }
    public func release() { g_application_release(cast()) }

    /// Adds an action of the program, `app.name`.
    public func add(_ action: Action) { g_action_map_add_action(cast(), action.cast()) }

    /// Sets the keys of an action, for example `<Control>n`, `<Control><Shift>Tab`, `F11`.
    public func setShortcuts(_ keys: [String], for action: String) {
        withCStrings(keys) { gtk_application_set_accels_for_action(cast(), action, $0) }
    }

    /// Activates an action of the program, like a notification.
    public func activate(_ action: NotificationAction) {
        let name = action.name.hasPrefix("app.") ? String(action.name.dropFirst(4)) : action.name
        g_action_group_activate_action(cast(), name, g_variant_new_string(action.target))
    }

    /// The bus of the desktop; `nil` if there is none, and before the program has started.
    public var bus: MessageBus? {
        g_application_get_dbus_connection(cast()).map { MessageBus(borrowing: UnsafeMutableRawPointer($0)) }
    }

    public func withdrawNotification(_ id: String) { g_application_withdraw_notification(cast(), id) }

    private func withCStrings(_ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Void) {
        let copies = strings.map { g_strdup($0) }
        defer { for copy in copies { g_free(copy) } }
        let pointers = copies.map { UnsafePointer($0) } + [nil]
        pointers.withUnsafeBufferPointer { if let base = $0.baseAddress { body(base) } }
    }
}

extension SignalArguments {
    func pointer(_ index: Int) -> UnsafeMutableRawPointer? { g_value_get_pointer(values + index) }
}
