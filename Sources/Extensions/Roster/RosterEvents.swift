internal import Synchronization

/// The events of the contact list for one observer, in batches.
///
/// For a slow observer, several changes of a contact are merged into the last one, so the queue never has more than a
/// few entries per contact.
public struct RosterEvents: AsyncSequence, Sendable {
    public typealias Element = [RosterEvent]
    public typealias Failure = Never

    let mailbox: RosterMailbox

    public struct AsyncIterator: AsyncIteratorProtocol {
        let mailbox: RosterMailbox
        var signals: AsyncStream<Void>.Iterator

        /// The next batch, never empty; `nil` after the session has ended or the task was cancelled.
        public mutating func next() async -> [RosterEvent]? {
            await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> [RosterEvent]? {
            while true {
                let batch = mailbox.take()
                if !batch.isEmpty { return batch }
                guard await signals.next(isolation: actor) != nil else {
                    let rest = mailbox.take()
                    return rest.isEmpty ? nil : rest
                }
            }
        }
    }

    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(mailbox: mailbox, signals: mailbox.signals.makeAsyncIterator())
    }
}

/// The queue of events of one observer.
final class RosterMailbox: Sendable {
    private let pending = Mutex<[RosterEvent]>([])
    private let signal: AsyncStream<Void>.Continuation
    /// Buffers at most one signal: the observer then takes the whole queue.
    let signals: AsyncStream<Void>

    init() {
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func post(_ event: RosterEvent) {
        pending.withLock { pending in
            switch event {
            case .populating:
                // The whole list will be reported again: unread events of the last report are obsolete.
                pending.removeAll {
                    switch $0 {
                    case .populating, .item, .populated: true
                    default: false
                    }
                }
            case .item, .populated: break
            case .changed(let contact):
                pending.removeAll {
                    if case .changed(let earlier) = $0 { earlier.address == contact.address } else { false }
                }
            case .requestsOmitted:
                pending.removeAll { if case .requestsOmitted = $0 { true } else { false } }
            case .removed, .request, .unsubscribed, .approved, .refused:
                pending.removeAll { $0 == event }
            }
            pending.append(event)
        }
        signal.yield()
    }

    func take() -> [RosterEvent] {
        pending.withLock { pending in
            defer { pending = [] }
            return pending
        }
    }

    func finish() { signal.finish() }
}
