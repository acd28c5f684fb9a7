public import GroupChat
internal import ServiceDiscovery
public import XMPPAddress
internal import XMPPClient

/// The user's commands in a room. Each returns when the room has confirmed it, and throws the room's error.
extension RoomService {
    /// Removes an occupant, who may join again (XEP-0045 §8.2).
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

    /// Grants or revokes the moderator role of an occupant (XEP-0045 §9.6).
    public func setModerator(_ isModerator: Bool, of nickname: String, in room: JID) async throws(GroupChatError) {
        try await context.joinedRoom(room).setRole(isModerator ? .moderator : .participant, of: nickname)
    }

    /// Grants or revokes membership, which allows joining a members-only room (XEP-0045 §9.3).
    public func setMember(_ isMember: Bool, _ account: JID, in room: JID) async throws(GroupChatError) {
        try await context.joinedRoom(room).setAffiliation(isMember ? .member : .none, of: account)
    }

    /// Changes the subject; empty text removes it (XEP-0045 §8.1).
    public func changeSubject(of room: JID, to text: String) async throws(GroupChatError) {
        _ = try await context.joinedRoom(room).changeSubject(to: text)
    }

    /// Changes the nickname; throws `nicknameTaken` if it is in use, and keeps the previous one.
    public func changeNickname(in room: JID, to nickname: String) async throws(GroupChatError) {
        try await context.joinedRoom(room).changeNickname(to: nickname)
    }

    /// Invites a user, directly and through the room, because some clients handle only one of the two.
    public func invite(_ account: JID, to room: JID, reason: String? = nil) async throws(GroupChatError) {
        let joined = try context.joinedRoom(room)
        // A members-only room admits only users invited through the room.
        if await joined.information?.isForMembersOnly == true { try await joined.invite(account, reason: reason) }
        try await joined.inviteDirectly(account, reason: reason)
    }

    /// Retracts an occupant's message for everybody (XEP-0425).
    ///
    /// - Parameter archiveID: the archive id of the message.
    public func retract(_ archiveID: String, in room: JID, reason: String? = nil) async throws(GroupChatError) {
        try await context.joinedRoom(room).retract(archiveID, reason: reason)
    }

    // MARK: Service discovery

    /// The room service of the account's server; `nil` if there is none, or without a connection.
    public func service() async -> JID? {
        guard let chat = try? context.groupChat() else { return nil }
        return (try? await chat.service()) ?? nil
    }

    /// The public rooms of a service.
    public func listings(at service: JID) async throws(GroupChatError) -> [RoomListing] {
        try await context.groupChat().rooms(at: service).map { item in
            RoomListing(
                address: item.address.bare,
                name: item.name.flatMap { $0.isEmpty ? nil : $0 } ?? item.address.unescapedLocal
                    ?? item.address.description)
        }
    }

    /// The information about a room, also for users who have not joined it.
    public func information(of room: JID) async throws(GroupChatError) -> RoomInformation {
        try await context.groupChat().information(of: room)
    }

    /// The joined rooms.
    public func inside() async -> Set<JID> {
        var inside: Set<JID> = []
        for room in context.session?[GroupChat.self]?.rooms ?? [] where await room.isInside {
            inside.insert(room.address)
        }
        return inside
    }

    /// The rooms that the account shares with a user, as far as they show the addresses of their members.
    public func shared(with person: JID) async -> [JID] {
        var shared: [JID] = []
        for room in await inside() {
            let people = await state(of: room).people
            if people.contains(where: { $0.address?.bare == person.bare }) { shared.append(room) }
        }
        return shared.sorted()
    }
}

/// A public room of a service (XEP-0045 §6.3).
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

    /// A room that this account has joined or is joining.
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
