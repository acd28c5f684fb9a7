internal import Waiting

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

        /// The next batch, never empty; `nil` after the session has ended or the task was cancelled.
        public mutating func next() async -> [RosterEvent]? {
            await mailbox.next()
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async -> [RosterEvent]? {
            await mailbox.next()
        }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(mailbox: mailbox) }
}

/// The queue of events of one observer.
typealias RosterMailbox = Mailbox<[RosterEvent]>

extension Mailbox<[RosterEvent]> {
    func post(_ event: RosterEvent) {
        put { pending in
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
    }
}
