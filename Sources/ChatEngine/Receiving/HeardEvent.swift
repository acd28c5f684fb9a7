public import ChatStore
public import MessageFeatures
public import MessageSemantics
public import Roster
internal import Synchronization
public import XMPPAddress
public import XMPPClient

/// A received event of an account, for a program that reports each of them (``ChatAccountPolicy/hear``).
///
/// It is reported before the next stanza is received, so a program that is slow to report delays its account and loses
/// nothing.
public enum HeardEvent: Sendable {
    /// The account is online with this address, and its presence was sent.
    case online(JID)
    /// The connection was lost; with the time until the next attempt, if there is one.
    case disconnected(ClientError, retryAfter: Duration?)
    /// A stored message to this account: sent now, or while this device was offline. It can be a correction, a retraction or
    /// reactions; these are reported when they apply to a stored message, and corrections outside of rooms always.
    case message(MessageID, MessageCopy, in: ConversationKey)
    /// A report on one of our messages.
    case report(StateReport, in: ConversationKey)
    /// A chat state without a message (XEP-0085).
    case typing(JID, ChatState)
    /// A change of the contact list or a contact request; not an answer.
    case contact(RosterEvent)
    /// A contact's answer to our request.
    case answer(ContactAnswer, of: JID)
}

public typealias HeardHandler = @Sendable (HeardEvent) async -> Void

/// Reports the received events of an account to a program, each message once; one that could not be decrypted once more
/// when it can be read.
final class Hearing: Sendable {
    private struct Reported {
        /// Whether each could be read.
        var ids: [MessageID: Bool] = [:]
        var order: [MessageID] = []
    }

    private let handler: HeardHandler
    private let reported = Mutex(Reported())

    /// The maximum number of remembered messages: a copy arrives within the same session, and no session has more in
    /// transit.
    private static let limit = 4096

    init(_ handler: @escaping HeardHandler) { self.handler = handler }

    func report(_ event: HeardEvent) async {
        if case .message(let id, let copy, _) = event {
            let isRead = !copy.protection.isNotOpened
            let isNew = reported.withLock { reported in
                if let wasRead = reported.ids[id] {
                    guard isRead, !wasRead else { return false }
                    reported.ids[id] = true
                    return true
                }
                reported.ids[id] = isRead
                reported.order.append(id)
                if reported.order.count > Self.limit { reported.ids[reported.order.removeFirst()] = nil }
                return true
            }
            guard isNew else { return }
        }
        await handler(event)
    }
}

extension MessageMeaning {
    /// The event for a stored message of others.
    func heard(_ reception: Reception, in key: ConversationKey) -> HeardEvent? {
        guard case .message(let copy, _) = self, !copy.isOutgoing else { return nil }
        // One more copy of what was decrypted before.
        if case .notOpened(_, ProtectionError.Code.repeated.rawValue) = copy.protection { return nil }
        // A room sends its history again, and what waits was perhaps not written by the author of its message.
        let isNew = reception == .stored(reception.id)
        switch copy.content {
        case .text, .correction: guard isNew || key.kind != .room else { return nil }
        case .retraction, .reactions: guard isNew else { return nil }
        }
        return .message(reception.id, copy, in: key)
    }
}
