public import ChatStore
internal import EntityInformation
internal import Foundation
public import GroupChat
package import MessageFeatures
public import XMPPAddress
public import XMPPClient
public import XMPPStanzas

/// An event of a running account, apart from changes of its store: a reason to read ``ChatAccount``'s state again.
public enum ChatAccountEvent: Sendable {
    case connection(ConnectionState)
    /// The presence of a contact has changed.
    case presence(JID)
    /// ``ContactService/requests`` has changed.
    case requests
    /// A contact has answered our request, or has ended its consent.
    case answer(ContactAnswer, of: JID)
    /// ``BlockingService/blocked`` has changed.
    case blocked
    /// ``InvitationService/waiting`` has changed.
    case invitations
    /// ``ChatAccount/writers`` has changed.
    case typing(ConversationKey)
    /// A room has changed: joined or left, or its people.
    case room(JID)
    /// The encryption with an address may have changed: the devices, the trust in them, or the policy of its
    /// conversation. `nil` means all addresses.
    case encryption(JID?)
    /// A background operation failed, and the user should know.
    case problem(AccountProblem)
}

/// The failure of a background operation.
public enum AccountProblem: Sendable {
    /// The store could not be read or written.
    case store(StoreError)
    /// A room could not be joined.
    case room(JID, RoomFailure)
    /// The account was removed from a room.
    case removed(JID, RoomDeparture)
    /// More contact requests have arrived than are shown, by this number.
    case requestsOmitted(Int)
    /// The archive of a room contains messages that were not sent there; they were ignored.
    case forgedArchive(JID)
    /// A part of the session failed.
    case session(any Error)
}

/// The account's own presence (RFC 6121 §4.7).
public struct OwnPresence: Hashable, Sendable {
    /// `nil` is available.
    public var show: Presence.Show?
    /// The status text.
    public var status: String?
    /// Connected, but shown as offline.
    public var isHidden: Bool
    /// Since when the user has done nothing (XEP-0319); `nil` while the user is active.
    public var idleSince: MessageTime?

    public init(
        show: Presence.Show? = nil, status: String? = nil, isHidden: Bool = false, idleSince: MessageTime? = nil
    ) {
        self.show = show
        self.status = status
        self.isHidden = isHidden
        self.idleSince = idleSince
    }

    /// The presence of a user who has done nothing since this time: away, unless the user is away or busy already. With
    /// `nil` it is this one.
    public func idle(since time: MessageTime?) -> OwnPresence {
        guard let time, !isHidden else { return self }
        var presence = self
        presence.idleSince = time
        if show == nil || show == .chat { presence.show = .away }
        return presence
    }

    var stanza: Presence {
        guard !isHidden else { return Presence(type: .unavailable) }
        var presence = Presence(show: show, status: status)
        if let idleSince { presence.append(IdleTime(since: idleSince.timestamp)) }
        return presence
    }
}

extension MessageTime {
    /// The time of this device's clock.
    public static var now: MessageTime {
        MessageTime(millisecondsSince1970: Int64((Date().timeIntervalSince1970 * 1000).rounded(.down)))
    }

    /// The time as protocols and programs write it.
    package var timestamp: Timestamp { Timestamp(millisecondsSince1970: millisecondsSince1970) }
}
