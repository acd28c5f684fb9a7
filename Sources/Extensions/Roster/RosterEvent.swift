public import XMPPAddress

/// What happened to the contact list.
public enum RosterEvent: Sendable, Hashable {
    /// The whole list is about to be reported, item by item.
    case populating
    /// One item of the whole list.
    case item(RosterItem)
    /// The whole list was reported and is what ``Roster/contacts`` returns.
    case populated
    /// A contact was added, or its item or its presence changed.
    case changed(Contact)
    /// A contact was removed from the list.
    case removed(JID)
    /// Somebody asks to see my presence: ``Roster/accept(_:addingBack:name:)`` or ``Roster/reject(_:)``.
    case request(JID, text: String?)
    /// So many requests of this session are not reported, because too many wait, in all or of their domain. The server
    /// repeats them in the next session. Posted for the first, then each time the number has doubled.
    case requestsOmitted(Int)
    /// Somebody does not want to see my presence any more.
    case unsubscribed(JID)
    /// Somebody allows me to see its presence.
    case approved(JID)
    /// Somebody refused to let me see its presence, or takes that back.
    case refused(JID)
}
