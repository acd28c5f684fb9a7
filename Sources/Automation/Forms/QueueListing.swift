package import ChatEngine
package import ChatStore
package import JSONRPC

/// The messages of an account that wait to be sent or have failed.
package struct QueueListing: Sendable {
    package struct Entry: Sendable {
        package var message: StoredMessage
        /// What waits; `nil` for a message that has failed.
        package var content: MessageContent?
        package var key: ConversationKey
        package var protection: WaitingProtection
    }

    package var entries: [Entry]

    /// The number of messages per conversation that are searched for failed ones; older ones were shown often enough.
    private static let failuresSearched = 200

    /// - Parameter policy: with which the account encrypts.
    package init(
        of account: AccountID, _ policy: EncryptionPolicy?, in store: any StoreReader
    ) throws(StoreError) {
        entries = []
        for conversation in try store.conversations() where conversation.key.account == account {
            let last = try store.timeline(of: conversation.id, .newest, limit: Self.failuresSearched)
            for message in last where message.isOutgoing && message.state.reason != nil {
                entries.append(Entry(message: message, key: conversation.key, protection: .none))
            }
        }
        entries.sort { $0.message.id < $1.message.id }
        for queued in try store.sendQueue(of: account) {
            guard let key = try store.conversation(queued.message.conversation)?.key else { continue }
            entries.append(
                Entry(
                    message: queued.message, content: queued.content, key: key,
                    protection: try WaitingProtection(of: key, policy, in: store)))
        }
    }
}

extension QueueListing.Entry {
    package var json: JSONValue { message.json(in: key, protection: protection.json ?? message.protection.json) }
}

extension StoredMessage {
    /// Whether the server does not have it: it waits or failed.
    package var isInOurHands: Bool {
        switch state {
        case .queued, .failed: true
        case .sentToServer, .delivered, .displayed: false
        }
    }
}
