public import DataForms
public import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

extension Room {
    /// All accounts with that affiliation, present or not (XEP-0045 §9.5); the nickname is the registered one.
    public func list(_ affiliation: RoomAffiliation) async throws(GroupChatError) -> [RoomItem] {
        try await request(RoomListRequest(affiliation)).items
    }

    /// Changes the affiliation of an account.
    public func setAffiliation(
        _ affiliation: RoomAffiliation, of account: JID, nickname: String? = nil, reason: String? = nil
    ) async throws(GroupChatError) {
        let item = RoomItem(affiliation: affiliation, address: account.bare, nickname: nickname, reason: reason)
        _ = try await request(RoomListChange([item]))
    }

    /// Bans an account (XEP-0045 §9.1).
    public func ban(_ account: JID, reason: String? = nil) async throws(GroupChatError) {
        try await setAffiliation(.outcast, of: account, reason: reason)
    }

    /// Changes the role of an occupant: grants or revokes voice or moderator status (XEP-0045 §8.3, §8.4, §9.6).
    public func setRole(_ role: RoomRole, of nickname: String, reason: String? = nil) async throws(GroupChatError) {
        _ = try await request(RoomListChange([RoomItem(role: role, nickname: nickname, reason: reason)]))
    }

    /// Removes an occupant, who may join again (XEP-0045 §8.2).
    public func kick(_ nickname: String, reason: String? = nil) async throws(GroupChatError) {
        try await setRole(.none, of: nickname, reason: reason)
    }

    /// Retracts a message for everybody (XEP-0425).
    ///
    /// - Parameter archiveID: the id that the room's archive assigned to the message
    ///   (`Message.archiveID(assignedBy:)`).
    public func retract(_ archiveID: String, reason: String? = nil) async throws(GroupChatError) {
        if information == nil { await refreshInformation() }
        if information?.hasEarlierModerationOnly == true {
            _ = try await request(EarlierModerationRequest(messageID: archiveID, reason: reason))
        } else {
            _ = try await request(ModerationRequest(messageID: archiveID, reason: reason))
        }
    }

    // MARK: Voice

    /// Asks the moderators for voice, in a room where visitors have none (XEP-0045 §7.13).
    public func requestVoice() async throws(GroupChatError) {
        guard isInside else { throw .notInside }
        try await deliver(VoiceRequest.request(to: address))
    }

    /// Answers the request of an occupant for voice, as a moderator (XEP-0045 §8.6).
    public func answer(_ request: VoiceRequest, isGranted: Bool) async throws(GroupChatError) {
        guard isInside else { throw .notInside }
        guard request.room == address else {
            throw GroupChatError(.refused, "The request was made in another room.")
        }
        try await deliver(request.answer(isGranted: isGranted))
    }

    // MARK: Invitations

    /// Invites a user through the room, which then also admits a non-member (XEP-0045 §7.8.2).
    public func invite(_ account: JID, reason: String? = nil) async throws(GroupChatError) {
        var message = Message(to: address)
        message.append(RoomUser(invitations: [MediatedInvitation(to: account.bare, reason: reason)]))
        try await deliver(message)
    }

    /// Invites a user directly, for recipients that reject messages from strangers such as rooms (XEP-0249).
    public func inviteDirectly(_ account: JID, reason: String? = nil) async throws(GroupChatError) {
        var message = Message(to: account)
        message.append(DirectInvitation(room: address, password: visit?.password, reason: reason))
        try await deliver(message)
    }

    func request<Request: IQRequest>(_ request: Request) async throws(GroupChatError) -> Request.Response {
        do throws(ClientError) {
            return try await session.request(request, to: address)
        } catch {
            throw GroupChatError(error)
        }
    }

    private func deliver(_ message: Message) async throws(GroupChatError) {
        do throws(ClientError) {
            try await session.send(message)
        } catch {
            throw GroupChatError(error)
        }
    }
}

extension Room {
    /// The configuration form for owners (XEP-0045 §10.2).
    public func configurationForm() async throws(GroupChatError) -> DataForm {
        try await request(RoomConfigurationRequest()).form
    }

    /// Submits the configuration form, which also unlocks a new room.
    public func configure(_ form: DataForm) async throws(GroupChatError) {
        _ = try await request(RoomOwnerRequest.configure(form))
        await refreshInformation()
    }

    /// Changes some settings, by the full names of their fields.
    ///
    /// Services differ in whether a missing field means "unchanged" or "default", so the whole form is submitted.
    public func configure(_ settings: [String: [String]]) async throws(GroupChatError) {
        try await configure(try await configurationForm().submission(changing: settings))
    }

    /// Unlocks a new room with the service's defaults (XEP-0045 §10.1.2).
    public func acceptDefaults() async throws(GroupChatError) {
        _ = try await request(RoomOwnerRequest.configure(DataForm(kind: .submit)))
    }

    /// Destroys the room (XEP-0045 §10.9).
    ///
    /// - Parameter alternative: the room to use instead.
    public func destroy(
        reason: String? = nil, alternative: JID? = nil, password: String? = nil
    ) async throws(GroupChatError) {
        _ = try await request(
            RoomOwnerRequest.destroy(.init(alternative: alternative, reason: reason, password: password)))
    }
}
