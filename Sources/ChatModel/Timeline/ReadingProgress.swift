internal import ChatStore

/// What the user has read of a conversation since it was opened: the unread separator, and up to where it is read.
@MainActor
final class ReadingProgress {
    private let key: ConversationKey
    private let store: any LocalStore
    private let actions: (any ConversationActions)?
    /// The unread separator, with the number of unread messages when the conversation was opened.
    private(set) var separator: (position: TimelinePosition, count: Int)?
    /// Up to where it was marked as read.
    private var askedToRead: TimelinePosition?

    init(_ key: ConversationKey, _ store: any LocalStore, _ actions: (any ConversationActions)?) {
        self.key = key
        self.store = store
        self.actions = actions
    }

    /// The conversation was opened.
    func opened(_ contents: TimelineContents, unread: TimelinePosition?) {
        separator = unread.map { ($0, contents.unreadCount) }
        // A conversation marked as unread is read when it is opened again.
        if contents.isMarkedUnread { askedToRead = nil }
    }

    /// What was read and answered is not new any more.
    func changed(_ contents: TimelineContents) {
        if let separator, contents.unreadCount == 0, let newest = contents.newest, newest.isOutgoing,
            newest.position > separator.position
        {
            self.separator = nil
        }
    }

    /// A message was visible to the user.
    func seen(_ message: MessageID, in contents: TimelineContents) async throws(StoreError) {
        guard let position = contents.window.messages.first(where: { $0.id == message })?.position else { return }
        if let askedToRead, position <= askedToRead { return }
        let before = askedToRead
        askedToRead = position
        guard contents.unreadCount > 0 || contents.isMarkedUnread else { return }
        do throws(StoreError) {
            if let actions {
                try await actions.markRead(upTo: message, in: key)
            } else {
                try await store.write { store throws(StoreError) in try store.markRead(upTo: message) }
            }
        } catch {
            askedToRead = before
            throw error
        }
    }
}
