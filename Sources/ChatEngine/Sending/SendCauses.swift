internal import ChatStore
internal import Waiting
internal import XMPPAddress
internal import XMPPClient

/// What wakes the send queue, joined while it works.
final class SendCauses: Sendable {
    struct Joined: MailboxContent, Sendable {
        var isWoken = false
        var isOnline = false
        /// The session is another one, which has nothing of what was given to the one before.
        var isNew = false
        var dequeued: Set<MessageID> = []
        /// Messages whose upload has ended, well or not.
        var uploaded: Set<MessageID> = []
        /// Rooms whose messages are to be given again, where they have not come back.
        var reopened: Set<JID> = []

        var isEmpty: Bool { !isWoken }
    }

    private let mailbox = Mailbox<Joined>()

    /// The next causes; `nil` at the end of the session or when the task is cancelled.
    func next() async -> Joined? { await mailbox.next() }

    /// What has come meanwhile, if anything has.
    func waiting() -> Joined? { mailbox.takeWaiting() }

    func wake() { put { _ in } }

    func uploadEnded(_ message: MessageID) { put { $0.uploaded.insert(message) } }

    func roomReopened(_ room: JID) { put { $0.reopened.insert(room) } }

    func follow(_ changes: StoreChangeSequence) async {
        for await change in changes where change.sendQueue { put { $0.dequeued.formUnion(change.dequeued) } }
    }

    /// Follows the connection to the end of the session.
    func follow(_ events: SessionEvents) async {
        for await batch in events {
            for case .connection(.online(_, let isResumed)) in batch {
                put { waiting in
                    waiting.isOnline = true
                    if !isResumed { waiting.isNew = true }
                }
            }
        }
        mailbox.finish()
    }

    private func put(_ change: (inout Joined) -> Void) {
        mailbox.put { waiting in
            waiting.isWoken = true
            change(&waiting)
        }
    }
}
