public import AccountRegistration
internal import DataForms
public import XMPPAddress
internal import XMPPClient
internal import XMPPStanzas

/// The registration of an account with a room or with a service of rooms (XEP-0045 Multi-User Chat §7.10): it reserves
/// a nickname, and in a room for members only it asks for membership.
public enum RoomRegistration: Sendable, Equatable {
    /// The account is registered.
    case registered(nickname: String?)
    /// The questions to answer; a form has the type `http://jabber.org/protocol/muc#register`.
    case open(RegistrationQuery)
}

extension GroupChat {
    /// The registration with a room, or with a service where that registers nicknames for all its rooms.
    ///
    /// - Throws: ``GroupChatError`` with `refused` where there is no registration.
    public func registration(at address: JID) async throws(GroupChatError) -> RoomRegistration {
        let query = try await answer(RegistrationRequest(), from: address.bare)
        guard query.isRegistered else { return .open(query) }
        let nickname = query.fields.first { $0.name == "username" || $0.name == "nick" }?.value
        let inForm = query.form?["muc#register_roomnick"] ?? query.form?["nick"]
        return .registered(nickname: nickname ?? inForm?.values.first)
    }

    /// Registers the account under a nickname. In a room for members only, administrators may have to approve it.
    ///
    /// - Parameter answers: the values of other fields of the form by their full name.
    /// - Throws: ``GroupChatError`` with `nicknameTaken` if it belongs to another account.
    public func register(
        _ nickname: String, at address: JID, answers: [String: [String]] = [:]
    ) async throws(GroupChatError) {
        let query = try await answer(RegistrationRequest(), from: address.bare)
        var all = answers
        // Some services name the fields as XEP-0077 does.
        for name in ["muc#register_roomnick", "nick"] where all[name] == nil { all[name] = [nickname] }
        let answered =
            query.form.map { RegistrationQuery(form: $0.answered(with: all)) }
            ?? RegistrationQuery(
                fields: query.fields.map { .init(name: $0.name, value: all[$0.name]?.first ?? nickname) })
        do throws(GroupChatError) {
            _ = try await answer(RegistrationSubmission(answered), from: address.bare)
        } catch  where error.stanzaError?.condition == .conflict {
            throw GroupChatError(.nicknameTaken, "Another account has registered this nickname.", cause: error.cause)
        }
    }

    /// Ends the registration of the account.
    public func unregister(at address: JID) async throws(GroupChatError) {
        _ = try await answer(RegistrationSubmission(RegistrationQuery(isRemoval: true)), from: address.bare)
    }

    private func answer<Request: IQRequest>(
        _ request: Request, from address: JID
    ) async throws(GroupChatError) -> Request.Response {
        do throws(ClientError) {
            return try await session.request(request, to: address)
        } catch {
            throw GroupChatError(error)
        }
    }
}
