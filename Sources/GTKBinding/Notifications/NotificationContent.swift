internal import CGTK

/// What the desktop tells the person, however it does that.
public nonisolated struct NotificationContent: Sendable, Hashable {
    public enum Priority: Sendable, Hashable {
        case normal
        /// It is about this person in particular.
        case high
    }

    public struct Button: Sendable, Hashable {
        public let label: String
        public let action: NotificationAction
    }

    /// A field in which an answer is typed. Where the desktop has none it is a button with the action.
    public struct Reply: Sendable, Hashable {
        public let label: String
        /// What stands in the field while it is empty.
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
    /// The bytes of a picture's file, for example the avatar.
    public var picture: [UInt8]?
    /// What a click does; without one it shows the program.
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

/// An action of the program (`app.…`) with what it is about.
public nonisolated struct NotificationAction: Sendable, Hashable {
    public let name: String
    public let target: String

    public init(_ name: String, target: String) {
        self.name = name
        self.target = target
    }
}

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
