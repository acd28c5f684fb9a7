internal import Waiting

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

        /// The next batch, never empty; `nil` when the session is over or the task is cancelled.
        public mutating func next() async -> [RosterEvent]? {
            await mailbox.next()
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> [RosterEvent]? {
            await mailbox.next()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(mailbox: mailbox) }
}

/// The events that wait for one observer.
typealias RosterMailbox = Mailbox<[RosterEvent]>

extension Mailbox<[RosterEvent]> {
    func post(_ event: RosterEvent) {
        put { pending in
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
    }
}
