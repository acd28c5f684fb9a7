internal import ChatStore
internal import XMPPStanzas

/// Makes the stanza of a message that waits, with what the store knows around it: the message that it answers, and when it was sent first.
struct QueuedStanzas: Sendable {
    let store: any LocalStore
    let composer: MessageComposer

    /// - Returns: `nil` for what cannot be put into a stanza.
    func stanza(for entry: QueuedMessage, to key: ConversationKey) async throws(StoreError) -> Message? {
        composer.stanza(
            for: entry, to: key, answering: try await answered(by: entry),
            firstSent: try await timeOfFirstSending(of: entry))
    }

    private func answered(by entry: QueuedMessage) async throws(StoreError) -> StoredMessage? {
        guard case .text(let text) = entry.content, let reply = text.reply else { return nil }
        let conversation = entry.message.conversation
        return try await store.read { reader throws(StoreError) in try reader.message(reply, in: conversation) }
    }

    /// When a message came to the archive that is to be sent again and stands before others of ours; `nil` for any other message.
    private func timeOfFirstSending(of entry: QueuedMessage) async throws(StoreError) -> MessageTime? {
        let message = entry.message
        // Of what this device's clock says nothing is known to the receiver.
        guard message.timeSource == .archive else { return nil }
        let later = try await store.read { reader throws(StoreError) in
            try reader.timeline(of: message.conversation, .after(message.position), limit: Self.nextSearched)
        }
        guard let next = later.first(where: \.isOutgoing) else { return nil }
        // The receiver's archive stamps a moment later than this one, also the message before: halfway to the next, this one stands
        // between the two there.
        let distance = next.time.millisecondsSince1970 - message.time.millisecondsSince1970
        return message.time.advanced(by: min(max(distance, 0) / 2, Self.longestWay))
    }

    /// Where more of the others than this came between, the order of ours is easily told.
    private static let nextSearched = 50
    /// No message takes longer from one archive to the next, in milliseconds.
    private static let longestWay: Int64 = 500
}
