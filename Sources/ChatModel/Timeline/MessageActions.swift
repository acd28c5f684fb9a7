internal import ChatEngine
public import ChatStore
public import MessageFeatures
public import Observation

/// The user's actions on the messages of a conversation. The timeline follows the store and shows the result.
@MainActor
@Observable
public final class MessageActions {
    /// Which reactions are accepted in this conversation; `nil` for all.
    public package(set) var reactionRestrictions: ReactionRestrictions?

    @ObservationIgnored private let key: ConversationKey
    @ObservationIgnored private let store: any LocalStore
    @ObservationIgnored private let account: (any ConversationActions)?

    init(_ key: ConversationKey, _ store: any LocalStore, _ account: (any ConversationActions)?) {
        self.key = key
        self.store = store
        self.account = account
    }

    /// Sends a failed message again.
    public func retry(_ message: MessageID) async throws(StoreError) {
        try await account?.retry(message)
    }

    /// Cancels a message that was not sent yet.
    public func cancel(_ message: MessageID) async throws(StoreError) {
        try await account?.cancel(message)
    }

    /// The reactions that a menu offers, and whether others can be chosen: not where only certain ones are accepted.
    ///
    /// - Parameters:
    ///   - usual: those that are offered where all are accepted.
    ///   - limit: how many of the accepted ones are offered.
    public func offeredReactions(_ usual: [String], limit: Int) -> (emojis: [String], hasOthers: Bool) {
        guard let restrictions = reactionRestrictions else { return (usual, true) }
        if restrictions.maximumPerUser == 0 { return ([], false) }
        return restrictions.allowed.map { (Array($0.prefix(limit)), false) } ?? (usual, true)
    }

    /// Adds or removes one of the user's reactions to a message. A reaction message contains all emoji of the sender
    /// (XEP-0444 §3). Where fewer are accepted, earlier ones are removed.
    ///
    /// - Returns: `false` if the message is gone, has no identifier yet that others know, or the emoji is not accepted here
    ///   (``reactionRestrictions``).
    @discardableResult
    public func toggleReaction(_ emoji: String, to message: MessageID) async throws(StoreError) -> Bool {
        guard let account, let stored = try await stored(message), !stored.isRetracted else { return false }
        guard let target = stored.reference(in: key, for: .reaction) else { return false }
        let emoji = MessageReactions.qualified(emoji)
        var own = stored.reactions.filter(\.isOutgoing).map { MessageReactions.qualified($0.emoji) }
        if let index = own.firstIndex(of: emoji) {
            own.remove(at: index)
            own = reactionRestrictions?.accepted(of: own) ?? own
        } else if let restrictions = reactionRestrictions {
            guard let accepted = restrictions.adding(emoji, to: own) else { return false }
            own = accepted
        } else {
            own.append(emoji)
        }
        _ = try await account.send(.reactions(to: target, own), in: key)
        return true
    }

    /// Retracts one of the user's own messages; one that was not sent yet is only cancelled.
    ///
    /// - Returns: `false` if the message is gone, or has no identifier yet that others know.
    @discardableResult
    public func retract(_ message: MessageID) async throws(StoreError) -> Bool {
        guard let account, let stored = try await stored(message), stored.isOutgoing, !stored.isRetracted else {
            return false
        }
        guard try await hasLeft(stored) else {
            try await account.cancel(message)
            return true
        }
        guard let target = stored.reference(in: key, for: .retraction) else { return false }
        _ = try await account.send(.retraction(of: target), in: key)
        return true
    }

    /// The archive id by which a moderator can delete another person's message in a room (XEP-0425 §3); `nil` if the
    /// message is the user's own or deleted, or not archived.
    public func moderationID(of message: MessageID) async throws(StoreError) -> String? {
        guard key.kind == .room, let stored = try await stored(message), !stored.isOutgoing, !stored.isRetracted else {
            return nil
        }
        return stored.archiveReference?.id
    }

    /// Whether others may have received the message: it was passed to a connection, with whatever result.
    private func hasLeft(_ message: StoredMessage) async throws(StoreError) -> Bool {
        switch message.state {
        case .sentToServer, .delivered, .displayed: return true
        case .failed(let reason): return reason.kind != .notSent
        case .queued:
            let id = message.id
            guard let entry = try await store.read({ store throws(StoreError) in try store.queued(id) }) else {
                return false
            }
            // An attempt that only uploaded files has not sent the message.
            return entry.attempts > 0 && !entry.hasFileToUpload
        }
    }

    /// Deletes a message on this device only.
    public func remove(_ message: MessageID) async throws(StoreError) {
        try await store.write { store throws(StoreError) in
            if try store.message(message) != nil { try store.removeMessage(message) }
        }
    }

    /// All versions of the text of a message.
    public func versions(of message: MessageID) async throws(StoreError) -> [MessageVersion] {
        try await store.read { store throws(StoreError) in
            try store.message(message) == nil ? [] : try store.versions(of: message)
        }
    }

    private func stored(_ message: MessageID) async throws(StoreError) -> StoredMessage? {
        try await store.read { store throws(StoreError) in try store.message(message) }
    }
}
