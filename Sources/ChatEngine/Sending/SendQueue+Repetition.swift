internal import ChatStore

extension SendQueue {
    /// When a message came to the archive that is to be sent again and stands before others of ours; `nil` for any other message.
    func timeOfFirstSending(of entry: QueuedMessage) async throws(StoreError) -> MessageTime? {
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
