public import GroupChat
public import XMPPAddress
internal import XMPPClient

/// Invitations into rooms that came since the program was started, until they are answered.
public actor InvitationService {
    private let context: AccountContext
    /// Invitations that wait for an answer, oldest first.
    public private(set) var waiting: [RoomInvitation] = []

    /// How many invitations wait at most; a user that sends more is ignored with the oldest.
    static let limit = 50

    init(_ context: AccountContext) { self.context = context }

    /// Does not enter; the user that invites hears of it where the room tells.
    public func decline(_ room: JID) async throws(GroupChatError) {
        if let invitation = invitation(to: room), invitation.isMediated, let chat = try? context.groupChat() {
            try await chat.decline(invitation)
        }
        forget(room)
    }

    func invitation(to room: JID) -> RoomInvitation? { waiting.first { $0.room == room.bare } }

    func forget(_ room: JID) {
        guard invitation(to: room) != nil else { return }
        waiting.removeAll { $0.room == room.bare }
        context.events.post(.invitations)
    }

    func run(in session: Session) async {
        guard let chat = session[GroupChat.self] else { return }
        for await event in chat.events() {
            guard case .invitation(let invitation) = event else { continue }
            if await chat.room(invitation.room)?.isInside == true { continue }
            waiting.removeAll { $0.room == invitation.room.bare }
            if waiting.count >= Self.limit { waiting.removeFirst() }
            var stored = invitation
            stored.room = invitation.room.bare
            waiting.append(stored)
            context.events.post(.invitations)
        }
    }
}
