public import GroupChat
public import XMPPAddress
internal import XMPPClient

/// What a person does in a room. Each returns when the room has agreed, and throws what it says otherwise.
extension ChatAccount {
    /// Throws somebody out, who may come back (XEP-0045 §8.2).
    public func kick(_ nickname: String, from room: JID, reason: String? = nil) async throws(GroupChatError) {
        try await entered(room).kick(nickname, reason: reason)
    }

    /// Throws somebody out for good (XEP-0045 §9.1).
    public func ban(_ account: JID, from room: JID, reason: String? = nil) async throws(GroupChatError) {
        try await entered(room).ban(account, reason: reason)
    }

    /// Gives a voice in a moderated room, or takes it (XEP-0045 §8.3, §8.4).
    public func setVoice(_ hasVoice: Bool, of nickname: String, in room: JID) async throws(GroupChatError) {
        try await entered(room).setRole(hasVoice ? .participant : .visitor, of: nickname)
    }

    /// Makes somebody a moderator as long as it is there, or not any more (XEP-0045 §9.6).
    public func setModerator(_ isModerator: Bool, of nickname: String, in room: JID) async throws(GroupChatError) {
        try await entered(room).setRole(isModerator ? .moderator : .participant, of: nickname)
    }

    /// Makes an account a member, which may enter whatever the room is like, or not any more (XEP-0045 §9.3).
    public func setMember(_ isMember: Bool, _ account: JID, in room: JID) async throws(GroupChatError) {
        try await entered(room).setAffiliation(isMember ? .member : .none, of: account)
    }

    /// Says what the room is about; an empty text takes it away (XEP-0045 §8.1).
    public func changeSubject(of room: JID, to text: String) async throws(GroupChatError) {
        _ = try await entered(room).changeSubject(to: text)
    }

    /// Takes another nickname; throws `nicknameTaken` where somebody has it, and keeps the old one.
    public func changeNickname(in room: JID, to nickname: String) async throws(GroupChatError) {
        try await entered(room).changeNickname(to: nickname)
    }

    /// Invites somebody, directly and through the room, so that whoever takes only one of both is reached.
    public func invite(_ account: JID, to room: JID, reason: String? = nil) async throws(GroupChatError) {
        let joined = try entered(room)
        // The room lets in whom it has invited itself, where only members may enter.
        if await joined.information?.isForMembersOnly == true { try await joined.invite(account, reason: reason) }
        try await joined.inviteDirectly(account, reason: reason)
    }

    /// Takes back what somebody said there, for everybody (XEP-0425).
    ///
    /// - Parameter archiveID: the room's name for the message.
    public func takeBack(_ archiveID: String, in room: JID, reason: String? = nil) async throws(GroupChatError) {
        try await entered(room).retract(archiveID, reason: reason)
    }

    private func entered(_ room: JID) throws(GroupChatError) -> Room {
        guard let session, let chat = session[GroupChat.self] else {
            throw GroupChatError(.connection, "There is no connection to the server. Connect and try again.")
        }
        guard let joined = chat.room(room) else {
            throw GroupChatError(.notInside, "You are not in that room. Enter it first.")
        }
        return joined
    }
}
