import AdHocCommands
import DataForms
import ServerFixtures
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Administration of a server by its commands (XEP-0133)", .timeLimit(.minutes(5)))
struct ServerAdministrationLiveTests {
    private static let options = ServerOptions { $0.administrators = ["steward"] }
    private static let namespace = "http://jabber.org/protocol/admin#"

    private static func configuration(_ account: Account, on server: any PrivateServer) throws -> ClientConfiguration {
        var configuration = try server.configuration(account)
        configuration.add { AdHocCommands($0) }
        return configuration
    }

    /// Starts a command, answers its only form, and returns the result.
    private static func run(
        _ command: String, _ answers: [String: [String]], at domain: JID, _ commands: AdHocCommands
    ) async throws -> CommandStage {
        let asked = try await commands.start(namespace + command, at: domain)
        let form = try #require(asked.form)
        #expect(form.kind == .form && !asked.isFinished)
        #expect(answers.keys.allSatisfy { form[$0] != nil }, "\(form.fields.map(\.name))")
        let done = try await commands.perform(
            asked.standardAction ?? .complete, answering: form.answered(with: answers), in: asked)
        #expect(done.status == .completed && !done.hasFailed, "\(done.notes)")
        return done
    }

    @Test(
        "an administrator adds a user, reads statistics, announces and deletes the user", arguments: ServerKind.allCases
    )
    func administrator(kind: ServerKind) async throws {
        let server = try await kind.shared(Self.options)
        let steward = Account(username: "steward", password: "of the house", domain: server.domain)
        try await server.register(steward.username, password: steward.password)
        let nurse = Account(username: "nurse", password: "rose and name", domain: server.domain)
        let reader = Client(try server.configuration(try await server.newAccount("reader")))
        try await Client(Self.configuration(steward, on: server)).run { session in
            try await session.send(Presence())
            let commands = try #require(session[AdHocCommands.self])
            let domain = try JID(server.domain)
            let offered = Set(try await commands.commands(of: domain).map(\.node))
            let expected = ["add-user", "delete-user", "user-stats", "announce"].map { Self.namespace + $0 }
            #expect(offered.isSuperset(of: expected), "\(offered.sorted())")

            _ = try await Self.run(
                "add-user",
                ["accountjid": [nurse.address], "password": [nurse.password], "password-verify": [nurse.password]],
                at: domain, commands)
            try await Client(server.configuration(nurse)).run { session in try await session.ping() }
            let statistics = try await Self.run("user-stats", ["accountjid": [nurse.address]], at: domain, commands)
            #expect(statistics.form?.fields.isEmpty == false)
            if !kind.isProsody {
                let online = try await commands.start(Self.namespace + "get-online-users-num", at: domain)
                #expect(online.isFinished)
                #expect(online.form?["onlineusersnum"]?.values.first.flatMap { Int($0) } ?? 0 >= 1, "\(online)")
            }

            // What is announced reaches who is online.
            try await reader.run { second in
                let messages = second.events(.messages)
                try await second.send(Presence())
                try await second.ping()
                let asked = try await commands.start(Self.namespace + "announce", at: domain)
                let form = try #require(asked.form)
                let body = try #require(form.fields.first { $0.kind == .textMulti }?.name)
                let subject = try #require(form.fields.first { $0.kind == .textSingle }?.name)
                let done = try await commands.perform(
                    asked.standardAction ?? .complete,
                    answering: form.answered(with: [subject: ["Feast"], body: ["Tonight"]]), in: asked)
                #expect(done.status == .completed && !done.hasFailed)
                let text = try await withDeadline {
                    try await messages.firstMessage { $0.from == domain ? $0.body : nil }
                }
                #expect(text == "Tonight")
            }

            _ = try await Self.run("delete-user", ["accountjids": [nurse.address]], at: domain, commands)
            await #expect {
                try await Client(server.configuration(nurse)).run { _ in }
            } throws: {
                ($0 as? ClientError)?.code == .authenticationFailed
            }
        }
    }

    @Test("an ordinary account is offered none of these commands and may execute none", arguments: ServerKind.allCases)
    func ordinary(kind: ServerKind) async throws {
        let server = try await kind.shared(Self.options)
        let romeo = try await server.newAccount("romeo")
        try await Client(Self.configuration(romeo, on: server)).run { session in
            let commands = try #require(session[AdHocCommands.self])
            let domain = try JID(server.domain)
            let offered = (try? await commands.commands(of: domain)) ?? []
            #expect(!offered.contains { $0.node.hasPrefix(Self.namespace) }, "\(offered)")
            for command in ["add-user", "delete-user", "user-stats", "announce"] {
                await #expect("\(command)") {
                    _ = try await commands.start(Self.namespace + command, at: domain)
                } throws: {
                    [.forbidden, .notAllowed, .notAuthorized].contains(($0 as? ClientError)?.stanzaError?.condition)
                }
            }
        }
    }
}
