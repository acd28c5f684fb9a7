internal import ChatStore
internal import Waiting
internal import XMPPAddress
internal import XMPPClient

/// The causes that wake the send queue, combined while it works.
final class SendCauses: Sendable {
    struct Joined: MailboxContent, Sendable {
        var isWoken = false
        var isOnline = false
        /// The session is a new one, without the messages passed to the previous one.
        var isNew = false
        var dequeued: Set<MessageID> = []
        /// Messages whose upload has ended, with any result.
        var uploaded: Set<MessageID> = []
        /// Rooms whose messages are sent again unless they were reflected.
        var reopened: Set<JID> = []

        var isEmpty: Bool { !isWoken }
    }

    private let mailbox = Mailbox<Joined>()

    /// The next causes; `nil` at the end of the session or when the task is cancelled.
    func next() async -> Joined? { await mailbox.next() }

    /// The causes that have arrived meanwhile, if any.
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
