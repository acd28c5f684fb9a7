internal import CGTK

/// Reports what the user does in any window of the program: keys, buttons, touches, the wheel, and movements of the pointer.
///
/// GTK also reports a movement when something moves under a pointer that rests, such as a list with a new row. Only another
/// position in the same window counts.
public final class UserInput {
    private let windows: Object
    private var appearing: Object.Connection?
    private var pointer: (surface: OpaquePointer?, x: Double, y: Double)?
    private let happened: () -> Void

    /// - Parameter happened: called for each event, which may be hundreds in a second.
    public init(_ happened: @escaping () -> Void) {
        self.happened = happened
        windows = Object(borrowing: UnsafeMutableRawPointer(gtk_window_get_toplevels()))
        watch(0..<g_list_model_get_n_items(windows.cast()))
        // This is no wrapper of a widget: when it is gone, nothing is watched any more.
        let watch: (Range<guint>) -> Void = { [weak self] indices in self?.watch(indices) }
        appearing = windows.connect("items-changed") { call in
            // The position, how many were removed there, and how many were added.
            let (position, added) = (guint(call.unsigned(1)), guint(call.unsigned(3)))
            watch(position..<position + added)
        }
    }

    /// Watches no further windows.
    public func end() {
        if let appearing { windows.disconnect(appearing) }
        appearing = nil
    }

    private func watch(_ indices: Range<guint>) {
        for index in indices {
            guard let window = g_list_model_get_item(windows.cast(), index) else { continue }
            Widget(adopting: window).onEvent { [weak self] event in self?.received(event) }
        }
    }

    private func received(_ event: OpaquePointer) {
        switch gdk_event_get_event_type(event) {
        case .keyPress, .buttonPress, .scroll, .touchBegin, .touchUpdate, .touchpadSwipe, .touchpadPinch: happened()
        case .motionNotify:
            var (x, y) = (0.0, 0.0)
            guard gdk_event_get_position(event, &x, &y).isTrue else { return }
            let (last, surface) = (pointer, gdk_event_get_surface(event))
            pointer = (surface, x, y)
            if let last, last.surface == surface, (last.x, last.y) != (x, y) { happened() }
        default: break
        }
    }
}
