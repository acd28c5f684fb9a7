import CGTK
import Testing
import WindowFixtures

@testable import GTKBinding

/// Finds the controls of a window, or of a menu in it, uses each of them once, and looks at what has changed anywhere in the
/// program.
///
/// Each use has a window of its own, so that one control does not change what another one finds.
@MainActor
struct WindowCrawler {
    let scene: Scene
    /// What a control can change beside the windows: preferences, the store, the clipboard, toasts.
    let state: () async -> String

    struct Report {
        var controls: [String] = []
        var withoutEffect: [String] = []
        /// Those that are connected with nothing at all.
        var unconnected: [String] = []
    }

    /// How long an effect may take. Most are there with the next iteration of the main loop; test machines are slow and shared.
    private static let limit = Duration.seconds(20)
    /// After this time without an effect, Return is pressed in a field.
    private static let typingLimit = Duration.milliseconds(400)

    func crawl() async throws -> Report {
        var report = Report()
        let first = try await shown()
        let controls = Control.all(in: first.root, isMenu: scene.menu != nil)
        let exceptions = Control.names(scene.exceptions.keys)
        for name in scene.effects.keys where Control.names([name]).isDisjoint(with: controls.map(\.name)) {
            report.withoutEffect.append("\(name) (not found)")
        }
        for control in controls {
            if !exceptions.contains(control.name), let widget = control.widget(in: first.root),
                !Control.isConnected(widget)
            {
                report.unconnected.append(control.name)
            }
        }
        await Self.close()
        for control in controls where !exceptions.contains(control.name) {
            report.controls.append(control.name)
            let shown = try await shown()
            guard let widget = control.widget(in: shown.root) else {
                report.withoutEffect.append("\(control.name) (not found again)")
                await Self.close()
                continue
            }
            if await !hasEffect(control, widget, shown) {
                report.withoutEffect.append(control.name)
            }
            await Self.close()
        }
        return report
    }

    private func hasEffect(_ control: Control, _ widget: WidgetPointer, _ shown: Shown) async -> Bool {
        // The menu closes, and the focus returns to where it was: this is no effect.
        let isMenu = scene.menu != nil
        let left = isMenu ? shown.menu : [widget]
        // Only what the user edits can be applied.
        if control.use == .type { gtk_widget_grab_focus(widget) }
        let before = (
            windows: isMenu ? shown.before : WidgetTree.fingerprint(besides: left), state: await state()
        )
        let effect = scene.effects.first { Control.names([$0.key]).contains(control.name) }?.value
        // The effect is not there without it.
        if effect?() == true { return false }
        control.apply(to: widget)
        func isChanged() async -> Bool {
            if let effect { return effect() }
            // A menu within the menu.
            if isMenu, WidgetTree.isA(widget, gtk_menu_button_get_type()) {
                return gtk_menu_button_get_popover(OpaquePointer(widget)).map {
                    gtk_widget_get_mapped(UnsafeMutableRawPointer($0).assumingMemoryBound(to: GtkWidget.self)).isTrue
                } ?? false
            }
            if WidgetTree.fingerprint(besides: left, hasFocus: !isMenu) != before.windows { return true }
            return await state() != before.state
        }
        func waits(_ limit: Duration) async -> Bool {
            let end = ContinuousClock.now + limit
            while ContinuousClock.now < end {
                for _ in 0..<20 { _ = MainLoop.runIteration() }
                await Task.yield()
                if await isChanged() { return true }
                try? await Task.sleep(for: .milliseconds(5))
            }
            return false
        }
        guard control.use == .type else { return await waits(Self.limit) }
        if await waits(Self.typingLimit) { return true }
        control.enter(widget)
        return await waits(Self.limit)
    }

    // MARK: Windows

    private struct Shown {
        let root: WidgetPointer
        /// The menu, with the button that opens it.
        var menu: [WidgetPointer] = []
        /// What was shown before the menu was opened.
        var before: [String] = []
    }

    private func shown() async throws -> Shown {
        let window = try await scene.open()
        await Self.rest(window)
        if let part = scene.part {
            return Shown(root: try #require(await part(window), "\(scene.title): the part is not there"))
        }
        guard let menu = scene.menu else { return Shown(root: window.widget) }
        let button = await menu(window)
        let left = [button].compactMap { $0 }
        _ = await Toolkit.eventually { WidgetTree.openPopover(in: window) != nil }
        await Self.rest(window)
        let popover = try #require(WidgetTree.openPopover(in: window), "\(scene.title): no menu has opened")
        let all = left + [popover]
        return Shown(root: popover, menu: all, before: WidgetTree.fingerprint(besides: all, hasFocus: false))
    }

    /// Waits until nothing changes any more: what is loaded in the background would look like an effect.
    static func rest(_ window: Window) async {
        _ = await Toolkit.eventually { window.width > 0 }
        var last: [String] = []
        for _ in 0..<10 {
            await Toolkit.settle()
            try? await Task.sleep(for: .milliseconds(15))
            let now = WidgetTree.fingerprint()
            if now == last { break }
            last = now
        }
    }

    /// Closes everything that is open.
    static func close() async {
        for _ in 0..<5 {
            let windows = WidgetTree.toplevels
            if windows.isEmpty { break }
            // libadwaita 1.2 requires the rows in a dialog to live as long as the dialog.
            let dialogs = windows.filter { WidgetTree.isA($0.widget, adw_message_dialog_get_type()) }
            for window in dialogs.isEmpty ? windows : dialogs { dismiss(window) }
            await Toolkit.settle()
        }
    }

    private static func dismiss(_ window: UnsafeMutablePointer<GtkWindow>) {
        let widget = window.widget
        if WidgetTree.isA(widget, adw_message_dialog_get_type()) {
            gtk_window_close(window)
        } else if WidgetTree.isA(widget, gtk_file_chooser_dialog_get_type()) {
            // It belongs to an object that hides it when it is answered.
            guard gtk_widget_get_mapped(widget).isTrue else { return }
            gtk_dialog_response(UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkDialog.self), cancelled)
        } else {
            gtk_window_destroy(window)
        }
    }

    /// GTK_RESPONSE_CANCEL.
    private static let cancelled: gint = -6

    // MARK: Looking

    /// The texts that a person can read in a window.
    static func texts(of window: Widget) -> [String] { WidgetTree.texts(in: window.widget) }

    /// The question that is open.
    static var question: Window? {
        WidgetTree.toplevels.last {
            WidgetTree.isA($0.widget, adw_message_dialog_get_type()) && gtk_widget_get_mapped($0.widget).isTrue
        }.map { Window(toplevel: UnsafeMutableRawPointer($0)) }
    }

    /// Presses a button of the question that opens.
    static func answer(_ name: String) async -> Bool {
        guard await Toolkit.eventually({ question != nil }), let question else { return false }
        guard await click(name, in: question) else { return false }
        // GTK clicks by code a moment later.
        return await Toolkit.eventually { self.question == nil }
    }

    /// The window with an English title, as soon as it is there.
    static func window(_ title: String) async -> Window? {
        let titles = Control.names([title])
        func found() -> UnsafeMutablePointer<GtkWindow>? {
            WidgetTree.toplevels.first { window in
                gtk_widget_get_mapped(window.widget).isTrue
                    && gtk_window_get_title(window).map { titles.contains(String(cString: $0)) } ?? false
            }
        }
        guard await Toolkit.eventually({ found() != nil }) else { return nil }
        return found().map { Window(toplevel: UnsafeMutableRawPointer($0)) }
    }

    /// Types into the field or row with an English name, as soon as it is there. A field has its name only while it is empty.
    static func type(_ text: String, into name: String, in window: Widget) async -> Bool {
        let names = Control.names([name])
        return await Toolkit.eventually {
            let field = Control.all(in: window.widget).first { $0.use == .type && names.contains($0.name) }
            guard let widget = field?.widget(in: window.widget) else { return false }
            gtk_editable_set_text(OpaquePointer(widget), text)
            return true
        }
    }

    /// Uses the control with an English name, as soon as it is there.
    ///
    /// - Parameter window: `nil` for any.
    static func click(_ name: String, in window: Widget? = nil) async -> Bool {
        let names = Control.names([name])
        return await Toolkit.eventually {
            for root in window.map({ [$0.widget] }) ?? WidgetTree.toplevels.map(\.widget) {
                let control = Control.all(in: root).first { names.contains($0.name) }
                guard let control, let widget = control.widget(in: root) else { continue }
                control.apply(to: widget)
                return true
            }
            return false
        }
    }

    /// The texts that a person can read in any window.
    static var texts: [String] { WidgetTree.toplevels.flatMap { WidgetTree.texts(in: $0.widget) } }

    /// Chooses the page with an English name in a switcher.
    static func use(_ name: String, in window: Window) async {
        let names = Control.names([name])
        _ = await click(name, in: window)
        // A button that is chosen is no control any more.
        _ = await Toolkit.eventually { !Control.all(in: window.widget).contains { names.contains($0.name) } }
    }
}
