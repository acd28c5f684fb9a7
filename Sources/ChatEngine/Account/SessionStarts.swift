internal import GroupChat
internal import MessageHistory
internal import Roster
internal import XMPPClient

/// What an account does at the start of a session, as one of its extensions.
typealias StartAction = @Sendable (_ session: Session, _ isResumed: Bool) async -> Void

/// Shows the account to its contacts: behind the request for the contact list (RFC 6121 §2.2), so that what the
/// presence of others brings is known to be from contacts.
struct PresenceStart: SessionExtension {
    let action: StartAction

    var startsAfter: [any SessionExtension.Type] { [Roster.self] }

    func sessionStarted(_ session: Session, isResumed: Bool) async throws { await action(session, isResumed) }
}

/// Requests missed messages after sending presence and enabling carbons, so that messages that are not yet in the
/// archive arrive live. It does not wait for a response.
struct HistoryStart: SessionExtension {
    let action: StartAction

    var startsAfter: [any SessionExtension.Type] { [PresenceStart.self, Carbons.self] }

    func sessionStarted(_ session: Session, isResumed: Bool) async throws { await action(session, isResumed) }
}

/// Joins the rooms again when none of them still lists only an earlier session of this account.
struct RoomsStart: SessionExtension {
    let action: StartAction

    var startsAfter: [any SessionExtension.Type] { [GroupChat.self] }

    func sessionStarted(_ session: Session, isResumed: Bool) async throws { await action(session, isResumed) }
}
