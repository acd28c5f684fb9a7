public import GroupChat
internal import ServiceDiscovery
public import XMPPAddress
internal import XMPPClient

/// A room that a service names to everybody (XEP-0045 §6.3).
public struct RoomListing: Identifiable, Hashable, Sendable {
    public let address: JID
    public let name: String

    public var id: JID { address }
}

extension ChatAccount {
    /// The service for rooms at the own server; `nil` where there is none, or no connection.
    public func roomService() async -> JID? {
        guard let chat = session?[GroupChat.self] else { return nil }
        return (try? await chat.service()) ?? nil
    }

    /// The rooms of a service that do not hide.
    public func publicRooms(at service: JID) async throws(GroupChatError) -> [RoomListing] {
        try await groupChat().rooms(at: service).map { item in
            RoomListing(
                address: item.address.bare,
                name: item.name.flatMap { $0.isEmpty ? nil : $0 } ?? item.address.unescapedLocal
                    ?? item.address.description)
        }
    }

    /// What a room says about itself, also to who is not inside.
    public func roomInformation(_ room: JID) async throws(GroupChatError) -> RoomInformation {
        try await groupChat().information(of: room)
    }

    /// Makes a room as it is wanted, and enters it.
    ///
    /// - Throws: `GroupChatError` with `alreadyThere` where there is a room of that address, and what
    ///   ``enterRoom(_:nickname:password:)`` throws. A room that could not be made as it was wanted is not left behind.
    public func makeRoom(_ room: JID, nickname: String, settings: RoomSettings) async throws(GroupChatError) {
        let chat = try groupChat()
        do throws(GroupChatError) {
            _ = try await chat.information(of: room)
            throw GroupChatError(.alreadyThere, "There is a room of this address already.")
        } catch  where error.code == .notFound {
            // As it should be.
        }
        roomsEndedHere.remove(room.bare)
        try await enterRoom(room, nickname: nickname, making: settings)
    }

    /// Ends a room for everybody (XEP-0045 §10.9).
    public func destroyRoom(_ room: JID, reason: String? = nil) async throws(GroupChatError) {
        guard let joined = try groupChat().room(room) else {
            throw GroupChatError(.notInside, "You are not in that room. Enter it first.")
        }
        roomsEndedHere.insert(room.bare)
        do throws(GroupChatError) {
            try await joined.destroy(reason: reason)
        } catch {
            roomsEndedHere.remove(room.bare)
            throw error
        }
        await leaveRoom(room)
    }

    /// The rooms that this account is in.
    public func roomsInside() async -> Set<JID> {
        var inside: Set<JID> = []
        for room in session?[GroupChat.self]?.rooms ?? [] where await room.isInside { inside.insert(room.address) }
        return inside
    }

    private func groupChat() throws(GroupChatError) -> GroupChat {
        guard let chat = session?[GroupChat.self] else {
            throw GroupChatError(.connection, "There is no connection to the server. Connect and try again.")
        }
        return chat
    }
}
