internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import Foundation
internal import MessageFeatures
internal import TerminalApp
internal import XMPPAddress
internal import XMPPClient

/// A text that is in the store before it is on the wire, and whose way is noted there.
struct QueuedText: Sendable {
    let id: MessageID
    private let entry: QueuedMessage
    private let key: ConversationKey
    private let store: any LocalStore

    /// Keeps the text at the end of the send queue.
    init(_ text: String, to receiver: JID, from address: JID, in store: any LocalStore) async throws(StoreError) {
        let message = OutgoingMessage(
            sender: address.bare, originID: UUID().uuidString.lowercased(), time: .now,
            content: .text(MessageText(text)))
        self.store = store
        (id, key, entry) = try await store.write { store throws(StoreError) in
            let account = try store.addAccount(address.bare)
            let key = ConversationKey(account: account, address: receiver, kind: .direct)
            let id = try store.send(message, in: key)
            guard let entry = try store.sendQueue(of: account).first(where: { $0.message.id == id }) else {
                throw StoreError(.invalidRequest, "What was queued is not in the queue.")
            }
            return (id, key, entry)
        }
    }

    /// Gives it to the session.
    func send(in session: Session, to receiver: JID) async throws -> SendToken {
        guard let origin = entry.message.originID,
            var stanza = MessageBuilder(tellsActivity: true).message(entry.content, id: origin, in: key.conversation)
        else { throw ClientError.notConnected }
        stanza.to = receiver
        let id = id
        try await store.write { store throws(StoreError) in try store.noteAttempt(id, notBefore: nil) }
        return try await session.send(stanza)
    }

    func note(_ state: MessageState) async throws(StoreError) {
        let id = id
        try await store.write { store throws(StoreError) in try store.advance(id, to: state) }
    }

    /// It is still in the queue.
    var isWaiting: Bool {
        get async throws(StoreError) {
            let id = id
            return try await store.read { store throws(StoreError) in
                if case .queued? = try store.message(id)?.state { true } else { false }
            }
        }
    }

    /// Takes it out of the queue: somebody was told that it was not sent.
    func cancel() async throws(StoreError) {
        let id = id
        try await store.write { store throws(StoreError) in try store.cancel(id) }
    }
}
