/// What the contact list does by itself.
public struct RosterPolicy: Sendable, Hashable {
    /// The list is asked for at the start of a session. Otherwise call ``Roster/fetch()``; requests and presence are
    /// reported all the same.
    public var fetchesAutomatically = true
    /// Requests of contacts whose presence I have asked for are accepted without asking.
    public var acceptsKnownRequests = true
    /// Every request is accepted and returned: for bots.
    public var acceptsAllRequests = false
    /// A contact that takes its subscription back is removed from the list, with the name and the groups that the person
    /// gave to it; otherwise it stays, and only the subscription is gone (RFC 6121 §3.3).
    public var removesWhoUnsubscribes = false

    public init() {}
}
