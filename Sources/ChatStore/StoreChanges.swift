internal import Synchronization
package import Waiting

/// What was changed by one or several transactions.
public struct StoreChanges: Sendable, Equatable {
    /// Messages that are new or look different, by conversation.
    public package(set) var messages: [ConversationID: Set<MessageID>] = [:]
    /// Conversations whose row in the list looks different, or that are gone.
    public package(set) var conversations: Set<ConversationID> = []
    /// Accounts whose settings, contacts, rooms or pictures are different.
    public package(set) var accounts: Set<AccountID> = []
    /// Something was put into the send queue, or taken out of it.
    public package(set) var sendQueue = false
    /// Messages that were taken out of the send queue; one that was put to its end again is among them, too.
    public package(set) var dequeued: Set<MessageID> = []

    package init() {}

    public var isEmpty: Bool { messages.isEmpty && conversations.isEmpty && accounts.isEmpty && !sendQueue }

    mutating func formUnion(_ other: StoreChanges) {
        messages.merge(other.messages) { $0.union($1) }
        conversations.formUnion(other.conversations)
        accounts.formUnion(other.accounts)
        sendQueue = sendQueue || other.sendQueue
        dequeued.formUnion(other.dequeued)
    }
}

/// The changes of a store for one observer. An observer that is slow gets them joined, so nothing piles up.
///
/// It begins when it is made, not when it is first asked, so what is read from the store after that misses nothing.
public struct StoreChangeSequence: AsyncSequence, Sendable {
    public typealias Element = StoreChanges

    let observer: StoreObserver

    public struct AsyncIterator: AsyncIteratorProtocol {
        let observer: StoreObserver

        /// The next changes; `nil` when the store was closed or the task was cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> StoreChanges? {
            await observer.next()
        }

        public mutating func next() async -> StoreChanges? { await observer.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(observer: observer) }
}

typealias StoreObserver = Mailbox<StoreChanges>

extension StoreChanges: MailboxContent {}

/// The observers of a store; one that nobody holds any more is forgotten.
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
