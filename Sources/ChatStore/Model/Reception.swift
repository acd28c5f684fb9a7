/// What became of a copy.
public enum Reception: Hashable, Sendable {
    /// It was new.
    case stored(MessageID)
    /// The message was known; what this copy knew better was taken from it.
    case known(MessageID)
    /// It is about a message that is not here yet, or about somebody else's, which only that person may correct or retract;
    /// it stays out of sight until a message comes to which it may be done.
    case waiting(MessageID)

    /// The number of the message, or of the correction, reaction or retraction.
    public var id: MessageID {
        switch self {
        case .stored(let id), .known(let id), .waiting(let id): id
        }
    }
}
