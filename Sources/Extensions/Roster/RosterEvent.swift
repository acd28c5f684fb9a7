internal import Waiting
public import XMPPAddress

/// A change of the contact list.
public enum RosterEvent: Sendable, Hashable {
    /// The whole list is about to be reported, item by item.
    case populating
    /// One item of the whole list.
    case item(RosterItem)
    /// The whole list was reported; ``Roster/contacts`` returns it now.
    case populated
    /// A contact was added, or its item or its presence changed.
    case changed(Contact)
    /// A contact was removed from the list.
    case removed(JID)
    /// A request for a subscription to our presence: ``Roster/accept(_:addingBack:name:)`` or ``Roster/reject(_:)``.
    case request(JID, text: String?)
    /// The number of requests in this session that are not reported, because there are too many in total or from their
    /// domain. The server repeats them in the next session. Reported for the first, then each time the number has
    /// doubled.
    case requestsOmitted(Int)
    /// A contact has cancelled its subscription to our presence.
    case unsubscribed(JID)
    /// A contact has approved our subscription to its presence.
    case approved(JID)
    /// A contact has denied or revoked our subscription to its presence.
    case refused(JID)
}

/// The automatic behaviour of the contact list.
public struct RosterPolicy: Sendable, Hashable {
    /// The list is requested at the start of a session. Otherwise call ``Roster/fetch()``; requests and presence are
    /// reported anyway.
    public var fetchesAutomatically = true
    /// Requests of contacts to which we sent a request are accepted automatically.
    public var acceptsKnownRequests = true
    /// Every request is accepted and returned; for bots.
    public var acceptsAllRequests = false
    /// A contact that cancels its subscription is removed from the list, including the user's name and groups for it;
    /// otherwise it stays without the subscription (RFC 6121 §3.3).
    public var removesUnsubscribed = false

    public init() {}

    /// Accepts every request, for bots.
    public static var acceptAll: RosterPolicy {
        var policy = RosterPolicy()
        policy.acceptsAllRequests = true
        return policy
    }
}

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
