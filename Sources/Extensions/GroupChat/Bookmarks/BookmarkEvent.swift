public import XMPPAddress

/// What happened to the bookmarks, on this device or on another one.
public enum BookmarkEvent: Sendable, Equatable {
    /// The whole list came from the server.
    case populated
    /// A bookmark is new or different.
    case changed(room: JID, Bookmark)
    case removed(room: JID)
}
