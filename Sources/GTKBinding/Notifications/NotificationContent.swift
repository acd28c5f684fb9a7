internal import CGTK

/// The content of a notification for the user, independent of how it is sent.
public nonisolated struct NotificationContent: Sendable, Hashable {
    public enum Priority: Sendable, Hashable {
        case normal
        /// It concerns the user personally.
        case high
    }

    public struct Button: Sendable, Hashable {
        public let label: String
        public let action: NotificationAction
    }

    /// A field for an inline reply. On a desktop without inline replies it is a button with the action.
    public struct Reply: Sendable, Hashable {
        public let label: String
        /// The placeholder of the empty field.
        public let placeholder: String
        public let submitLabel: String
        public let action: NotificationAction

        public init(_ label: String, placeholder: String, submitLabel: String, action: NotificationAction) {
            self.label = label
            self.placeholder = placeholder
            self.submitLabel = submitLabel
            self.action = action
        }
    }

    /// Whether a sound announces it.
    public var isAudible = false
    public var title: String
    public var body: String
    public var priority = Priority.normal
    /// The bytes of a picture file, for example the avatar.
    public var picture: [UInt8]?
    /// The action of a click; without one the program is shown.
    public var click: NotificationAction?
    public var reply: Reply?
    public private(set) var buttons: [Button] = []

    public init(_ title: String, body: String) {
        self.title = title
        self.body = body
    }

    public mutating func addButton(_ label: String, _ action: NotificationAction) {
        buttons.append(Button(label: label, action: action))
    }
}

/// An action of the program (`app.…`) with its target.
public nonisolated struct NotificationAction: Sendable, Hashable {
    public let name: String
    public let target: String

    public init(_ name: String, target: String) {
        self.name = name
        self.target = target
    }
}

/// A destination of notifications. Each has an id chosen by the program, and replaces the previous one with the same
/// id.
public protocol NotificationSink: AnyObject {
    func send(_ notification: NotificationContent, id: String)
    func withdrawNotification(_ id: String)
}

/// Through GIO, which works on every desktop, without inline replies.
extension Application: NotificationSink {
    /// Sends a notification to the desktop; needs its session bus.
    public func send(_ notification: NotificationContent, id: String) {
        Notification(notification).use { g_application_send_notification(cast(), id, $0) }
        // GIO knows no sounds.
        if notification.isAudible { Bell.ring() }
    }
}

/// A picture as notifications carry it: pixels.
nonisolated struct NotificationPicture: Sendable {
    private let width: Int32
    private let height: Int32
    private let stride: Int32
    private let isTransparent: Bool
    private let bits: Int32
    private let colours: Int32
    private let pixels: [UInt8]

    /// More is not seen in a notification, and would have to go over the bus.
    private static let size: gint = 128

    /// Decodes and scales it, away from the main thread; `nil` for what is no picture.
    @concurrent
    static func decoded(_ encoded: [UInt8]) async -> NotificationPicture? {
        let bytes = encoded.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        defer { g_bytes_unref(bytes) }
        let input = g_memory_input_stream_new_from_bytes(bytes)
        defer { g_object_unref(UnsafeMutableRawPointer(input)) }
        guard let picture = gdk_pixbuf_new_from_stream_at_scale(input, size, size, true.gboolean, nil, nil) else {
            return nil
        }
        defer { g_object_unref(UnsafeMutableRawPointer(picture)) }
        guard let pixels = gdk_pixbuf_read_pixels(picture) else { return nil }
        return NotificationPicture(
            width: gdk_pixbuf_get_width(picture), height: gdk_pixbuf_get_height(picture),
            stride: gdk_pixbuf_get_rowstride(picture), isTransparent: gdk_pixbuf_get_has_alpha(picture).isTrue,
            bits: gdk_pixbuf_get_bits_per_sample(picture), colours: gdk_pixbuf_get_n_channels(picture),
            pixels: Array(UnsafeBufferPointer(start: pixels, count: Int(gdk_pixbuf_get_byte_length(picture)))))
    }

    /// Width, height, stride, opacity, bits of a colour, colours and the pixels.
    @MainActor
    var variant: Variant {
        Variant(tuple: [
            Variant(width), Variant(height), Variant(stride), Variant(isTransparent), Variant(bits), Variant(colours),
            Variant(bytes: pixels),
        ])
    }
}

/// The sound of the desktop that asks for attention.
@MainActor
public enum Bell {
    public static func ring() { if let display = gdk_display_get_default() { gdk_display_beep(display) } }
}
