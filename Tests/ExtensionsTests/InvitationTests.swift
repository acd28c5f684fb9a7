import AccountRegistration
import DataForms
import MessagePayloads
import Roster
import ServerFixtures
import Testing
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Invitations of a server and of a program (XEP-0401, XEP-0379)", .timeLimit(.minutes(10)))
struct InvitationTests {
    private static func time(_ seconds: Int64) -> Timestamp { Timestamp(millisecondsSince1970: seconds * 1000) }

    @Test("a token admits one address, until it expires")
    func tokens() throws {
        var random = SystemRandomNumberGenerator()
        var tokens = SubscriptionTokens()
        let first = tokens.issue(until: Self.time(100), using: &random)
        let second = tokens.issue(until: Self.time(100), using: &random)
        #expect(first != second)
        #expect(first.count >= 16)
        // They are kept between processes.
        tokens = try SubscriptionTokens(from: XMLElement(tokens))
        #expect(tokens.count == 2)
        let results = [
            tokens.redeem(first, at: Self.time(50)), tokens.redeem(first, at: Self.time(50)),
            tokens.redeem("", at: Self.time(50)), tokens.redeem(second, at: Self.time(101)),
        ]
        #expect(results == [true, false, false, false])
        #expect(tokens.count == 0)
    }

    @Test("open invitations are bounded")
    func manyTokens() {
        var random = SystemRandomNumberGenerator()
        var tokens = SubscriptionTokens()
        let first = tokens.issue(until: Self.time(100), using: &random)
        for _ in 0..<1000 { _ = tokens.issue(until: Self.time(100), using: &random) }
        #expect(tokens.count == 256)
        let isAdmitted = tokens.redeem(first, at: Self.time(1))
        #expect(!isAdmitted)
    }

    /// Admits one token, once.
    private actor Door {
        var token: String?

        init(_ token: String) { self.token = token }

        func redeem(_ text: String) -> Bool {
            guard text == token else { return false }
            token = nil
            return true
        }
    }

    private func withInvitation(
        _ kind: ServerKind, token: String,
        _ body: @escaping @Sendable (_ romeo: Session, _ juliet: Session) async throws -> Void
    ) async throws {
        let server = try await kind.shared()
        let door = Door("1tMFqYDdKhfe2pwp")
        let account = try await server.newAccount("romeo")
        var configuration = ClientConfiguration(address: try JID(account.address), password: account.password)
        configuration.host = server.host
        configuration.port = server.port
        configuration.trust = .certificateAuthority(server.authorityFile)
        configuration.loginTimeout = .seconds(120)
        configuration.add { Roster($0, admitting: { text, _ in await door.redeem(text) }) }
        let romeo = Client(configuration)
        let juliet = Client(try server.configuration(try await server.newAccount("juliet")))
        try await romeo.run { first in
            try await first.send(Presence())
            try await juliet.run { second in
                try await second.send(Presence())
                try await second.ping()
                let target = try #require(await first.address).bare
                try await second.send(
                    Presence(type: .subscribe, to: target).appending(Preauthentication(token: token)))
                try await withDeadline { try await body(first, second) }
            }
        }
    }

    @Test("a request with the token of an invitation is accepted without a question", arguments: ServerKind.allCases)
    func admitted(kind: ServerKind) async throws {
        try await withInvitation(kind, token: "1tMFqYDdKhfe2pwp") { romeo, juliet in
            let (mine, theirs) = (try #require(romeo[Roster.self]), try #require(juliet[Roster.self]))
            let own = try #require(await romeo.address).bare
            // Both ask for each other: the program that was invited accepts whom it has asked itself.
            while await theirs.contact(own)?.item.subscription != .both { try await Task.sleep(for: .milliseconds(20)) }
            #expect(await mine.requests.isEmpty)
        }
    }

    @Test("a wrong token is a usual request", arguments: ServerKind.allCases)
    func refused(kind: ServerKind) async throws {
        try await withInvitation(kind, token: "guessed") { romeo, juliet in
            let mine = try #require(romeo[Roster.self])
            let peer = try #require(await juliet.address).bare
            while await mine.requests != [peer] { try await Task.sleep(for: .milliseconds(20)) }
            #expect(await mine.contact(peer)?.item.subscription.isSeenByContact != true)
        }
    }

    @Test("the server makes an invitation for a contact", arguments: [ServerKind.prosody012, .prosody13])
    func contact(kind: ServerKind) async throws {
        let server = try await kind.shared(
            ServerOptions {
                $0.addedModules = ["invites", "invites_adhoc", "invites_register"]
                $0.configurationLines = ["allow_user_invites = true", "allow_contact_invites = true"]
            })
        let account = try await server.newAccount("romeo")
        try await Client(try server.configuration(account)).run { session in
            #expect(try await session.invitationKinds().contains(.contact))
            let invitation = try await session.makeInvitation(to: .contact)
            guard case .addContact(let details)? = invitation.uri.request else {
                Issue.record("\(invitation)")
                return
            }
            #expect(invitation.uri.address == (try JID(account.address)))
            #expect(details.token?.isEmpty == false)
            let expires = try #require(invitation.expires)
            #expect(expires > Timestamp("2020-01-01T00:00:00Z") ?? expires)
        }
    }

    @Test("a server without invitations refuses", arguments: ServerKind.allCases)
    func none(kind: ServerKind) async throws {
        let server = try await kind.shared()
        try await Client(try server.configuration(try await server.newAccount("romeo"))).run { session in
            await #expect(throws: ClientError.self) { try await session.makeInvitation(to: .account) }
        }
    }
}
