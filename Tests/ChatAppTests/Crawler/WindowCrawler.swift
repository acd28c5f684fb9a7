import CGTK
import Testing
import WindowFixtures

@testable import GTKBinding

/// Finds the controls of a window, uses each of them once, and looks at what has changed anywhere in the program.
///
/// Each use has a window of its own, so that one control does not change what another one finds.
@MainActor
struct WindowCrawler {
    /// Opens the window.
    let open: () async throws -> Window
    /// What a control can change beside the windows: preferences, the store, toasts.
    let state: () async -> String
    /// Names of controls whose effect is outside of this process.
    var skipped: Set<String> = []

    struct Control {
        /// The indices of the children from the window on.
        let path: [Int]
        let name: String
    }

    struct Report {
        var controls: [String] = []
        var withoutEffect: [String] = []
        /// Those that are connected with nothing at all.
        var unconnected: [String] = []
    }

    /// How long an effect may take. Most are there with the next iteration of the main loop.
    private static let limit = Duration.seconds(3)

    func crawl() async throws -> Report {
        var report = Report()
        let window = try await shown()
        let controls = Self.controls(of: window)
        for control in controls {
            if let widget = Self.widget(at: control.path, in: window), !Self.isConnected(widget) {
                report.unconnected.append(control.name)
            }
        }
        await close()
        for control in controls where !skipped.contains(control.name) {
            report.controls.append(control.name)
            let window = try await shown()
            guard let widget = Self.widget(at: control.path, in: window), Self.name(of: widget) == control.name else {
                report.withoutEffect.append("\(control.name) (not found again)")
                continue
            }
            let before = (windows: Self.fingerprint(besides: widget), state: await state())
            Self.use(widget)
            let end = ContinuousClock.now + Self.limit
            var hasChanged = false
            while !hasChanged, ContinuousClock.now < end {
                for _ in 0..<20 { _ = MainLoop.runIteration() }
                await Task.yield()
                hasChanged = Self.fingerprint(besides: widget) != before.windows
                if !hasChanged { hasChanged = await state() != before.state }
                if !hasChanged { try await Task.sleep(for: .milliseconds(5)) }
            }
            if !hasChanged { report.withoutEffect.append(control.name) }
            await close()
        }
        return report
    }

    private func shown() async throws -> Window {
        let window = try await open()
        _ = await Toolkit.eventually { window.width > 0 }
        // What is loaded in the background would look like an effect.
        var last: [String] = []
        for _ in 0..<10 {
            await Toolkit.settle()
            try await Task.sleep(for: .milliseconds(15))
            let now = Self.fingerprint(besides: nil)
            if now == last { break }
            last = now
        }
        return window
    }

    /// Closes everything that is open.
    private func close() async {
        for _ in 0..<5 {
            let windows = Self.toplevels
            if windows.isEmpty { break }
            for window in windows { gtk_window_destroy(window) }
            await Toolkit.settle()
        }
    }

    // MARK: Widgets

    private static var toplevels: [UnsafeMutablePointer<GtkWindow>] {
        let list = gtk_window_get_toplevels()
        return (0..<g_list_model_get_n_items(list)).compactMap { index in
            guard let item = g_list_model_get_item(list, index) else { return nil }
            g_object_unref(item)
            return item.assumingMemoryBound(to: GtkWindow.self)
        }
    }

    private static func isA(_ widget: UnsafeMutablePointer<GtkWidget>, _ type: GType) -> Bool {
        g_type_check_instance_is_a(UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self), type)
            .isTrue
    }

    private static func isActive(_ toggle: UnsafeMutablePointer<GtkWidget>) -> Bool {
        gtk_toggle_button_get_active(UnsafeMutableRawPointer(toggle).assumingMemoryBound(to: GtkToggleButton.self))
            .isTrue
    }

    private static func children(_ widget: UnsafeMutablePointer<GtkWidget>) -> [UnsafeMutablePointer<GtkWidget>] {
        var children: [UnsafeMutablePointer<GtkWidget>] = []
        var child = gtk_widget_get_first_child(widget)
        while let next = child {
            children.append(next)
            child = gtk_widget_get_next_sibling(next)
        }
        return children
    }

    private static func typeName(_ widget: UnsafeMutablePointer<GtkWidget>) -> String {
        String(
            cString: g_type_name_from_instance(
                UnsafeMutableRawPointer(widget).assumingMemoryBound(to: GTypeInstance.self)))
    }

    private static func controls(of window: Window) -> [Control] {
        var found: [Control] = []
        func visit(_ widget: UnsafeMutablePointer<GtkWidget>, _ path: [Int]) {
            guard gtk_widget_get_mapped(widget).isTrue, gtk_widget_is_sensitive(widget).isTrue,
                gtk_widget_get_can_target(widget).isTrue
            else { return }
            // The buttons of the window manager.
            if isA(widget, gtk_window_controls_get_type()) { return }
            let isMenu = isA(widget, gtk_menu_button_get_type())
            if isMenu || isControl(widget) { found.append(Control(path: path, name: name(of: widget))) }
            if isMenu { return }
            for (index, child) in children(widget).enumerated() { visit(child, path + [index]) }
        }
        visit(window.widget, [])
        return found
    }

    private static func isControl(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
        // One of several choices that is chosen already.
        if isA(widget, gtk_toggle_button_get_type()), isActive(widget) { return false }
        return isA(widget, gtk_button_get_type()) || isA(widget, gtk_check_button_get_type())
            || isA(widget, gtk_switch_get_type())
    }

    private static func widget(at path: [Int], in window: Window) -> UnsafeMutablePointer<GtkWidget>? {
        var widget: UnsafeMutablePointer<GtkWidget>? = window.widget
        for index in path {
            guard let parent = widget else { return nil }
            let all = children(parent)
            widget = all.indices.contains(index) ? all[index] : nil
        }
        return widget
    }

    private static func name(of widget: UnsafeMutablePointer<GtkWidget>) -> String {
        if let tip = gtk_widget_get_tooltip_text(widget) { return String(cString: tip) }
        let texts = texts(in: widget)
        if !texts.isEmpty { return texts.joined(separator: " ") }
        // A switch has the name of its row.
        if isA(widget, gtk_switch_get_type()),
            let row = gtk_widget_get_ancestor(widget, adw_preferences_row_get_type()),
            let title = adw_preferences_row_get_title(
                UnsafeMutableRawPointer(row).assumingMemoryBound(to: AdwPreferencesRow.self))
        {
            return String(cString: title)
        }
        return typeName(widget)
    }

    /// The texts that a person can read in a window.
    static func texts(of window: Window) -> [String] { texts(in: window.widget) }

    private static func texts(in widget: UnsafeMutablePointer<GtkWidget>) -> [String] {
        guard gtk_widget_is_visible(widget).isTrue else { return [] }
        if isA(widget, gtk_label_get_type()), let text = gtk_label_get_text(OpaquePointer(widget)) {
            return [String(cString: text)].filter { !$0.isEmpty }
        }
        return children(widget).flatMap { texts(in: $0) }
    }

    /// Uses the control with a name, as soon as it is there.
    static func click(_ name: String, in window: Window) async -> Bool {
        await Toolkit.eventually {
            let control = controls(of: window).first { $0.name == name }
            guard let control, let widget = widget(at: control.path, in: window) else { return false }
            use(widget)
            return true
        }
    }

    /// Chooses the page with a name in a switcher.
    static func use(_ name: String, in window: Window) async {
        _ = await Toolkit.eventually { controls(of: window).contains { $0.name == name } }
        let control = controls(of: window).first { $0.name == name }
        if let control, let widget = widget(at: control.path, in: window) { use(widget) }
        // A button that is chosen is no control any more.
        _ = await Toolkit.eventually { !controls(of: window).contains { $0.name == name } }
    }

    // MARK: Static

    /// Whether anything listens to a control. A control with the name of an action is insensitive while there is none.
    private static func isConnected(_ widget: UnsafeMutablePointer<GtkWidget>) -> Bool {
        let instance = UnsafeMutableRawPointer(widget)
        func listens(_ signal: String, detail: String? = nil) -> Bool {
            let type = instance.assumingMemoryBound(to: GTypeInstance.self).pointee.g_class.pointee.g_type
            return g_signal_has_handler_pending(
                instance, g_signal_lookup(signal, type), detail.map { g_quark_from_string($0) } ?? 0, 1
            ).isTrue
        }
        if isA(widget, gtk_menu_button_get_type()) { return true }
        if isA(widget, gtk_switch_get_type()) { return listens("notify", detail: "active") }
        if isA(widget, gtk_check_button_get_type()) { return listens("toggled") }
        if gtk_actionable_get_action_name(OpaquePointer(widget)) != nil { return true }
        // The buttons of switchers are bound to what they choose.
        return listens("clicked")
            || isA(widget, gtk_toggle_button_get_type())
                && (listens("toggled") || listens("notify", detail: "active"))
    }

    // MARK: Dynamic

    private static func use(_ widget: UnsafeMutablePointer<GtkWidget>) {
        if isA(widget, gtk_menu_button_get_type()) {
            gtk_menu_button_popup(OpaquePointer(widget))
        } else {
            gtk_widget_activate(widget)
        }
    }

    /// Everything that is shown and has the focus, except for the state of one control.
    private static func fingerprint(besides control: UnsafeMutablePointer<GtkWidget>?) -> [String] {
        var lines: [String] = []
        func visit(_ widget: UnsafeMutablePointer<GtkWidget>) {
            guard gtk_widget_get_mapped(widget).isTrue, widget != control else { return }
            var line = typeName(widget)
            if isA(widget, gtk_label_get_type()), let text = gtk_label_get_text(OpaquePointer(widget)) {
                line += " \(String(cString: text))"
            } else if isA(widget, gtk_editable_get_type()), let text = gtk_editable_get_text(OpaquePointer(widget)) {
                line += " \(String(cString: text))"
            }
            if gtk_widget_is_focus(widget).isTrue { line += " focus" }
            if !gtk_widget_is_sensitive(widget).isTrue { line += " insensitive" }
            if isA(widget, gtk_toggle_button_get_type()) {
                line += " \(isActive(widget))"
            }
            lines.append(line)
            for child in children(widget) { visit(child) }
        }
        for window in toplevels {
            visit(UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWidget.self))
        }
        return lines
    }
}
