/// Why an archive gave no page.
public enum HistoryFailure: Error, Hashable, Sendable {
    /// It no longer knows the item that the page was to begin at (`item-not-found`): it was cleared, or keeps its items
    /// for a limited time.
    case cursorLost
    /// It does not answer to this account, or there is none.
    case refused
    /// It may answer later.
    case temporary
}
