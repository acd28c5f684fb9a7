internal import CGTK

/// When a handler is called.
public enum EventPhase {
    /// Before the widgets inside.
    case capture
    /// After the widgets inside.
    case bubble

    var gtk: GtkPropagationPhase { self == .capture ? .capture : .bubble }
}

/// The modifier keys that are held down.
public struct Modifiers: OptionSet, Sendable {
    public let rawValue: UInt32

    public nonisolated init(rawValue: UInt32) { self.rawValue = rawValue }

    public nonisolated static let shift = Modifiers(rawValue: 1 << 0)
    public nonisolated static let control = Modifiers(rawValue: 1 << 2)
    public nonisolated static let alt = Modifiers(rawValue: 1 << 3)
}

/// A key press.
public struct KeyPress {
    public enum Key {
        case enter, escape, up, down, left, right, pageUp, pageDown, home, end, tab, delete, backspace, space, menu
        case other
    }

    public let key: Key
    /// The key value of GDK.
    public let value: UInt32
    public let modifiers: Modifiers

    /// Whether it requests the menu of the focused widget.
    public var asksForMenu: Bool { key == .menu || value == UInt32(GDK_KEY_F10) && modifiers == .shift }

    /// The character that the key writes; `nil` for keys such as Return and for shortcuts.
    public var character: Character? {
        guard modifiers.isSubset(of: .shift), key == .other || key == .space else { return nil }
        guard let scalar = Unicode.Scalar(gdk_keyval_to_unicode(value)), scalar.value >= 0x20, scalar.value != 0x7F
        else {
            return nil
        }
        return Character(scalar)
    }

    /// The Latin letter or the digit printed on the key, in lower case, with whatever modifiers: on a keyboard of another
    /// script that of its second layout.
    public var letter: Character? {
        func ascii(_ value: UInt32) -> Character? {
            guard let scalar = Unicode.Scalar(gdk_keyval_to_unicode(gdk_keyval_to_lower(value))), scalar.isASCII,
                scalar.properties.isAlphabetic || scalar.properties.numericType == .decimal
            else { return nil }
            return Character(scalar)
        }
        return ascii(value) ?? code.flatMap { Self.values(of: $0).lazy.compactMap(ascii).first }
    }

    /// The hardware code of the key.
    private let code: UInt32?

    /// The key values of a key in all layouts.
    private static func values(of code: UInt32) -> [UInt32] {
        guard let display = gdk_display_get_default() else { return [] }
        var (values, count): (UnsafeMutablePointer<guint>?, gint) = (nil, 0)
        guard gdk_display_map_keycode(display, code, nil, &values, &count).isTrue, let values else { return [] }
        defer { g_free(values) }
        return (0..<Int(count)).map { values[$0] }
    }

    init(value: UInt32, modifiers: UInt32, code: UInt32? = nil) {
        self.value = value
        self.code = code
        self.modifiers = Modifiers(rawValue: modifiers).intersection([.shift, .control, .alt])
        key =
            switch Int32(bitPattern: value) {
            case GDK_KEY_Return, GDK_KEY_KP_Enter, GDK_KEY_ISO_Enter: .enter
            case GDK_KEY_Escape: .escape
            case GDK_KEY_Up, GDK_KEY_KP_Up: .up
            case GDK_KEY_Down, GDK_KEY_KP_Down: .down
            case GDK_KEY_Left, GDK_KEY_KP_Left: .left
            case GDK_KEY_Right, GDK_KEY_KP_Right: .right
            case GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up: .pageUp
            case GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down: .pageDown
            case GDK_KEY_Home, GDK_KEY_KP_Home: .home
            case GDK_KEY_End, GDK_KEY_KP_End: .end
            case GDK_KEY_Tab, GDK_KEY_ISO_Left_Tab: .tab
            case GDK_KEY_Delete: .delete
            case GDK_KEY_BackSpace: .backspace
            case GDK_KEY_space: .space
            case GDK_KEY_Menu: .menu
            default: .other
            }
    }
}

extension Widget {
    private func add(_ controller: OpaquePointer, _ phase: EventPhase) -> Object {
        gtk_event_controller_set_propagation_phase(controller, phase.gtk)
        // The widget takes over the reference of the constructor.
        let wrapper = Object(borrowing: UnsafeMutableRawPointer(controller))
        gtk_widget_add_controller(widget, controller)
        return wrapper
    }

    /// Calls `body` for each key press while the focus is in here; the result `true` stops the event.
    public func onKey(_ phase: EventPhase = .capture, _ body: @escaping (KeyPress) -> Bool) {
        onKey(phase) { _, press in body(press) }
    }

    /// The same with the widget itself, even if no wrapper of it is alive.
    func onKey(_ phase: EventPhase, _ body: @escaping (Emitter, KeyPress) -> Bool) {
        let controller = add(gtk_event_controller_key_new(), phase)
        controller.connect("key-pressed") { call in
            guard let key = call.emitter, let widget = gtk_event_controller_get_widget(key.cast()) else { return }
            let press = KeyPress(value: call.unsigned(1), modifiers: call.flags(3), code: call.unsigned(2))
            call.answer(body(Emitter(raw: UnsafeMutableRawPointer(widget)), press))
        }
    }

    /// Forwards what is typed in here, and that nothing inside has handled, to a text field, which gets the focus.
    ///
    /// - Parameter field: `nil` ignores the key.
    public func onTyping(_ field: @escaping (KeyPress) -> Widget?) {
        let controller = add(gtk_event_controller_key_new(), .bubble)
        controller.connect("key-pressed") { call in
            guard let key = call.emitter else { return }
            let press = KeyPress(value: call.unsigned(1), modifiers: call.flags(3), code: call.unsigned(2))
            guard press.character != nil, let field = field(press), field.grabFocus() else { return call.answer(false) }
            call.answer(gtk_event_controller_key_forward(key.cast(), field.widget).isTrue)
        }
    }

    /// Calls `body` after a button of the pointer was released in here, whatever widget inside has handled the click.
    public func onRelease(_ body: @escaping () -> Void) {
        onEvent { event in
            if gdk_event_get_event_type(event) == .buttonRelease { MainLoop.schedule(.idle) { body() } }
        }
    }

    /// Calls `body` with each event in here, before the widgets inside get it.
    func onEvent(_ body: @escaping (OpaquePointer) -> Void) {
        let controller = add(gtk_event_controller_legacy_new(), .capture)
        controller.connect("event") { call in
            if let event = call.instance(1) { body(OpaquePointer(event)) }
            call.answer(false)
        }
    }

    /// Calls `body` with the position of the pointer while it is over this, and with `nil` when it leaves.
    public func onPointer(_ body: @escaping ((x: Double, y: Double)?) -> Void) {
        let controller = add(gtk_event_controller_motion_new(), .capture)
        controller.connect("motion") { call in body((call.number(1), call.number(2))) }
        controller.connect("enter") { call in body((call.number(1), call.number(2))) }
        controller.on("leave") { body(nil) }
    }

    /// Calls `body` with the number of clicks and their position.
    ///
    /// - Parameter button: 1 is the primary button, 3 the one for menus.
    public func onClick(
        button: Int = 1, _ phase: EventPhase = .bubble,
        _ body: @escaping (_ count: Int, _ x: Double, _ y: Double) -> Void
    ) {
        let gesture = gtk_gesture_click_new()
        gtk_gesture_single_set_button(gesture, guint(button))
        add(gesture, phase).connect(button == 1 ? "released" : "pressed") { call in
            body(call.integer(1), call.number(2), call.number(3))
        }
    }

    /// Takes clicks of the primary button away from the widgets inside, as long as `isNeeded`.
    public func onCapturedClick(while isNeeded: @escaping () -> Bool, _ body: @escaping () -> Void) {
        let gesture = gtk_gesture_click_new()
        gtk_gesture_single_set_button(gesture, 1)
        let click = add(gesture, .capture)
        click.on("pressed") { gtk_gesture_set_state(gesture, isNeeded() ? .claimed : .denied) }
        click.on("released") { if isNeeded() { body() } }
    }

    /// Calls `body` at the position where a menu is requested: by the secondary button, a long touch, or the menu key.
    public func onMenu(_ body: @escaping (_ x: Double, _ y: Double) -> Void) {
        let gesture = gtk_gesture_click_new()
        gtk_gesture_single_set_button(gesture, 3)
        let click = add(gesture, .capture)
        // A selectable text has its own menu, with "Cut" and "Paste", which would open instead.
        click.on("pressed") { gtk_gesture_set_state(gesture, .claimed) }
        // Not while the button is down: GTK tracks the pressed widget and would treat the popup that opens meanwhile as
        // released.
        click.connect("released") { call in body(call.number(2), call.number(3)) }
        let touch = gtk_gesture_long_press_new()
        gtk_gesture_single_set_touch_only(touch, 1)
        add(touch, .bubble).connect("pressed") { call in body(call.number(1), call.number(2)) }
        onKey(.bubble) { widget, press in
            guard press.asksForMenu else { return false }
            body(Double(gtk_widget_get_width(widget.cast())) / 2, Double(gtk_widget_get_height(widget.cast())) / 2)
            return true
        }
    }

    /// Calls `began` and `ended` when the primary button is pressed and released, and `moved` with the distance in
    /// between.
    public func onDrag(
        began: @escaping (_ x: Double, _ y: Double) -> Void,
        moved: @escaping (_ x: Double, _ y: Double) -> Void = { _, _ in },
        ended: @escaping (_ x: Double, _ y: Double) -> Void = { _, _ in }
    ) {
        let drag = add(gtk_gesture_drag_new(), .bubble)
        drag.connect("drag-begin") { call in began(call.number(1), call.number(2)) }
        drag.connect("drag-update") { call in moved(call.number(1), call.number(2)) }
        drag.connect("drag-end") { call in ended(call.number(1), call.number(2)) }
    }

    /// The distance in pixels that is a swipe, and the one from which on a movement is no click any more.
    private static let (swipeDistance, clickDistance) = (80.0, 24.0)

    /// Calls `body` when the pointer or a finger was moved over this from right to left and released. Up and down it may move
    /// half as far at most.
    public func onSwipeLeft(_ body: @escaping () -> Void) {
        let drag = gtk_gesture_drag_new()
        let controller = add(drag, .bubble)
        func isSwipe(_ call: SignalArguments, _ distance: Double) -> Bool {
            call.number(1) <= -distance && abs(call.number(2)) * 2 <= -call.number(1)
        }
        controller.connect("drag-update") { call in
            // The row below would take the release for a click.
            if isSwipe(call, Widget.clickDistance) { gtk_gesture_set_state(drag, .claimed) }
        }
        controller.connect("drag-end") { call in
            if isSwipe(call, Widget.swipeDistance) { body() }
        }
    }

    /// As ``onDrag(began:moved:ended:)``, for actions that last while the button is held: `ended` gets the duration from the
    /// times of the events themselves, because a busy program handles them later.
    public func onHold(
        began: @escaping () -> Void, moved: @escaping (_ x: Double, _ y: Double) -> Void,
        ended: @escaping (_ held: Duration) -> Void
    ) {
        let drag = gtk_gesture_drag_new()
        // Before a button inside, which would handle the release itself.
        let controller = add(drag, .capture)
        var start: (event: guint32, clock: ContinuousClock.Instant) = (0, .now)
        controller.on("drag-begin") {
            start = (gtk_event_controller_get_current_event_time(drag), .now)
            began()
        }
        controller.connect("drag-update") { call in moved(call.number(1), call.number(2)) }
        controller.on("drag-end") {
            // Milliseconds that wrap around after 49 days; absent if something other than the pointer ended it.
            let end = gtk_event_controller_get_current_event_time(drag)
            ended(end == 0 ? start.clock.duration(to: .now) : .milliseconds(Int(end &- start.event)))
        }
    }

    /// Calls `body` with each step of the scroll wheel; the result `true` stops the event.
    public func onWheel(_ phase: EventPhase = .capture, _ body: @escaping (_ step: Double, Modifiers) -> Bool) {
        let wheel = gtk_event_controller_scroll_new([.vertical])
        let controller = add(wheel, phase)
        controller.connect("scroll") { call in
            let state = gtk_event_controller_get_current_event_state(wheel)
            call.answer(body(call.number(2), Modifiers(rawValue: state.rawValue)))
        }
    }
}
