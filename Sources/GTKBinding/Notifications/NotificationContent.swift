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
    }
}
