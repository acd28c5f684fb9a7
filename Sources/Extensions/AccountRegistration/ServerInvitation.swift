internal import AdHocCommands
internal import DataForms
public import MessagePayloads
public import XMPPAddress
public import XMPPClient

/// An invitation that our server has made for us: to become a contact, or to create an account (XEP-0401 Ad-hoc Account
/// Invitation Generation §4).
///
/// Give the link to one person, as a text or as a QR code: who has it can use it.
public struct ServerInvitation: Sendable, Equatable {
    /// What a server lets us invite to.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// To become our contact, and to create an account at the same time if the server allows it.
        case contact = "urn:xmpp:invite#invite"
        /// To create an account; usually for administrators.
        case account = "urn:xmpp:invite#create-account"
    }

    public var uri: XMPPURI
    /// A web page for people without a program (§4.2).
    public var landingPage: String?
    /// `nil` if it does not expire.
    public var expires: Timestamp?

    public init(uri: XMPPURI, landingPage: String? = nil, expires: Timestamp? = nil) {
        self.uri = uri
        self.landingPage = landingPage
        self.expires = expires
    }

    /// The maximum length of the address of a page, in bytes: what a QR code can hold.
    private static let addressLimit = 2048

    /// - Returns: `nil` for a result without a link.
    init?(_ form: DataForm) {
        guard let uri = form["uri"]?.values.first.flatMap({ try? XMPPURI($0) }) else { return nil }
        let page = form["landing-url"]?.values.first.flatMap {
            $0.hasPrefix("https://") && $0.utf8.count <= Self.addressLimit ? $0 : nil
        }
        // Prosody 0.12 writes a number of seconds since 1970.
        let expires = form["expire"]?.values.first.flatMap { text in
            Timestamp(text)
                ?? Int64(text).flatMap {
                    (0...253_402_300_799).contains($0) ? Timestamp(millisecondsSince1970: $0 * 1000) : nil
                }
        }
        self.init(uri: uri, landingPage: page, expires: expires)
    }
}

extension Session {
    /// The invitations that our server makes for us.
    public func invitationKinds() async throws(ClientError) -> Set<ServerInvitation.Kind> {
        guard let server = address?.domainJID else {
            throw ClientError(.notConnected, "Invitations need a connection.")
        }
        let commands = try await AdHocCommands(self).commands(of: server)
        return Set(commands.compactMap { ServerInvitation.Kind(rawValue: $0.node) })
    }

    /// Lets our server make an invitation.
    ///
    /// - Parameters:
    ///   - userName: the name of the new account, for an invitation to create one; by default the user chooses it.
    ///   - subscribes: whether the new account and ours become contacts; `nil` leaves it to the server.
    /// - Throws: ``ClientError`` with `refused` where the server or this account may not invite.
    public func makeInvitation(
        to kind: ServerInvitation.Kind, userName: String? = nil, subscribes: Bool? = nil
    ) async throws(ClientError) -> ServerInvitation {
        guard let server = address?.domainJID else {
            throw ClientError(.notConnected, "Invitations need a connection.")
        }
        let commands = AdHocCommands(self)
        var stage = try await commands.start(kind.rawValue, at: server)
        if !stage.isFinished {
            var answers: [String: [String]] = [:]
            if let userName { answers["username"] = [userName] }
            if let subscribes { answers["roster-subscription"] = [subscribes ? "1" : "0"] }
            let action: CommandAction = stage.actions.contains(.complete) ? .complete : .execute
            stage = try await commands.perform(action, answering: stage.form?.answered(with: answers), in: stage)
        }
        guard let invitation = stage.form.flatMap(ServerInvitation.init) else {
            let reason = stage.notes.first?.text
            throw ClientError(.refused, reason ?? "The server has made no invitation.")
        }
        return invitation
    }
}
