internal import CGTK

/// Where notifications go; each has a name of the program's own, and another one by the same name takes its place.
public protocol NotificationSink: AnyObject {
    func send(_ notification: NotificationContent, id: String)
    func withdrawNotification(_ id: String)
}

/// GIO's way, which every desktop takes; an answer cannot be typed there.
extension Application: NotificationSink {
    /// Tells the desktop that the program has something to say; needs its session bus.
    public func send(_ notification: NotificationContent, id: String) {
        Notification(notification).use { g_application_send_notification(cast(), id, $0) }
    }
}
