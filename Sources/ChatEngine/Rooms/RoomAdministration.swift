internal import GroupChat
internal import XMPPAddress

/// What the owners and admins of a room change.
struct RoomAdministration: Sendable {
    let context: AccountContext

    /// The settings of a room, for its owners.
    func configuration(of room: JID) async throws(RoomFailure) -> RoomConfiguration {
        RoomConfiguration(try await context.joinedRoom(room).configurationForm())
    }

    /// Changes the settings of a room.
    ///
    /// - Parameter before: what was read; only the differences are sent as changes.
    func configure(
        _ room: JID, _ configuration: RoomConfiguration, before: RoomConfiguration
    ) async throws(RoomFailure) {
        let fields = configuration.fields(besides: before)
        if !fields.isEmpty { try await context.joinedRoom(room).configure(fields) }
    }

    /// The accounts with a standing in a room: owners, admins, members, banned ones; each sorted by address.
    ///
    /// Lists that the account may not read are left out.
    func affiliates(of room: JID) async throws(RoomFailure) -> [RoomAffiliate] {
        let joined = try context.joinedRoom(room)
        var found: [RoomAffiliate] = []
        for standing in RoomAffiliate.Standing.allCases {
            guard let items = try? await joined.list(standing.affiliation) else { continue }
            found += items.prefix(Self.affiliateLimit).compactMap { item in
                item.address.map { RoomAffiliate(address: $0, standing: standing, reason: item.reason) }
            }.sorted { $0.address < $1.address }
        }
        return found
    }

    /// Of each list; a public room can have banned thousands.
    private static let affiliateLimit = 500

    /// Changes the standing of an account; `nil` removes it.
    func setStanding(
        _ standing: RoomAffiliate.Standing?, of account: JID, in room: JID
    ) async throws(RoomFailure) {
        try await context.joinedRoom(room).setAffiliation(standing?.affiliation ?? .none, of: account)
    }
}

extension RoomAffiliate.Standing {
    fileprivate var affiliation: RoomAffiliation {
        switch self {
        case .owner: .owner
        case .admin: .admin
        case .member: .member
        case .banned: .outcast
        }
    }
}

extension Room {
    /// Invites a user, directly and through the room, because some clients handle only one of the two.
    func inviteBothWays(_ account: JID, reason: String?) async throws(GroupChatError) {
        // A members-only room admits only users invited through the room.
        if information?.isForMembersOnly == true { try await invite(account, reason: reason) }
        try await inviteDirectly(account, reason: reason)
    }

    /// Configures a room that was created for this account; if that fails, the room is destroyed.
    func configureNew(_ settings: RoomSettings) async throws(GroupChatError) {
        do throws(GroupChatError) {
            try await configure(settings.fields)
        } catch {
            try? await destroy()
            await leave()
            throw error
        }
    }
}
