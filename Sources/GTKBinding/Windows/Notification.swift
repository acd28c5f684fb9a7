internal import CGTK

/// Something that the desktop tells the person, also while no window of the program is in front.
public final class Notification: Object {
    public init(_ title: String, body: String) {
        super.init(adopting: UnsafeMutableRawPointer(g_notification_new(title)))
        g_notification_set_body(cast(), body)
    }

    public enum Priority {
        case low, normal, high, urgent

        var gtk: GNotificationPriority {
            switch self {
            case .low: .low
            case .normal: .normal
            case .high: .high
            case .urgent: .urgent
            }
        }
    }

    public func use(_ priority: Priority) { g_notification_set_priority(cast(), priority.gtk) }

    /// The icon of the theme that stands beside it.
    public func show(icon: String) {
        let icon = Object(adopting: UnsafeMutableRawPointer(g_themed_icon_new(icon)))
        icon.use { g_notification_set_icon(cast(), $0) }
    }

    /// A picture of its own, for example the avatar.
    public func show(picture: [UInt8]) {
        let bytes = picture.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        defer { g_bytes_unref(bytes) }
        let icon = Object(adopting: UnsafeMutableRawPointer(g_bytes_icon_new(bytes)))
        icon.use { g_notification_set_icon(cast(), $0) }
    }

    /// What is done when it is clicked: an action of the program (`app.…`) with a text.
    public func setDefaultAction(_ action: String, target: String) {
        g_notification_set_default_action_and_target_value(cast(), action, g_variant_new_string(target))
    }

    public func addButton(_ label: String, _ action: String, target: String) {
        g_notification_add_button_with_target_value(cast(), label, action, g_variant_new_string(target))
    }
}
