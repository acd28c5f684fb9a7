import AdHocCommands
import DataForms
import ServerFixtures
import ServiceDiscovery
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("Ad-hoc commands between two accounts", .timeLimit(.minutes(5)))
struct CommandLiveTests {
    /// A wizard of two questions: which goose, and how many eggs.
    private static let eggs = Command(node: "eggs", name: "Count Eggs") { context in
        let goose = DataFormField(
            name: "goose", kind: .listSingle, label: "Goose", isRequired: true,
            options: [.init(label: "Grey", value: "grey"), .init(label: "灰雁", value: "鸿雁")])
        return .ask(DataForm(kind: .form, title: "Eggs", fields: [goose]), isLast: false) { first in
            var count = DataFormField(name: "count", label: "Eggs", isRequired: true)
            count.validation = DataFormValidation(datatype: "xs:int", method: .range(minimum: "0", maximum: "12"))
            return .ask(DataForm(kind: .form, fields: [count])) { second in
                let goose = first["goose"]?.values.first ?? ""
                let count = second["count"]?.values.first ?? ""
                return .completed("\(context.requester.bare): \(goose) \(count)")
            }
        }
    }

    private static let secret = Command(node: "secret", name: "Secret", isAllowed: { _ in false }) { _ in
        .completed("no one reads this")
    }

    private static let broken = Command(node: "broken", name: "Broken") { _ in throw StanzaError(.conflict) }

    /// Runs `body` with the commands of a session that offers these, as another account.
    private func withOffer(
        on kind: LiveServer, _ body: @escaping @Sendable (_ juliet: AdHocCommands, _ romeo: JID) async throws -> Void
    ) async throws {
        let server = try await kind.server
        var romeo = try server.configuration(try await server.newAccount("romeo"))
        romeo.add { AdHocCommands($0, offering: [Self.eggs, Self.secret, Self.broken]) }
        var juliet = try server.configuration(try await server.newAccount("juliet"))
        juliet.add { AdHocCommands($0) }
        try await Client(romeo).run { first in
            try await first.send(Presence())
            let address = try #require(await first.address)
            try await Client(juliet).run { second in
                try await second.send(Presence())
                let commands = try #require(second[AdHocCommands.self])
                try await withDeadline { try await body(commands, address) }
            }
        }
    }

    @Test(
        "the list has what the requester may execute, and each command describes itself", arguments: LiveServer.allCases
    )
    func list(_ kind: LiveServer) async throws {
        let server = try await kind.server
        try await withOffer(on: kind) { juliet, romeo in
            let items = try await juliet.commands(of: romeo)
            #expect(items == [.init(node: "eggs", name: "Count Eggs"), .init(node: "broken", name: "Broken")])
        }
        var romeo = try server.configuration(try await server.newAccount("romeo"))
        romeo.add { AdHocCommands($0, offering: [Self.eggs, Self.secret]) }
        try await Client(romeo).run { session in
            let discovery = try #require(session[ServiceDiscovery.self])
            let own = try #require(await session.address)
            let features = try await discovery.information(of: own).features
            #expect(features.isSuperset(of: [AdHocCommands.listNode, DataForm.name.namespace]))
            let information = try await discovery.information(of: own, node: "eggs")
            #expect(information.hasIdentity(category: "automation", type: "command-node"))
            #expect(information.identities.first?.name == "Count Eggs")
            await #expect(throws: ClientError.self) { try await discovery.information(of: own, node: "secret") }
        }
    }

    @Test("a wizard goes on, back, refuses wrong answers and ends", arguments: LiveServer.allCases)
    func wizard(_ kind: LiveServer) async throws {
        try await withOffer(on: kind) { juliet, romeo in
            let first = try await juliet.start("eggs", at: romeo, language: "en")
            #expect(first.actions == [.next] && first.standardAction == .next && !first.isFinished)
            let form = try #require(first.form)
            await #expect {
                _ = try await juliet.perform(.next, answering: DataForm(kind: .submit), in: first)
            } throws: {
                ($0 as? ClientError)?.stanzaError.flatMap(CommandRefusal.init) == .badPayload
            }
            let grey = form.answered(with: ["goose": ["grey"]])
            var second = try await juliet.perform(.execute, answering: grey, in: first)
            #expect(second.actions == [.previous, .complete] && second.standardAction == .complete)
            let again = try await juliet.perform(.previous, in: second)
            #expect(again.form == form)
            second = try await juliet.perform(.next, answering: form.answered(with: ["goose": ["鸿雁"]]), in: again)
            let count = try #require(second.form)
            await #expect {
                _ = try await juliet.perform(.complete, answering: count.answered(with: ["count": ["13"]]), in: second)
            } throws: {
                ($0 as? ClientError)?.stanzaError?.text.best(for: []) == "The value of “Eggs” is not valid."
            }
            let end = try await juliet.perform(.complete, answering: count.answered(with: ["count": ["5"]]), in: second)
            #expect(end.isFinished && end.status == .completed && end.actions.isEmpty)
            #expect(end.notes.first?.text.hasSuffix(": 鸿雁 5") == true)
            await #expect { _ = try await juliet.perform(.complete, in: second) } throws: {
                ($0 as? ClientError)?.stanzaError.flatMap(CommandRefusal.init) == .sessionExpired
            }
        }
    }

    @Test("what is not there, not allowed, canceled or not understood gets the error of the specification")
    func refusals() async throws {
        try await withOffer(on: .prosody) { juliet, romeo in
            func error(_ work: () async throws -> CommandStage) async -> StanzaError? {
                do {
                    _ = try await work()
                    return nil
                } catch {
                    return (error as? ClientError)?.stanzaError
                }
            }
            #expect(await error { try await juliet.start("nothing", at: romeo) }?.condition == .itemNotFound)
            #expect(await error { try await juliet.start("secret", at: romeo) }?.condition == .forbidden)
            #expect(await error { try await juliet.start("broken", at: romeo) }?.condition == .conflict)
            let stage = try await juliet.start("eggs", at: romeo)
            #expect(
                await error { try await juliet.perform(.complete, in: stage) }.flatMap(CommandRefusal.init)
                    == .badAction)
            #expect(
                await error { try await juliet.perform(.previous, in: stage) }.flatMap(CommandRefusal.init)
                    == .badAction)
            #expect(try await juliet.perform(.cancel, in: stage).status == .canceled)
            #expect(
                await error { try await juliet.perform(.next, in: stage) }.flatMap(CommandRefusal.init)
                    == .sessionExpired)
        }
    }

    @Test("a person whom the session does not know learns of no command")
    func stranger() async throws {
        let server = try await LiveServer.prosody.server
        var romeo = try server.configuration(try await server.newAccount("romeo"), knowsEverybody: false)
        romeo.add { AdHocCommands($0, offering: [Self.eggs]) }
        var mallory = try server.configuration(try await server.newAccount("mallory"))
        mallory.add { AdHocCommands($0) }
        try await Client(romeo).run { first in
            try await first.send(Presence())
            let address = try #require(await first.address)
            try await Client(mallory).run { second in
                let commands = try #require(second[AdHocCommands.self])
                await #expect { _ = try await commands.start("eggs", at: address) } throws: {
                    ($0 as? ClientError)?.stanzaError?.condition == .serviceUnavailable
                }
                await #expect { _ = try await commands.commands(of: address) } throws: {
                    ($0 as? ClientError)?.stanzaError?.condition == .serviceUnavailable
                }
            }
        }
    }
}
