internal import GroupChat
public import MessageSemantics
internal import OMEMO
public import XMPPAddress
internal import XMPPClient

extension OMEMODevices {
    /// The accounts for whose devices a message of a conversation is encrypted, without our own account.
    ///
    /// In a room these are its owners, admins and members, present or not (XEP-0384 §5.8). The room must show addresses and be for
    /// members only; it determines them, and their new devices need trust like all others.
    ///
    /// - Throws: with `privateRoomMessage`, `anonymousRoom`, `publicRoom`, `membersUnknown`, `tooManyRecipients` or `unreachable`.
    public func recipients(in conversation: ConversationAddress) async throws(ProtectionError) -> [JID] {
        switch conversation.kind {
        case .direct: return [conversation.address]
        case .occupant:
            throw Self.error(
                .privateRoomMessage, "Private messages in rooms cannot be encrypted.", conversation.address)
        case .room: return try await members(of: conversation.address)
        }
    }

    private func members(of room: JID) async throws(ProtectionError) -> [JID] {
        if let known = rooms.members(of: room, now: clock.now()) { return known }
        let changes = rooms.beginRequest(of: room)
        let information = try await information(of: room)
        guard information.isNonAnonymous else {
            throw Self.error(.anonymousRoom, "The room hides the addresses of its members.", room)
        }
        guard information.isForMembersOnly else {
            throw Self.error(.publicRoom, "Anybody can enter the room.", room)
        }
        var members: Set<JID> = []
        for affiliation in [RoomAffiliation.owner, .admin, .member] {
            for item in try await list(affiliation, of: room) {
                // If a domain is a member, so are all its accounts, which are unknown.
                guard let address = item.address?.bare, address.local != nil else {
                    throw Self.error(.membersUnknown, "The room has members without an address.", room)
                }
                members.insert(address)
            }
        }
        if let own = await session.address?.bare { members.remove(own) }
        guard members.count <= EncryptionLimits.roomMembers else {
            throw Self.error(
                .tooManyRecipients, "The room has more than \(EncryptionLimits.roomMembers) members.", room)
        }
        let sorted = members.sorted { $0.description < $1.description }
        rooms.answered(sorted, of: room, changes: changes, now: clock.now())
        return sorted
    }

    private func information(of room: JID) async throws(ProtectionError) -> RoomInformation {
        guard let groupChat = session[GroupChat.self] else {
            throw Self.error(.membersUnknown, "Rooms need the extension GroupChat in the configuration.", room)
        }
        do throws(GroupChatError) {
            return try await groupChat.information(of: room)
        } catch {
            throw Self.error(.unreachable, "The room does not answer.", room, cause: error)
        }
    }

    private func list(_ affiliation: RoomAffiliation, of room: JID) async throws(ProtectionError) -> [RoomItem] {
        do throws(ClientError) {
            let request = RoomListRequest(affiliation)
            return try await session.request(request, to: room, timeout: EncryptionLimits.requestTimeout).items
        } catch {
            switch error.reading {
            case .forbidden, .missing, .damaged:
                throw Self.error(.membersUnknown, "The room does not tell who its members are.", room, cause: error)
            case .unreachable: throw Self.error(.unreachable, "The room does not answer.", room, cause: error)
            }
        }
    }

    private static func error(
        _ code: ProtectionError.Code, _ description: String, _ room: JID, cause: (any Error)? = nil
    ) -> ProtectionError {
        ProtectionError(
            code, description, recipients: [.init(room, code)], isTemporary: code == .unreachable, cause: cause)
    }
}
