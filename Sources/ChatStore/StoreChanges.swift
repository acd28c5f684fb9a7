internal import Synchronization
internal import Waiting

/// The changes of one or several transactions.
public struct StoreChanges: Sendable, Equatable {
    /// New and changed messages, by conversation.
    public package(set) var messages: [ConversationID: Set<MessageID>] = [:]
    /// Conversations whose row in the list has changed, and conversations that were removed.
    public package(set) var conversations: Set<ConversationID> = []
    /// Accounts whose settings, contacts, rooms or avatars have changed.
    public package(set) var accounts: Set<AccountID> = []
    /// Whether a message was added to the send queue or removed from it.
    public package(set) var sendQueue = false
    /// Messages that were removed from the send queue, including those that were moved to its end.
    public package(set) var dequeued: Set<MessageID> = []
    /// Whether the files of unsent messages may have changed (``StoreReader/contentsToSend(of:)``).
    public package(set) var contentsToSend = false

    package init() {}

    public var isEmpty: Bool { messages.isEmpty && conversations.isEmpty && accounts.isEmpty && !sendQueue }

    mutating func formUnion(_ other: StoreChanges) {
        messages.merge(other.messages) { $0.union($1) }
        conversations.formUnion(other.conversations)
        accounts.formUnion(other.accounts)
        sendQueue = sendQueue || other.sendQueue
        dequeued.formUnion(other.dequeued)
        contentsToSend = contentsToSend || other.contentsToSend
    }
}

/// The changes of a store for one observer. While the observer is busy, changes are joined to one value, so they need
/// no more memory with time.
///
/// It starts with its creation, not with the first iteration, so a read that follows misses nothing.
public struct StoreChangeSequence: AsyncSequence, Sendable {
    public typealias Element = StoreChanges

    let observer: StoreObserver

    public struct AsyncIterator: AsyncIteratorProtocol {
        let observer: StoreObserver

        /// The next changes; `nil` once the store was closed or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> StoreChanges? {
            await observer.next()
        }

        public mutating func next() async -> StoreChanges? { await observer.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(observer: observer) }
}

typealias StoreObserver = Mailbox<StoreChanges>

extension StoreChanges: MailboxContent {}

/// The observers of a store. They are referenced weakly: an observer that is released is removed.
package final class StoreObservers: Sendable {
    private struct Reference { weak var observer: StoreObserver? }

    private let observers = Mutex<[Reference]>([])

    package init() {}

    package func add() -> StoreChangeSequence {
        let observer = StoreObserver()
        observers.withLock { list in
            list.removeAll { $0.observer == nil }
            list.append(Reference(observer: observer))
        }
        return StoreChangeSequence(observer: observer)
    }

    package func send(_ changes: StoreChanges) {
        guard !changes.isEmpty else { return }
        for reference in observers.withLock({ $0 }) { reference.observer?.put { $0.formUnion(changes) } }
    }

    package func finish() {
        for reference in observers.withLock({ $0 }) { reference.observer?.finish() }
    }
}
