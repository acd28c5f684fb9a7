internal import XMPPClient

/// Tells when the extensions before it have begun with a session.
struct StartNotice: SessionExtension {
    let started: @Sendable (_ session: Session, _ isResumed: Bool) async -> Void

    func sessionStarted(_ session: Session, isResumed: Bool) async throws {
        await started(session, isResumed)
    }
}
