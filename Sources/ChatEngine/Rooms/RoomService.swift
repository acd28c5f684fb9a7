public import GroupChat
public import XMPPAddress

/// The rooms of one account: the façade of `RoomJoining`, `RoomAdministration`, `RoomDirectory` and `RoomPictures`.
///
/// Commands in a room return when the room has confirmed them, and throw the room's error.
public struct RoomService: Sendable {
    let joining: RoomJoining
    private let context: AccountContext
    private let administration: RoomAdministration
    private let directory: RoomDirectory
    private let pictures: RoomPictures

    init(_ context: AccountContext, history: HistoryService, invitations: InvitationService) {
        self.context = context
        pictures = RoomPictures(context: context)
        joining = RoomJoining(context, history: history, invitations: invitations, pictures: pictures)
        administration = RoomAdministration(context: context)
        directory = RoomDirectory(context: context, joining: joining)
    }

    // MARK: Joining

    /// Joins a room, now and whenever the account connects, on all devices. Throws `nicknameTaken`, `passwordRequired`,
    /// `membersOnly` …, or `connection` without a connection; then the room is not stored.
    public func enter(_ room: JID, nickname: String, password: String? = nil) async throws(GroupChatError) {
        try await joining.enter(room, nickname: nickname, password: password)
    }

    /// Joins the room of an invitation.
    public func acceptInvitation(to room: JID, nickname: String) async throws(GroupChatError) {
        try await joining.acceptInvitation(to: room, nickname: nickname)
    }

    /// Creates a room with these settings and joins it. Throws `alreadyThere` if the room exists, and the errors of
    /// ``enter(_:nickname:password:)``. A room that could not be configured is destroyed.
    public func create(_ room: JID, nickname: String, settings: RoomSettings) async throws(GroupChatError) {
        try await joining.create(room, nickname: nickname, settings: settings)
    }

    /// Destroys a room (XEP-0045 §10.9).
    public func destroy(_ room: JID, reason: String? = nil) async throws(GroupChatError) {
        try await joining.destroy(room, reason: reason)
    }

    /// Leaves a room permanently; its messages remain.
    public func leave(_ room: JID) async { await joining.leave(room) }

    /// Joins a known room unless it is joined; now, or when the account connects (``ChatAccountPolicy/entersRooms``).
    public func visit(_ room: JID) async { await joining.visit(room) }

    /// The current state of a room.
    public func state(of room: JID) async -> RoomState { await joining.state(of: room) }

    // MARK: In a room

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
        try await context.joinedRoom(room).inviteBothWays(account, reason: reason)
    }

    /// Retracts an occupant's message for everybody (XEP-0425), by its archive id.
    public func retract(_ archiveID: String, in room: JID, reason: String? = nil) async throws(GroupChatError) {
        try await context.joinedRoom(room).retract(archiveID, reason: reason)
    }

    /// Publishes the picture of a room as its owner, scaled down and without metadata; `nil` removes it.
    public func setPicture(_ bytes: [UInt8]?, of room: JID) async throws(OwnProfileFailure) {
        try await pictures.set(bytes, of: room)
    }

    /// The settings of a room, for its owners.
    public func configuration(of room: JID) async throws(RoomFailure) -> RoomConfiguration {
        try await administration.configuration(of: room)
    }

    /// Changes the settings of a room; only what differs from what was read `before` is sent.
    public func configure(
        _ room: JID, _ configuration: RoomConfiguration, before: RoomConfiguration
    ) async throws(RoomFailure) { try await administration.configure(room, configuration, before: before) }

    /// The accounts with a standing in a room: owners, admins, members, banned ones; each sorted by address.
    public func affiliates(of room: JID) async throws(RoomFailure) -> [RoomAffiliate] {
        try await administration.affiliates(of: room)
    }

    /// Changes the standing of an account; `nil` removes it.
    public func setStanding(
        _ standing: RoomAffiliate.Standing?, of account: JID, in room: JID
    ) async throws(RoomFailure) { try await administration.setStanding(standing, of: account, in: room) }

    // MARK: Finding rooms

    /// The room service of the account's server; `nil` if there is none, or without a connection.
    public func service() async -> JID? { await directory.service() }

    /// The public rooms of a service.
    public func listings(at service: JID) async throws(GroupChatError) -> [RoomListing] {
        try await directory.listings(at: service)
    }

    /// The information about a room, also for users who have not joined it.
    public func information(of room: JID) async throws(GroupChatError) -> RoomInformation {
        try await directory.information(of: room)
    }

    /// The joined rooms.
    public func inside() async -> Set<JID> { await directory.inside() }

    /// The rooms that the account shares with a user, as far as they show the addresses of their members.
    public func shared(with person: JID) async -> [JID] { await directory.shared(with: person) }
}
