import CGTK
import WindowFixtures

@testable import GTKBinding

/// Looks for marks that are hard to see (WCAG 2.1 §1.4.11): icons, ticks, the outlines of switches and choices, dots of presence,
/// badges.
@MainActor
enum Marks {
    /// The contrast that a mark needs. Antialiasing takes a little of it from thin strokes.
    static let needed = 2.95

    private struct Mark {
        let name: String
        let widget: Widget
        /// Around it, where its own colour covers most of it.
        let isFilled: Bool
        /// Pixels around its content, in which its outline is.
        let margin: Int
    }

    /// The padding of a check box: its outline is drawn at the edge of that.
    private static let padding = 3

    private static func cssName(_ widget: WidgetPointer) -> String {
        gtk_widget_get_css_name(widget).map { String(cString: $0) } ?? ""
    }

    private static func mark(_ widget: WidgetPointer) -> Mark? {
        let object = Widget(borrowing: UnsafeMutableRawPointer(widget))
        func mark(_ name: String, isFilled: Bool = false, margin: Int = 0) -> Mark {
            let around = sequence(first: widget) { gtk_widget_get_parent($0) }.dropFirst().prefix(2)
            return Mark(
                name: "\(name) of “\(around.map { WidgetTree.name(of: $0) }.joined(separator: "” in “"))”",
                widget: object,
                isFilled: isFilled, margin: margin)
        }
        if WidgetTree.isA(widget, gtk_image_get_type()) {
            let icon = gtk_image_get_icon_name(OpaquePointer(widget)).map { String(cString: $0) }
            // A picture has colours of its own.
            return icon.flatMap { $0.hasSuffix("-symbolic") ? mark($0) : nil }
        }
        if WidgetTree.isA(widget, gtk_switch_get_type()) { return mark("switch", isFilled: true) }
        if WidgetTree.isA(widget, gtk_drawing_area_get_type()) { return mark("drawing") }
        if object.has(css: "badge") { return mark("badge", isFilled: true) }
        if object.has(css: "presence-dot") { return mark("presence") }
        let name = cssName(widget)
        if name == "check" { return mark(name, margin: padding) }
        return ["radio", "arrow"].contains(name) ? mark(name) : nil
    }

    /// Whether no part of it is scrolled away.
    private static func isWhole(_ widget: Widget) -> Bool {
        guard let area = gtk_widget_get_ancestor(widget.widget, gtk_scrolled_window_get_type()) else { return true }
        let scroller = Widget(borrowing: UnsafeMutableRawPointer(area))
        guard let frame = widget.frame(in: scroller) else { return false }
        return frame.x >= 0 && frame.y >= 0 && frame.x + frame.width <= Double(scroller.width)
            && frame.y + frame.height <= Double(scroller.height)
    }

    private static func all(in window: Window) -> [Mark] {
        var found: [Mark] = []
        func visit(_ widget: WidgetPointer) {
            let object = Widget(borrowing: UnsafeMutableRawPointer(widget))
            // What cannot be used needs no contrast, and the buttons of the window belong to the desktop.
            guard object.isMapped, object.isSensitive, gtk_widget_get_child_visible(widget).isTrue,
                !WidgetTree.isA(widget, gtk_window_controls_get_type()), !WidgetTree.isA(widget, adw_avatar_get_type())
            else { return }
            if object.isOnScreen, isWhole(object), let mark = mark(widget) { found.append(mark) }
            // Its own icons are for high contrast.
            if WidgetTree.isA(widget, gtk_switch_get_type()) { return }
            for child in WidgetTree.children(widget) { visit(child) }
        }
        visit(window.widget)
        return found
    }

    /// The marks of a window with less contrast than they need.
    static func weak(in window: Window, _ pixels: Pixels) -> [String] {
        all(in: window).compactMap { mark in
            let contrast =
                mark.isFilled
                ? pixels.contrastToSurroundings(of: mark.widget, in: window)
                : pixels.contrast(of: mark.widget, in: window, margin: mark.margin)
            // One that is not drawn yet, or is scrolled away, has one colour.
            guard contrast > 1, contrast < needed else { return nil }
            return "\(mark.name) \((contrast * 100).rounded() / 100)"
        }
    }

    // MARK: Focus

    /// What Tab reaches, one of each kind.
    private static func stops(in window: Window) -> [WidgetPointer] {
        var (found, kinds): ([WidgetPointer], Set<String>) = ([], [])
        var seen: Set<WidgetPointer> = []
        gtk_window_set_focus(window.window, nil)
        while gtk_widget_child_focus(window.widget, .tabForward).isTrue {
            guard let focus = gtk_window_get_focus(window.window), seen.insert(focus).inserted else { break }
            let parent = gtk_widget_get_parent(focus).map { cssName($0) } ?? ""
            // A field has a caret.
            if WidgetTree.isA(focus, gtk_text_get_type()) || WidgetTree.isA(focus, gtk_text_view_get_type()) {
                continue
            }
            if kinds.insert("\(parent) \(cssName(focus))").inserted { found.append(focus) }
        }
        return found
    }

    /// How far outside of a widget its ring may be, in pixels.
    private static let ring = 6.0

    /// What does not show well enough that it has the focus.
    static func weakFocus(in window: Window) async -> [String] {
        var found: [String] = []
        for scheme in [StyleManager.Scheme.light, .dark] {
            StyleManager.use(scheme)
            await Toolkit.settle()
            for stop in stops(in: window) {
                gtk_window_set_focus(window.window, nil)
                var before: Pixels?
                _ = await Toolkit.eventually {
                    before = Pixels(window)
                    return before != nil
                }
                guard let before else { continue }
                let frame = Widget(borrowing: UnsafeMutableRawPointer(stop)).frame(in: window)
                let place = frame.map {
                    (x: $0.x - ring, y: $0.y - ring, width: $0.width + 2 * ring, height: $0.height + 2 * ring)
                }
                var change = 0.0
                // A frame in between may still show it without the focus.
                let end = ContinuousClock.now + Contrast.limit
                while change < needed, ContinuousClock.now < end {
                    gtk_widget_grab_focus(stop)
                    gtk_window_set_focus_visible(window.window, 1)
                    for _ in 0..<10 { _ = MainLoop.runIteration() }
                    change = Pixels(window)?.change(from: before, in: place) ?? 0
                    try? await Task.sleep(for: .milliseconds(20))
                }
                if change < needed {
                    found.append(
                        "\(scheme) \(cssName(stop)) “\(WidgetTree.name(of: stop))” \((change * 100).rounded() / 100)")
                }
            }
        }
        StyleManager.use(.light)
        return found
    }
}
