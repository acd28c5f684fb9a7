public import ChatEngine
public import ChatStore

/// The user's actions on a conversation. The list follows the store and shows the result.
extension ConversationList {
    /// Pins a conversation below the others that are pinned, or unpins it.
    public func pin(_ id: ConversationID, _ isPinned: Bool = true) async throws(StoreError) {
        let others = pinned.filter { $0 != id }
        try await store.write { store throws(StoreError) in
            guard var settings = try store.conversation(id)?.settings, settings.isPinned != isPinned else { return }
            settings.isPinned = isPinned
            // A pinned conversation is not archived.
            if isPinned { settings.isArchived = false }
            try store.update(settings, of: id)
            if isPinned { try store.rank(others + [id]) }
        }
    }

    /// The pinned conversations in their order, regardless of the search.
    public var pinned: [ConversationID] {
        all.values.filter(\.isPinned).sorted(by: ConversationRow.isBefore).map(\.id)
    }

    /// Moves a pinned conversation one place up or down among the pinned ones.
    ///
    /// - Parameter step: -1 is up, 1 is down.
    /// - Returns: `false` if there is no such place.
    public func movePinned(_ id: ConversationID, by step: Int) async throws(StoreError) -> Bool {
        guard let place = pinned.firstIndex(of: id), pinned.indices.contains(place + step) else { return false }
        var order = pinned
        order.swapAt(place, place + step)
        try await store.write { [order] store throws(StoreError) in try store.rank(order) }
        return true
    }

    /// Archives a conversation, or takes it out of the archive.
    public func archive(_ id: ConversationID, _ isArchived: Bool = true) async throws(StoreError) {
        try await change(id) { settings in
            settings.isArchived = isArchived
            if isArchived { settings.isPinned = false }
        }
    }

    /// Sets which messages cause a notification; ends a temporary mute. With `actions`, the user's other devices follow.
    public func notify(
        _ id: ConversationID, for notifications: ConversationSettings.Notifications,
        through actions: (any ConversationActions)? = nil
    ) async throws(StoreError) {
        try await change(id) { settings in
            settings.notifications = notifications
            settings.mutedUntil = nil
        }
        if let actions, let key = row(id)?.key { await actions.share(notifications, of: key) }
    }

    /// Mutes the conversation until `time`; `nil` ends it.
    public func mute(_ id: ConversationID, until time: MessageTime?) async throws(StoreError) {
        try await change(id) { $0.mutedUntil = time }
    }

    /// Deletes a conversation with its messages from this device.
    public func delete(_ id: ConversationID) async throws(StoreError) {
        try await store.write { store throws(StoreError) in
            guard try store.conversation(id) != nil else { return }
            try store.removeConversation(id)
        }
    }

    /// Marks a conversation as unread until it is read again; not synchronised with other devices.
    public func markUnread(_ id: ConversationID, _ isMarked: Bool = true) async throws(StoreError) {
        try await store.write { store throws(StoreError) in
            if try store.conversation(id) != nil { try store.setMarkedUnread(isMarked, in: id) }
        }
    }

    /// Marks all messages as read. With `actions`, through the account, so that other devices and, if the user allows
    /// it, the sender are informed.
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

    /// Sends a text from outside of the conversation, and marks the messages before it as read.
    ///
    /// - Returns: `false` if there was nothing to send, or no such conversation.
    public func reply(
        to id: ConversationID, with text: String, through actions: any ConversationActions
    ) async throws(StoreError) -> Bool {
        let trimmed = text.trimmingWhitespace
        let conversation = try await store.read { store throws(StoreError) in try store.conversation(id) }
        guard let conversation, !trimmed.isEmpty else { return false }
        _ = try await actions.send(.text(MessageText(trimmed)), in: conversation.key)
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

/// The operations of an account that the models of a conversation need. `ChatAccount` conforms; tests use their own.
public protocol ConversationActions: Sendable {
    /// Queues a message for sending.
    func send(_ content: MessageContent, in key: ConversationKey) async throws(StoreError) -> MessageID
    /// Sends a failed message again.
    func retry(_ message: MessageID) async throws(StoreError)
    /// Cancels a message that was not sent yet.
    func cancel(_ message: MessageID) async throws(StoreError)
    /// The user has opened this conversation, so its history is synchronised first.
    func opened(_ key: ConversationKey?) async
    /// Requests one page of older messages from the archive.
    func loadOlder(in key: ConversationKey) async -> OlderHistory
    /// Saves the read position, and informs other devices and senders as configured.
    func markRead(upTo message: MessageID, in key: ConversationKey) async throws(StoreError)
    /// Shares which messages cause a notification with the user's other devices, as far as the server can store it.
    func share(_ notifications: ConversationSettings.Notifications, of key: ConversationKey) async
    /// Sends a typing notification.
    func setComposing(_ isComposing: Bool, in key: ConversationKey) async
}

extension ConversationActions {
    public func share(_ notifications: ConversationSettings.Notifications, of key: ConversationKey) async {}
}

extension StoreWriter {
    /// Stores the places of pinned conversations.
    fileprivate func rank(_ pinned: [ConversationID]) throws(StoreError) {
        for (rank, id) in pinned.enumerated() {
            guard var settings = try conversation(id)?.settings, settings.isPinned, settings.pinRank != rank else {
                continue
            }
            settings.pinRank = rank
            try update(settings, of: id)
        }
    }
}
