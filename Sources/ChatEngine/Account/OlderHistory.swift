/// What came of asking an archive for what is before the oldest message that is here.
public enum OlderHistory: Hashable, Sendable {
    /// A page came and is in the store; it may have held nothing for this conversation.
    case arrived
    /// Nothing is before what is here.
    case nothingMore
    /// The archive cannot be asked now; there is no connection, or it does not answer.
    case notNow
}
