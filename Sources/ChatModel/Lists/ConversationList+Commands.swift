public import ChatEngine
public import ChatStore

/// What a person does to a conversation in the list. The list follows the store, so it shows what is kept.
extension ConversationList {
    public func pin(_ id: ConversationID, _ isPinned: Bool = true) async throws(StoreError) {
        try await change(id) { settings in
            settings.isPinned = isPinned
            // At the top is not out of sight.
            if isPinned { settings.isArchived = false }
        }
    }

    /// Puts a conversation out of sight, or back.
    public func archive(_ id: ConversationID, _ isArchived: Bool = true) async throws(StoreError) {
        try await change(id) { settings in
            settings.isArchived = isArchived
            if isArchived { settings.isPinned = false }
        }
    }

    /// For what a notification comes; ends a silence for a time.
    public func notify(
        _ id: ConversationID, for notifications: ConversationSettings.Notifications
    ) async throws(StoreError) {
        try await change(id) { settings in
            settings.notifications = notifications
            settings.mutedUntil = nil
        }
    }

    /// Silent until then; `nil` ends the silence.
    public func mute(_ id: ConversationID, until time: MessageTime?) async throws(StoreError) {
        try await change(id) { $0.mutedUntil = time }
    }

    /// Removes a conversation with its messages from this device.
    public func delete(_ id: ConversationID) async throws(StoreError) {
        try await store.write { store throws(StoreError) in
            guard try store.conversation(id) != nil else { return }
            try store.removeConversation(id)
        }
    }

    /// Shows a conversation as unread until it is read again; other devices do not learn of it.
    public func markUnread(_ id: ConversationID, _ isMarked: Bool = true) async throws(StoreError) {
        try await store.write { store throws(StoreError) in
            if try store.conversation(id) != nil { try store.setMarkedUnread(isMarked, in: id) }
        }
    }

    /// Marks everything that is here as read. Through its account where one is given, so that other devices and, where the
    /// person allows it, the sender hear of it.
    public func markRead(_ id: ConversationID, through actions: (any ConversationActions)?) async throws(StoreError) {
        let conversation = try await store.read { store throws(StoreError) in try store.conversation(id) }
        if let conversation, conversation.isMarkedUnread { try await markUnread(id, false) }
        guard let conversation, conversation.unreadCount > 0, let last = conversation.lastMessage?.id else { return }
        if let actions {
            try await actions.markRead(upTo: last, in: conversation.key)
        } else {
            try await store.write { store throws(StoreError) in try store.markRead(upTo: last) }
        }
    }

    /// Sends a text from elsewhere than the conversation itself, and marks as read what was there before it: whoever answers has read.
    ///
    /// - Returns: whether there was something to send, and a conversation to send it to.
    public func answer(
        _ id: ConversationID, with text: String, through actions: any ConversationActions
    ) async throws(StoreError) -> Bool {
        let words = text.trimmingWhitespace
        let conversation = try await store.read { store throws(StoreError) in try store.conversation(id) }
        guard let conversation, !words.isEmpty else { return false }
        _ = try await actions.send(.text(MessageText(words)), in: conversation.key)
        if conversation.isMarkedUnread { try await markUnread(id, false) }
        if conversation.unreadCount > 0, let last = conversation.lastMessage?.id {
            try await actions.markRead(upTo: last, in: conversation.key)
        }
        return true
    }

    private func change(
        _ id: ConversationID, _ body: @escaping @Sendable (inout ConversationSettings) -> Void
    ) async throws(StoreError) {
        try await store.write { store throws(StoreError) in
            guard let conversation = try store.conversation(id) else { return }
            var settings = conversation.settings
            body(&settings)
            if settings != conversation.settings { try store.update(settings, of: id) }
        }
    }
}

/// What the models ask of the account that a conversation belongs to. `ChatAccount` does it; tests give another.
public protocol ConversationActions: Sendable {
    /// Keeps a message for sending; it goes out when it can.
    func send(_ content: MessageContent, in key: ConversationKey) async throws(StoreError) -> MessageID
    /// Sends a message again that failed.
    func retry(_ message: MessageID) async throws(StoreError)
    /// Takes back a message that did not leave.
    func cancel(_ message: MessageID) async throws(StoreError)
    /// This conversation is in front of the person; its history comes first.
    func opened(_ key: ConversationKey?) async
    /// Asks the archive for one page before what is here.
    func loadOlder(in key: ConversationKey) async -> OlderHistory
    /// Remembers up to where was read, and tells those who shall know.
    func markRead(upTo message: MessageID, in key: ConversationKey) async throws(StoreError)
    /// Tells the other side that this person is writing, or is not any more.
    func setComposing(_ isComposing: Bool, in key: ConversationKey) async
}
