/// What happens without asking.
public struct GroupChatPolicy: Sendable {
    /// Rooms are entered again when the place in them was lost through no will of anybody.
    public var returns = true
    /// After how much silence a room is asked whether I am still in (XEP-0410 §3.1 names 15 minutes).
    public var silenceLimit = Duration.seconds(900)
    /// How often silence is looked for, and a room that could not be entered again is tried again.
    public var inspectionInterval = Duration.seconds(60)
    /// How long a room may take to let somebody in: a large one sends thousands of presences first.
    public var entrancePatience = Duration.seconds(60)

    public init() {}
}
