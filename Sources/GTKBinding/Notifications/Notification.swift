internal import CGTK

/// A notification as GIO sends it.
final class Notification: Object {
    convenience init(_ content: NotificationContent) {
        self.init(adopting: UnsafeMutableRawPointer(g_notification_new(content.title)))
        g_notification_set_body(cast(), content.body)
        if content.priority == .high { g_notification_set_priority(cast(), .high) }
        if let picture = content.picture { show(picture: picture) }
        if let click = content.click {
            g_notification_set_default_action_and_target_value(
                cast(), click.name, g_variant_new_string(click.target))
        }
        if let reply = content.reply { addButton(reply.label, reply.action) }
        for button in content.buttons { addButton(button.label, button.action) }
    }

    private func show(picture: [UInt8]) {
        let bytes = picture.withUnsafeBytes { g_bytes_new($0.baseAddress, gsize($0.count)) }
        defer { g_bytes_unref(bytes) }
        let icon = Object(adopting: UnsafeMutableRawPointer(g_bytes_icon_new(bytes)))
        icon.use { g_notification_set_icon(cast(), $0) }
    }

    private func addButton(_ label: String, _ action: NotificationAction) {
        g_notification_add_button_with_target_value(
            cast(), label, action.name, g_variant_new_string(action.target))
    }
}
