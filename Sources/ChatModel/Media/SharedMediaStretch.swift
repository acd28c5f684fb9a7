internal import ChatStore

/// The newest messages of a conversation that have files of some kinds, as far back as was asked for; newest first.
struct SharedMediaStretch: Sendable, Equatable {
    let kinds: Set<Attachment.Kind>
    let pageSize: Int
    private(set) var messages: [StoredMessage] = []
    /// There is nothing before ``messages``.
    private(set) var reachesOldest = false
    /// Everything from here on is in ``messages``; `nil` stands for the beginning, or for nothing that was read yet. It stays where it is
    /// when the message there goes.
    private var start: TimelinePosition?

    init(_ kinds: Set<Attachment.Kind>, pageSize: Int) {
        self.kinds = kinds
        self.pageSize = max(1, pageSize)
    }

    /// Adds a page of older ones.
    mutating func loadOlder(_ conversation: ConversationID, _ store: any StoreReader) throws(StoreError) {
        guard !reachesOldest else { return }
        let rows = try store.sharedMedia(of: conversation, kinds, before: start, limit: pageSize + 1)
        messages += rows.prefix(pageSize)
        reachesOldest = rows.count <= pageSize
        start = reachesOldest ? nil : messages.last?.position
    }

    /// Looks at messages that changed, and at no others; what has gone makes room for older ones.
    mutating func refresh(
        _ changed: Set<MessageID>, _ conversation: ConversationID, _ store: any StoreReader
    ) throws(StoreError) {
        messages.removeAll { changed.contains($0.id) }
        for id in changed {
            guard let message = try store.message(id), message.conversation == conversation,
                message.text.attachments.contains(where: { kinds.contains($0.kind) }), holds(message.position)
            else { continue }
            messages.append(message)
        }
        messages.sort { $0.position > $1.position }
        if messages.count < pageSize { try loadOlder(conversation, store) }
    }

    private func holds(_ position: TimelinePosition) -> Bool {
        start.map { position >= $0 } ?? reachesOldest
    }
}
