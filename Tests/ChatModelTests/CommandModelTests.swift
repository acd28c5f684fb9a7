import AdHocCommands
import ChatEngine
import ChatFixtures
import DataForms
import ServerFixtures
import Synchronization
import Testing
import XMPPAddress

@testable import ChatModel

@Suite("Commands of bots and servers, as a person executes them", .timeLimit(.minutes(20)))
@MainActor
struct CommandModelTests {
    @Test("a bot's commands are listed; questions are answered, corrected and repeated; the result is shown")
    func bot() async throws {
        let server = try await ServerKind.prosody13.shared()
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        let bot = try await Person(try await server.newAccount("bot"), on: server)
        try await juliet.whileRunning {
            try await bot.whileRunning { try await Self.talk(juliet, bot) }
        }
    }

    private static func talk(_ juliet: Person, _ bot: Person) async throws {
        await eventually { await bot.account.connectionState.isOnline }
        await eventually { await juliet.account.connectionState.isOnline }
        let deployed = Deployed()
        let commands = try #require(bot.account.session?[AdHocCommands.self])
        commands.offer(deploy(deployed))
        commands.offer(Command(node: "uptime", name: "Uptime") { _ in .completed("Up for three days.") })
        let model = CommandModel(bot.address, account: juliet.account)
        // A stranger learns nothing.
        await model.load()
        #expect(model.isLoaded)
        #expect(model.offers.isEmpty)
        #expect(model.failure == nil)

        try await Person.ask(juliet, bot)
        await eventually { await juliet.account.contacts.devices(of: bot.address).count == 1 }
        await model.load()
        #expect(model.offers.map(\.name) == ["Deploy", "Uptime"])
        try await answer(model, deployed)
        try await others(model, commands)
    }

    private static func answer(_ model: CommandModel, _ deployed: Deployed) async throws {
        await model.start(try #require(model.offer(named: "deploy")))
        #expect(model.progress == .asking)
        #expect(model.page?.title == "Deploy")
        #expect(model.page?.paragraphs == ["Choose what to deploy."])
        #expect(model.page?.fields.map(\.label) == ["What", "Branch"])
        #expect(model.answers == ["branch": ["main"]])
        #expect(!model.isLastQuestion)
        #expect(!model.canGoBack)
        // An answer that the form does not take is not sent.
        model.answers["branch"] = [""]
        await model.proceed()
        #expect(model.wrongField == "branch")
        #expect(model.failure == "“Branch” needs an answer.")
        #expect(model.progress == .asking)
        model.edited()
        #expect(model.failure == nil)
        model.answers["branch"] = ["stable"]
        await model.proceed()
        #expect(model.page?.fields.map(\.kind) == [.yesOrNo])
        #expect(model.isLastQuestion)
        #expect(model.canGoBack)
        await model.goBack()
        #expect(model.page?.fields.map(\.id).last == "branch")
        model.answers["branch"] = ["next"]
        await model.proceed()
        model.answers["sure"] = ["1"]
        await model.proceed()
        #expect(model.progress == .finished)
        #expect(!model.hasFailed)
        #expect(model.page?.notes.map(\.text) == ["Deployed."])
        #expect(model.page?.rows == [[.init(label: "Host", text: "a"), .init(label: "State", text: "next")]])
        #expect(deployed.branches == ["next"])
    }

    private static func others(_ model: CommandModel, _ commands: AdHocCommands) async throws {
        // A command without questions.
        await model.start(try #require(model.offer(named: "Uptime")))
        #expect(model.progress == .finished)
        #expect(model.page?.notes.map(\.text) == ["Up for three days."])
        await model.cancel()
        #expect(model.progress == .choosing)
        // One that is cancelled at its question, and one that is gone.
        let deploy = try #require(model.offer(named: "deploy"))
        await model.start(deploy)
        await model.cancel()
        #expect(model.page == nil)
        commands.withdraw("deploy")
        await model.start(deploy)
        #expect(model.progress == .choosing)
        #expect(model.failure == "This command is no longer offered.")
    }

    @Test("of what a hostile bot asks and answers a bounded part is shown, and lines of a text stay")
    func hostile() async throws {
        let server = try await ServerKind.prosody13.shared()
        let juliet = try await Person(try await server.newAccount("juliet"), on: server)
        let bot = try await Person(try await server.newAccount("bot"), on: server)
        try await juliet.whileRunning {
            try await bot.whileRunning { try await Self.flood(juliet, bot) }
        }
    }

    private static func flood(_ juliet: Person, _ bot: Person) async throws {
        try await Person.ask(juliet, bot)
        let commands = try #require(bot.account.session?[AdHocCommands.self])
        for number in 0..<300 {
            commands.offer(Command(node: "\(number)", name: "No. \(number)") { _ in .completed("") })
        }
        commands.offer(
            Command(node: "0", name: "Flood") { _ in .ask(Self.floodForm) { answers in .completed(answered(answers)) } }
        )
        let model = CommandModel(bot.address, account: juliet.account)
        await eventually { await juliet.account.contacts.devices(of: bot.address).count == 1 }
        await model.load()
        #expect(model.offers.count == 200)
        await model.start(try #require(model.offer(named: "Flood")))
        let page = try #require(model.page)
        #expect(page.fields.map(\.kind).prefix(3) == [.multipleLines, .text, .multipleLines])
        #expect(page.fields.count == CommandPage.limit)
        #expect(page.hiddenCount == 103)
        #expect(page.fields.allSatisfy { $0.label.utf8.count <= FormField.textLimit + 3 })
        model.answers["text"] = ["one", "", "two"]
        await model.proceed()
        #expect(model.progress == .finished)
        #expect(model.page?.entries.first?.text == "one||two")
        #expect(model.page?.rows.count == 149)
        #expect(model.page?.hiddenCount == 51)
    }

    nonisolated private static let floodForm: DataForm = {
        func options(_ count: Int) -> [DataFormField.Option] { (0..<count).map { .init(value: "\($0)") } }
        let text = DataFormField(
            name: "text", kind: .textMulti, label: "e" + String(repeating: "\u{301}", count: 10_000))
        let many = [
            DataFormField(name: "one", kind: .listSingle, options: options(501)),
            DataFormField(name: "several", kind: .listMulti, options: options(101)),
        ]
        return DataForm(
            kind: .form, fields: [text] + many + (0..<400).map { DataFormField(name: "field \($0)", kind: .textSingle) }
        )
    }()

    nonisolated private static func answered(_ answers: DataForm) -> DataForm {
        let text = answers["text"]?.values.joined(separator: "|") ?? ""
        let row = ["a", "b"].map { DataFormField(name: $0, values: ["x"]) }
        return DataForm(
            kind: .result, fields: [DataFormField(name: "text", values: [text])],
            columns: row.map { DataFormField(name: $0.name) }, rows: Array(repeating: row, count: 200))
    }

    private final class Deployed: Sendable {
        private let list = Mutex<[String]>([])
        var branches: [String] { list.withLock { $0 } }
        func add(_ branch: String) { list.withLock { $0.append(branch) } }
    }

    /// Two questions, in the order of a page (XEP-0141), then a table.
    private static func deploy(_ deployed: Deployed) -> Command {
        let branch = DataFormField(name: "branch", label: "Branch", isRequired: true, values: ["main"])
        let hidden = DataFormField(name: "secret", kind: .hidden, values: ["x"])
        let form = DataForm(
            kind: .form, title: "Deploy", instructions: ["Choose what to deploy."], fields: [branch, hidden],
            pages: [DataFormPage(label: "What", parts: [.field("branch")])])
        let sure = DataForm(
            kind: .form, title: "Deploy", fields: [DataFormField(name: "sure", kind: .boolean, label: "Really?")])
        return Command(node: "deploy", name: "Deploy") { _ in
            .ask(form, isLast: false) { first in
                let name = first["branch"]?.values.first ?? ""
                return .ask(sure) { answers in
                    guard answers["sure"]?.isTrue == true else { return .failed("Nothing was deployed.") }
                    deployed.add(name)
                    let columns = [
                        DataFormField(name: "host", label: "Host"), DataFormField(name: "state", label: "State"),
                    ]
                    let row = [
                        DataFormField(name: "host", values: ["a"]), DataFormField(name: "state", values: [name]),
                    ]
                    return .completed(
                        DataForm(kind: .result, columns: columns, rows: [row]), notes: [CommandNote("Deployed.")])
                }
            }
        }
    }
}
