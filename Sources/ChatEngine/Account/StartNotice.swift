internal import XMPPClient

/// Tells when the contact list was asked for: presence is sent behind it (RFC 6121 §2.2), so that what the presence of others
/// brings is known to be from contacts.
struct RosterNotice: SessionExtension {
    let fetched: @Sendable (_ session: Session, _ isResumed: Bool) async -> Void

    func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        await fetched(session, isResumed)
    }
}

/// Tells when the extensions before it have begun with a session.
struct StartNotice: SessionExtension {
    let started: @Sendable (_ session: Session, _ isResumed: Bool) async -> Void

    func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        await started(session, isResumed)
    }
}
