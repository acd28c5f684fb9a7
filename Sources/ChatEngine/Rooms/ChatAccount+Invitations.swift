public import ChatStore
public import GroupChat
public import XMPPAddress
internal import XMPPClient

extension ChatAccount {
    /// How many invitations wait at most; who sends more is no friend.
    static let invitationLimit = 50

    /// Invitations that came since the program was started, until they are answered.
    func followInvitations(in session: Session) async {
        guard let chat = session[GroupChat.self] else { return }
        for await event in chat.events() {
            guard case .invitation(let invitation) = event else { continue }
            if await chat.room(invitation.room)?.isInside == true { continue }
            roomInvitations.removeAll { $0.room == invitation.room.bare }
            if roomInvitations.count >= Self.invitationLimit { roomInvitations.removeFirst() }
            var kept = invitation
            kept.room = invitation.room.bare
            roomInvitations.append(kept)
            channel.post(.invitations)
        }
    }

    /// Enters the room of an invitation.
    public func acceptInvitation(to room: JID, nickname: String) async throws(GroupChatError) {
        let invitation = roomInvitations.first { $0.room == room.bare }
        try await enterRoom(room, nickname: nickname, password: invitation?.password)
        forgetInvitation(to: room)
    }

    /// Does not enter; the one who invites hears of it where the room tells.
    public func declineInvitation(to room: JID) async throws(GroupChatError) {
        let invitation = roomInvitations.first { $0.room == room.bare }
        if let invitation, invitation.isMediated, let chat = session?[GroupChat.self] {
            try await chat.decline(invitation)
        }
        forgetInvitation(to: room)
    }

    func forgetInvitation(to room: JID) {
        guard roomInvitations.contains(where: { $0.room == room.bare }) else { return }
        roomInvitations.removeAll { $0.room == room.bare }
        channel.post(.invitations)
    }
}
