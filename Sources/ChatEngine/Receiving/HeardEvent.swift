public import ChatStore
public import MessageSemantics
public import Roster
internal import Synchronization
public import XMPPAddress
public import XMPPClient

/// What an account hears, for a program that reports everything as it comes (``ChatAccountPolicy/hear``).
///
/// It is told before the next is received, so a program that is slow to report holds up its account and loses nothing.
public enum HeardEvent: Sendable {
    /// The account is online under this address, and is shown to its contacts.
    case online(JID)
    /// A message to this account, which is in the store: sent now, or while this device was offline.
    case message(MessageID, MessageCopy, in: ConversationKey)
    /// What the session says. A message among it may have been told as ``message(_:_:in:)`` before.
    case session(SessionEvent)
    case contact(RosterEvent)
}

public typealias HeardHandler = @Sendable (HeardEvent) async -> Void

/// Tells a program what an account hears, each message once.
final class Hearing: Sendable {
    private struct Told {
        var ids: Set<MessageID> = []
        var order: [MessageID] = []
    }

    private let handler: HeardHandler
    private let told = Mutex(Told())

    /// So many messages are remembered: a copy comes again within a session, and a session has no more on their way.
    private static let limit = 4096

    init(_ handler: @escaping HeardHandler) { self.handler = handler }

    func tell(_ event: HeardEvent) async {
        if case .message(let id, _, _) = event {
            let isNew = told.withLock { told in
                guard told.ids.insert(id).inserted else { return false }
                told.order.append(id)
                if told.order.count > Self.limit { told.ids.remove(told.order.removeFirst()) }
                return true
            }
            guard isNew else { return }
        }
        await handler(event)
    }
}

extension MessageMeaning {
    /// What is told of a message that was stored: of one that this account has not sent, outside of rooms.
    func heard(_ reception: Reception, in key: ConversationKey) -> HeardEvent? {
        guard case .message(let copy, _) = self, !copy.isOutgoing, key.kind != .room else { return nil }
        switch copy.content {
        case .retraction, .reactions: return nil
        case .text, .correction: return .message(reception.id, copy, in: key)
        }
    }
}
