public import GroupChat
internal import ServiceDiscovery
public import XMPPAddress
internal import XMPPClient

/// What a person does in a room. Each returns when the room has agreed, and throws what it says otherwise.
extension RoomService {
    /// Removes an occupant, who may come back (XEP-0045 §8.2).
    public func kick(_ nickname: String, from room: JID, reason: String? = nil) async throws(GroupChatError) {
        try await context.joinedRoom(room).kick(nickname, reason: reason)
    }

    /// Removes a user permanently (XEP-0045 §9.1).
    public func ban(_ account: JID, from room: JID, reason: String? = nil) async throws(GroupChatError) {
        try await context.joinedRoom(room).ban(account, reason: reason)
    }

    /// Grants or revokes voice in a moderated room (XEP-0045 §8.3, §8.4).
    public func setVoice(_ hasVoice: Bool, of nickname: String, in room: JID) async throws(GroupChatError) {
        try await context.joinedRoom(room).setRole(hasVoice ? .participant : .visitor, of: nickname)
    }

    /// Makes an occupant a moderator as long as it is there, or not any more (XEP-0045 §9.6).
    public func setModerator(_ isModerator: Bool, of nickname: String, in room: JID) async throws(GroupChatError) {
        try await context.joinedRoom(room).setRole(isModerator ? .moderator : .participant, of: nickname)
    }

    /// Makes a user a member, who may enter whatever the room is like, or not any more (XEP-0045 §9.3).
    public func setMember(_ isMember: Bool, _ account: JID, in room: JID) async throws(GroupChatError) {
        try await context.joinedRoom(room).setAffiliation(isMember ? .member : .none, of: account)
    }

    /// Says what the room is about; an empty text removes it (XEP-0045 §8.1).
    public func changeSubject(of room: JID, to text: String) async throws(GroupChatError) {
        _ = try await context.joinedRoom(room).changeSubject(to: text)
    }

    /// Takes another nickname; throws `nicknameTaken` where another occupant has it, and keeps the old one.
    public func changeNickname(in room: JID, to nickname: String) async throws(GroupChatError) {
        try await context.joinedRoom(room).changeNickname(to: nickname)
    }

    /// Invites a user, directly and through the room, so that a client that takes only one of both is reached.
    public func invite(_ account: JID, to room: JID, reason: String? = nil) async throws(GroupChatError) {
        let joined = try context.joinedRoom(room)
        // The room lets in whom it has invited itself, where only members may enter.
        if await joined.information?.isForMembersOnly == true { try await joined.invite(account, reason: reason) }
        try await joined.inviteDirectly(account, reason: reason)
    }

    /// Retracts what an occupant said there, for everybody (XEP-0425).
    ///
    /// - Parameter archiveID: the room's name for the message.
    public func retract(_ archiveID: String, in room: JID, reason: String? = nil) async throws(GroupChatError) {
        try await context.joinedRoom(room).retract(archiveID, reason: reason)
    }

    // MARK: What services and rooms say about themselves

    /// The service for rooms at the account's server; `nil` where there is none, or no connection.
    public func service() async -> JID? {
        guard let chat = try? context.groupChat() else { return nil }
        return (try? await chat.service()) ?? nil
    }

    /// The rooms of a service that do not hide.
    public func listings(at service: JID) async throws(GroupChatError) -> [RoomListing] {
        try await context.groupChat().rooms(at: service).map { item in
            RoomListing(
                address: item.address.bare,
                name: item.name.flatMap { $0.isEmpty ? nil : $0 } ?? item.address.unescapedLocal
                    ?? item.address.description)
        }
    }

    /// What a room says about itself, also to users that are not inside.
    public func information(of room: JID) async throws(GroupChatError) -> RoomInformation {
        try await context.groupChat().information(of: room)
    }

    /// The rooms that this account is in.
    public func inside() async -> Set<JID> {
        var inside: Set<JID> = []
        for room in context.session?[GroupChat.self]?.rooms ?? [] where await room.isInside {
            inside.insert(room.address)
        }
        return inside
    }
}

/// A room that a service names to everybody (XEP-0045 §6.3).
public struct RoomListing: Identifiable, Hashable, Sendable {
    public let address: JID
    public let name: String

    public var id: JID { address }
}

extension AccountContext {
    func groupChat() throws(GroupChatError) -> GroupChat {
        guard let chat = session?[GroupChat.self] else { throw .noConnection }
        return chat
    }

    /// A room that this account has entered or is about to.
    func joinedRoom(_ room: JID) throws(GroupChatError) -> Room {
        guard let joined = try groupChat().room(room) else {
            throw GroupChatError(.notInside, "You are not in that room. Enter it first.")
        }
        return joined
    }
}

extension GroupChatError {
    static var noConnection: GroupChatError {
        GroupChatError(.connection, "There is no connection to the server. Connect and try again.")
    }
}
