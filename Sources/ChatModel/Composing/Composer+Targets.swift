public import ChatStore
internal import MessageFeatures

/// Answers and corrections.
extension Composer {
    /// Makes this an answer to a message; `nil` makes it none.
    public func answer(_ message: MessageID?) async throws(StoreError) {
        reply = try await target(message, for: .reply)
        changed()
    }

    /// Corrects a message of this person; what was written before comes back afterwards.
    ///
    /// - Returns: `false` if it cannot be corrected: it is somebody else's, was taken back, or has not been named yet.
    @discardableResult
    public func correct(_ message: MessageID) async throws(StoreError) -> Bool {
        let stored = try await store.read { store throws(StoreError) in try store.message(message) }
        guard let stored, stored.isOutgoing, !stored.isRetracted, !stored.protection.isNotOpened,
            let target = try await target(message, for: .correction)
        else { return false }
        if edit == nil { putAside = text }
        edit = target
        reply = nil
        text = stored.text.body
        return true
    }

    /// Corrects the last message of this person in the conversation.
    @discardableResult
    public func correctLast() async throws(StoreError) -> Bool {
        let last = try await store.read { [key] store throws(StoreError) in
            guard let conversation = try store.conversation(key) else { return nil as MessageID? }
            return try store.timeline(of: conversation, .newest, limit: Self.correctionReach)
                .last { $0.isOutgoing && !$0.isRetracted && !$0.text.body.isEmpty }?.id
        }
        guard let last else { return false }
        return try await correct(last)
    }

    /// So many messages back one's own last message is looked for; further up nobody means it.
    nonisolated static let correctionReach = 50

    /// Leaves the message as it is.
    public func cancelCorrection() {
        guard edit != nil else { return }
        edit = nil
        text = putAside ?? ""
        putAside = nil
        changed()
    }

    func target(
        _ message: MessageID?, for purpose: MessageIdentity.Purpose
    ) async throws(StoreError) -> Target? {
        guard let message else { return nil }
        return try await store.read { [key] store throws(StoreError) in
            try Self.target(message, key, AddressBook(store), store, for: purpose)
        }
    }

    nonisolated static func target(
        _ message: MessageID?, _ key: ConversationKey, _ book: AddressBook, _ store: any StoreReader,
        for purpose: MessageIdentity.Purpose
    ) throws(StoreError) -> Target? {
        guard let message, let stored = try store.message(message), !stored.isRetracted,
            try store.conversation(key) == stored.conversation,
            let reference = stored.reference(in: key, for: purpose)
        else { return nil }
        return Target(
            id: message, preview: MessagePreview(stored, senderName: book.author(stored.sender, in: key)),
            reference: reference)
    }
}
