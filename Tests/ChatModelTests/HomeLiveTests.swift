import ChatFixtures
import ChatModel
import ChatStore
import ChatStoreTesting
import MessageFeatures
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Signing in and creating accounts on real servers", .timeLimit(.minutes(20)))
@MainActor
struct HomeLiveTests {
    private static func inviting() async throws -> PrivateProsody {
        try await PrivateProsody.shared(
            ServerOptions {
                $0.addedModules = ["invites", "invites_register"]
                $0.configurationLines = ["registration_invite_only = true"]
            })
    }

    private func until(_ condition: @MainActor () -> Bool) async throws {
        try #require(await eventually { condition() })
    }

    private func begin(_ model: SignInModel, _ account: ServerFixtures.Account, on server: RunningServer) {
        (model.address, model.password) = (account.address, account.password)
        (model.host, model.port) = (server.host, String(server.port))
        model.start()
    }

    @Test(
        "S0-77, S1-6: a wrong password is explained; the certificate is confirmed once and trusted; the account works"
    )
    func signIn() async throws {
        let server = try await ServerKind.prosody13.shared()
        let account = try await server.newAccount("juliet")
        let accountStorage = MemoryAccountStorage()
        let home = ChatHome(store: MemoryStore(), accountStorage: accountStorage)
        await home.start()
        let model = home.signIn()
        begin(model, Account(username: account.username, password: "wrong", domain: account.domain), on: server)
        try await until { model.certificates.question != nil }
        #expect(model.progressText != nil)
        #expect(model.certificates.question.map { Wording.failure($0).isEmpty } == false)
        model.certificates.answer(.trustAlways)
        await model.finish()
        #expect(model.failure?.field == .password)
        #expect(await accountStorage.passwords.isEmpty)
        begin(model, account, on: server)
        await model.finish()
        guard case .done(let id) = model.progress else {
            Issue.record("\(model.progress) \(String(describing: model.failure))")
            return
        }
        #expect(model.password.isEmpty)
        #expect(home.phase == .ready)
        try await until { home.accounts.rows[id]?.connection.isOnline == true }
        #expect(await accountStorage.accesses().first?.trustedCertificates.count == 1)
        let again = home.signIn()
        begin(again, account, on: server)
        #expect(again.failure?.field == .address, "it is signed in already")

        // The password is changed on the server and here; then one is used that the server does not know.
        let address = try JID(account.address)
        try await home.settings(of: id)?.changePassword(to: "another one")
        #expect(await accountStorage.passwords[address] == "another one")
        await home.setEnabled(false, id)
        await accountStorage.save(password: "stale", of: address)
        await home.setEnabled(true, id)
        try await until { home.accounts.rows[id]?.need == .password(isRejected: true) }
        let repaired = try #require(await home.signInAgain(id))
        repaired.password = "another one"
        repaired.start()
        await repaired.finish()
        #expect(repaired.progress == .done(id))
        try await until { home.accounts.rows[id]?.connection.isOnline == true }
        #expect(home.accounts.rows[id]?.need == nil)
        await home.remove(id)
        #expect(home.phase == .empty)
        #expect(await accountStorage.stored.isEmpty)
        await home.stop()
    }

    @Test("the typing switch applies to the next message, off and on again")
    func typingSwitch() async throws {
        let server = try await ServerKind.prosody13.shared()
        let (writer, reader) = (try await server.newAccount("juliet"), try await server.newAccount("romeo"))
        let (juliet, romeo) = (try JID(writer.address), try JID(reader.address))
        let accountStorage = MemoryAccountStorage()
        await accountStorage.save(
            AccountAccess(
                address: juliet, host: server.host, port: server.port, certificateAuthority: server.authorityFile))
        await accountStorage.save(password: writer.password, of: juliet)
        let home = ChatHome(store: MemoryStore(), accountStorage: accountStorage)
        await home.start()
        let id = try #require(home.accounts.rows.elements.first?.id)
        let account = try #require(home.account(id))
        try await until { home.accounts.rows[id]?.connection.isOnline == true }
        var configuration = ClientConfiguration(address: romeo, password: reader.password)
        (configuration.host, configuration.port) = (server.host, server.port)
        configuration.trust = .certificateAuthority(server.authorityFile)
        configuration.loginTimeout = .seconds(120)
        let states = try await Client(configuration).run { session in
            var events = session.events(.messages).makeAsyncIterator()
            try await session.send(Presence())
            var states: [ChatState?] = []
            for (number, isOn) in [true, false, true].enumerated() {
                home.preferences.values.tellsTyping = isOn
                await home.applyPreferences()
                _ = try await account.send(
                    .text(MessageText("\(number)")), in: ConversationKey(account: id, address: romeo, kind: .direct))
                while states.count == number, let batch = await events.next() {
                    for case .message(let message) in batch where message.body == "\(number)" {
                        states.append(message.chatState)
                    }
                }
            }
            return states
        }
        #expect(states == [.active, nil, .active])
        await home.stop()
    }

    @Test("rejecting a certificate stops the login with its reason")
    func refusedCertificate() async throws {
        let server = try await PrivateProsody.shared(ServerOptions { $0.certificate = .wrongName })
        let account = try await server.newAccount("juliet")
        let home = ChatHome(store: MemoryStore(), accountStorage: MemoryAccountStorage())
        await home.start()
        let model = home.signIn()
        begin(model, account, on: server)
        try await until { model.certificates.question != nil }
        model.certificates.answer(.refuse)
        await model.finish()
        #expect(model.failure?.message.contains("not for xmpp.test") == true, "\(String(describing: model.failure))")
        // Once only: the account connects, and nothing is saved.
        begin(model, account, on: server)
        try await until { model.certificates.question != nil }
        model.certificates.answer(.trustOnce)
        await model.finish()
        guard case .done(let id) = model.progress else { throw CancellationError() }
        try await until { home.accounts.rows[id]?.connection.isOnline == true }
        await home.stop()
    }

    @Test(
        "S0-33, S0-78, S1-19, S2-20: an account is created: a name in use is reported, another one is registered and signed in to"
    )
    func register() async throws {
        let server = try await ServerKind.prosody012.shared()
        let taken = try await server.newAccount("romeo")
        let home = ChatHome(store: MemoryStore(), accountStorage: MemoryAccountStorage())
        await home.start()
        let model = home.register()
        model.provider = server.domain
        (model.host, model.port) = (server.host, String(server.port))
        model.connect()
        try await until { model.certificates.question != nil }
        model.certificates.answer(.trustAlways)
        try await until { model.progress == .form }
        #expect(model.form?.fields.isEmpty == true)
        (model.userName, model.password, model.repeatedPassword) = (taken.username, "pass", "word")
        model.submit()
        #expect(model.failure?.field == .repeatedPassword)
        model.repeatedPassword = "pass"
        model.submit()
        try await until { model.progress == .form && model.failure != nil }
        #expect(model.failure?.field == .address)
        model.userName = taken.username + "-2"
        model.submit()
        try await until { model.progress == .signingIn || model.failure?.field == nil && model.failure != nil }
        await model.finish()
        guard case .done(let id)? = model.signIn?.progress else {
            Issue.record("\(String(describing: model.failure)) \(String(describing: model.signIn?.failure))")
            return
        }
        try await until { home.accounts.rows[id]?.connection.isOnline == true }
        await home.stop()
    }

    @Test("an invitation opens a closed server, sets the name, and adds a contact; a used one says so")
    func invitation() async throws {
        let server = try await Self.inviting()
        let romeo = try await server.newAccount("romeo")
        let home = ChatHome(store: MemoryStore(), accountStorage: MemoryAccountStorage())
        home.prepare = { $0.trust = .certificateAuthority(server.authorityFile) }
        await home.start()
        let link = try await server.invitation(contact: romeo.username)
        func model() throws -> RegistrationModel {
            let model = home.register(AccountInvitation(link))
            (model.host, model.port) = (server.host, String(server.port))
            model.connect()
            return model
        }
        let first = try model()
        try await until { first.progress == .form || first.failure != nil }
        #expect(first.failure == nil)
        (first.userName, first.password, first.repeatedPassword) = (romeo.username + "-friend", "p", "p")
        first.submit()
        try await until { first.progress == .signingIn || first.failure != nil }
        await first.finish()
        guard case .done? = first.signIn?.progress else {
            Issue.record("\(String(describing: first.failure)) \(String(describing: first.signIn?.failure))")
            return
        }
        let inviter = try JID(romeo.address)
        try await until { home.contacts.rows.elements.contains { $0.address == inviter } }
        let second = try model()
        try await until { second.failure != nil }
        #expect(second.failure?.field == .invitation)
        second.cancel()
        await home.stop()
    }
}
