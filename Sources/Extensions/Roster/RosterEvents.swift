internal import Synchronization

/// What one observer sees of the contact list, in batches.
///
/// An observer that is slow gets several changes of one contact as one, the last; so what waits for it is never more than
/// a few entries a contact.
public struct RosterEvents: AsyncSequence, Sendable {
    public typealias Element = [RosterEvent]
    public typealias Failure = Never

    let mailbox: RosterMailbox

    public struct AsyncIterator: AsyncIteratorProtocol {
        let mailbox: RosterMailbox
        var signals: AsyncStream<Void>.Iterator

        /// The next batch, never empty; `nil` when the session is over or the task is cancelled.
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

/// The events that wait for one observer.
final class RosterMailbox: Sendable {
    private let pending = Mutex<[RosterEvent]>([])
    private let signal: AsyncStream<Void>.Continuation
    /// Holds one signal at most: whoever is woken takes everything.
    let signals: AsyncStream<Void>

    init() {
        (signals, signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func post(_ event: RosterEvent) {
        pending.withLock { pending in
            switch event {
            case .populating:
                // The whole list is about to come again: what was not read of the last time is out of date.
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
