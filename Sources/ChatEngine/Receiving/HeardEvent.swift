public import ChatStore
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
    /// A stored message to this account: sent now, or while this device was offline.
    case message(MessageID, MessageCopy, in: ConversationKey)
    /// An event of the session. A message in it may have been reported as ``message(_:_:in:)`` before.
    case session(SessionEvent)
    case contact(RosterEvent)
}

public typealias HeardHandler = @Sendable (HeardEvent) async -> Void

/// Reports the received events of an account to a program, each message once; one that could not be decrypted once more
/// when it can be read.
final class Hearing: Sendable {
    private struct Told {
        /// Whether each could be read.
        var ids: [MessageID: Bool] = [:]
        var order: [MessageID] = []
    }

    private let handler: HeardHandler
    private let told = Mutex(Told())

    /// The maximum number of remembered messages: a copy arrives within the same session, and no session has more in
    /// transit.
    private static let limit = 4096

    init(_ handler: @escaping HeardHandler) { self.handler = handler }

    func report(_ event: HeardEvent) async {
        if case .message(let id, let copy, _) = event {
            let isRead = !copy.protection.isNotOpened
            let isNew = told.withLock { told in
                if let wasRead = told.ids[id] {
                    guard isRead, !wasRead else { return false }
                    told.ids[id] = true
                    return true
                }
                told.ids[id] = isRead
                told.order.append(id)
                if told.order.count > Self.limit { told.ids[told.order.removeFirst()] = nil }
                return true
            }
            guard isNew else { return }
        }
        await handler(event)
    }
}

extension MessageMeaning {
    /// The event for a stored message, if it was received outside of rooms.
    func heard(_ reception: Reception, in key: ConversationKey) -> HeardEvent? {
        guard case .message(let copy, _) = self, !copy.isOutgoing, key.kind != .room else { return nil }
        // One more copy of what was decrypted before.
        if case .notOpened(_, ProtectionError.Code.repeated.rawValue) = copy.protection { return nil }
        switch copy.content {
        case .retraction, .reactions: return nil
        case .text, .correction: return .message(reception.id, copy, in: key)
        }
    }
}
