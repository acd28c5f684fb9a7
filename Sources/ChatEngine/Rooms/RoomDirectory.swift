internal import GroupChat
internal import ServiceDiscovery
public import XMPPAddress
internal import XMPPClient

/// Finds rooms: the public ones of a service, and those that the account has joined.
struct RoomDirectory: Sendable {
    let context: AccountContext
    let joining: RoomJoining

    /// The room service of the account's server; `nil` if there is none, or without a connection.
    func service() async -> JID? {
        guard let chat = try? context.groupChat() else { return nil }
        return (try? await chat.service()) ?? nil
    }

    /// The public rooms of a service.
    func listings(at service: JID) async throws(GroupChatError) -> [RoomListing] {
        try await context.groupChat().rooms(at: service).map { item in
            RoomListing(
                address: item.address.bare,
                name: item.name.flatMap { $0.isEmpty ? nil : $0 } ?? item.address.unescapedLocal
                    ?? item.address.description)
        }
    }

    /// The information about a room, also for users who have not joined it.
    func information(of room: JID) async throws(GroupChatError) -> RoomInformation {
        try await context.groupChat().information(of: room)
    }

    /// The joined rooms.
    func inside() async -> Set<JID> {
        var inside: Set<JID> = []
        for room in context.session?[GroupChat.self]?.rooms ?? [] where await room.isInside {
            inside.insert(room.address)
        }
        return inside
    }

    /// The rooms that the account shares with a user, as far as they show the addresses of their members.
    func shared(with person: JID) async -> [JID] {
        var shared: [JID] = []
        for room in await inside() {
            let people = await joining.state(of: room).people
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

extension GroupChat {
    /// What a room announces; `nil` if it does not respond to that question, which not every room does from outside.
    ///
    /// - Throws: `GroupChatError` with `notARoom`: a person would not respond to a join request either.
    func announcement(of room: JID) async throws(GroupChatError) -> RoomInformation? {
        do throws(GroupChatError) {
            return try await information(of: room)
        } catch {
            guard error.code != .notARoom else { throw error }
            return nil
        }
    }
}

extension GroupChatError {
    static var noConnection: GroupChatError {
        GroupChatError(.connection, "There is no connection to the server. Connect and try again.")
    }
}
