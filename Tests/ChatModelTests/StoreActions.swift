import ChatEngine
import ChatFixtures
import ChatModel
import ChatStore
import Synchronization
import XMPPAddress

/// Does what an account does, in the store only.
final class StoreActions: ConversationActions {
    let store: any LocalStore
    let own: JID
    /// What the archive adds when it is queried, and its result.
    let archive: @Sendable () async -> OlderHistory
    private let state = Mutex(State())

    struct State: Sendable {
        var sent = 0
        var opened: [ConversationKey?] = []
        var composing: [Bool] = []
        var read: [MessageID] = []
        var asked = 0
    }

    var log: State { state.withLock { $0 } }

    init(store: any LocalStore, own: JID, archive: @escaping @Sendable () async -> OlderHistory = { .notNow }) {
        self.store = store
        self.own = own
        self.archive = archive
    }

    func send(_ content: MessageContent, in key: ConversationKey) async throws(StoreError) -> MessageID {
        let number = state.withLock { state in
            state.sent += 1
            return state.sent
        }
        let message = OutgoingMessage(
            sender: own, originID: "own\(number)", time: ModelFixture.time(900_000 + Int64(number)), content: content)
        return try await store.write { store throws(StoreError) in try store.send(message, in: key) }
    }

    func retry(_ message: MessageID) async throws(StoreError) {
        try await store.write { store throws(StoreError) in try store.sendAgain(message) }
    }

    func cancel(_ message: MessageID) async throws(StoreError) {
        try await store.write { store throws(StoreError) in try store.cancel(message) }
    }

    func opened(_ key: ConversationKey?) async { state.withLock { $0.opened.append(key) } }

    func loadOlder(in key: ConversationKey) async -> OlderHistory {
        state.withLock { $0.asked += 1 }
        return await archive()
    }

    func markRead(upTo message: MessageID, in key: ConversationKey) async throws(StoreError) {
        state.withLock { $0.read.append(message) }
        try await store.write { store throws(StoreError) in try store.markRead(upTo: message) }
    }

    func setComposing(_ isComposing: Bool, in key: ConversationKey) async {
        state.withLock { $0.composing.append(isComposing) }
    }
}

/// `Testing` has a type of this name, too.
typealias Attachment = ChatStore.Attachment
