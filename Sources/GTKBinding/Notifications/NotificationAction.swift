/// An action of the program (`app.…`) with what it is about.
public nonisolated struct NotificationAction: Sendable, Hashable {
    public let name: String
    public let target: String

    public init(_ name: String, target: String) {
        self.name = name
        self.target = target
    }
}
