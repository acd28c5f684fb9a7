internal import ChatEngine
public import ChatStore
internal import MessageFeatures

/// What a person does to a message in the timeline. The timeline follows the store, so it shows what is kept.
extension Timeline {
    /// Sends a message again that failed.
    public func retry(_ message: MessageID) async throws(StoreError) {
        try await actions?.retry(message)
    }

    /// Takes back a message that has not left.
    public func cancel(_ message: MessageID) async throws(StoreError) {
        try await actions?.cancel(message)
    }

    /// Adds an emoji of this person to a message, or takes it back. All emoji of a person are sent each time (XEP-0444 §3).
    ///
    /// - Returns: `false` where that is impossible: the message is gone, or has no name yet by which others know it.
    @discardableResult
    public func toggleReaction(_ emoji: String, to message: MessageID) async throws(StoreError) -> Bool {
        guard let actions, let stored = try await stored(message), !stored.isRetracted else { return false }
        guard let target = stored.reference(in: key, for: .reaction) else { return false }
        let emoji = MessageReactions.qualified(emoji)
        var own = stored.reactions.filter { isOwn($0.sender) }.map { MessageReactions.qualified($0.emoji) }
        if let index = own.firstIndex(of: emoji) { own.remove(at: index) } else { own.append(emoji) }
        _ = try await actions.send(.reactions(to: target, own), in: key)
        return true
    }

    /// Takes back a message of this person from everybody who got it; one that has not left is only cancelled.
    ///
    /// - Returns: `false` where that is impossible: the message is gone, or has no name yet by which others know it.
    @discardableResult
    public func retract(_ message: MessageID) async throws(StoreError) -> Bool {
        guard let actions, let stored = try await stored(message), stored.isOutgoing, !stored.isRetracted else {
            return false
        }
        guard try await hasLeft(stored) else {
            try await actions.cancel(message)
            return true
        }
        guard let target = stored.reference(in: key, for: .retraction) else { return false }
        _ = try await actions.send(.retraction(of: target), in: key)
        return true
    }

    /// By which name a moderator can delete what somebody else said in a room (XEP-0425 §3); `nil` where that is impossible: the message is
    /// one's own or deleted, or the room has not archived it.
    public func moderationID(of message: MessageID) async throws(StoreError) -> String? {
        guard key.kind == .room, let stored = try await stored(message), !stored.isOutgoing, !stored.isRetracted else {
            return nil
        }
        return stored.archiveReference?.id
    }

    /// Somebody may have got the message: it was given to a connection, whatever came of that.
    private func hasLeft(_ message: StoredMessage) async throws(StoreError) -> Bool {
        switch message.state {
        case .sentToServer, .delivered, .displayed: return true
        case .failed(let reason): return reason.kind != .notSent
        case .queued:
            let (id, account) = (message.id, key.account)
            return try await store.read { store throws(StoreError) in
                try store.sendQueue(of: account).contains {
                    // An attempt to upload its files has told the message to nobody.
                    $0.message.id == id && $0.attempts > 0 && !$0.hasFileToUpload
                }
            }
        }
    }

    /// Removes a message from this device only.
    public func remove(_ message: MessageID) async throws(StoreError) {
        try await store.write { store throws(StoreError) in
            if try store.message(message) != nil { try store.removeMessage(message) }
        }
    }

    /// All texts that a message has had.
    public func versions(of message: MessageID) async throws(StoreError) -> [MessageVersion] {
        try await store.read { store throws(StoreError) in
            try store.message(message) == nil ? [] : try store.versions(of: message)
        }
    }

    private func stored(_ message: MessageID) async throws(StoreError) -> StoredMessage? {
        try await store.read { store throws(StoreError) in try store.message(message) }
    }
}
