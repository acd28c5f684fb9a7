import AdHocCommands
import CGTK
import ChatEngine
import ChatStore
import DataForms
import ServerFixtures
import Testing
import WindowFixtures

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    @Test("a bot's command: found on its page and by “/” in its conversation, filled in, and its result is read")
    func commands() async throws {
        try #require(Toolkit.isReady)
        _ = RoomVisitor.useStyle
        let server = try await ServerKind.prosody13.shared()
        let juliet = try await RoomVisitor("juliet", on: server)
        let bot = try await RoomVisitor("bot", on: server)
        let commands = try #require(bot.account.session?[AdHocCommands.self])
        commands.offer(Self.feed)
        _ = try await juliet.account.contacts.add(bot.address)
        #expect(await Toolkit.eventually(asking: { await !bot.account.contacts.requests.isEmpty }))
        try await bot.account.contacts.acceptRequest(of: juliet.address)
        #expect(
            await Toolkit.eventually(asking: { await !juliet.account.contacts.devices(of: bot.address).isEmpty }))

        let page = try #require(
            ContactWindow.show(ContactRow.ID(account: juliet.id, address: bot.address), juliet.context, over: nil))
        #expect(await Toolkit.eventually { page.view.commands.isVisible })
        let model = CommandModel(bot.address, account: juliet.account)
        let window = CommandWindow(model, name: "Bot", over: page.window)
        window.present()
        #expect(await Toolkit.eventually { model.offers.count == 1 && model.progress == .choosing })
        await Toolkit.picture(window.window, "commands")
        #expect(await Toolkit.eventually { window.shownOffers?.count == 1 })
        try window.window.click(row: sampleWords("Feed the geese"))
        #expect(await Toolkit.eventually { model.progress == .asking })
        await Toolkit.picture(window.window, "command-question")
        #expect(await Toolkit.eventually { window.texts == [sampleWords("Geese like clover.")] })
        // A required field is missing: the window says so, and nothing is sent.
        window.forward.click()
        #expect(await Toolkit.eventually { model.wrongField == "goose" })
        try #require(window.fields.fields.first).text = "Nils"
        #expect(model.failure == nil)
        let before = model.stageCount
        window.forward.click()
        #expect(await Toolkit.eventually { model.stageCount > before })
        #expect(await Toolkit.eventually { window.fields.fields.first?.text == "" })
        #expect(model.answers["goose"] == [])
        await model.cancel()
        #expect(await Toolkit.eventually { window.shownOffers?.count == 1 && model.progress == .choosing })
        try window.window.click(row: sampleWords("Feed the geese"))
        #expect(await Toolkit.eventually { model.progress == .asking && window.fields.fields.first?.text == "" })
        try #require(window.fields.fields.first).text = "Akka"
        try window.window.choose(1, inRow: sampleWords("Food"))
        window.forward.click()
        #expect(await Toolkit.eventually { model.progress == .finished })
        await Toolkit.picture(window.window, "command-result")
        #expect(await Toolkit.eventually { window.texts == ["Akka eats bread."] })
        #expect(!window.cancel.isVisible && !window.back.isVisible)
        window.forward.click()
        #expect(await Toolkit.eventually { model.progress == .choosing && model.offers.count == 1 })
        window.window.close()
        page.window.close()

        try await Self.suggest(juliet, bot)
        await juliet.home.stop()
        await bot.home.stop()
    }

    private static func suggest(_ juliet: RoomVisitor, _ bot: RoomVisitor) async throws {
        let key = ConversationKey(account: juliet.id, address: bot.address, kind: .direct)
        let view = juliet.context.conversationView(key)
        let window = Window("Test", width: 520, height: 400, view.root)
        window.present()
        let composer = try #require(view.composer)
        composer.entry.insert("/fe")
        composer.completions.complete()
        #expect(await Toolkit.eventually { composer.completions.choice == sampleWords("Feed the geese") })
        await Toolkit.picture(window, "command-suggestion")
        func windowCount() -> UInt32 { g_list_model_get_n_items(gtk_window_get_toplevels()) }
        let before = windowCount()
        composer.completions.accept(0)
        #expect(composer.entry.text.isEmpty)
        #expect(await Toolkit.eventually { windowCount() > before })
        view.close()
        window.destroy()
        await Toolkit.settle()
    }

    private static let feed = Command(node: "feed", name: sampleWords("Feed the geese")) { _ in
        let food = DataFormField(
            name: "food", kind: .listSingle, label: sampleWords("Food"), isRequired: true,
            options: [
                .init(label: sampleWords("Clover"), value: "clover"),
                .init(label: sampleWords("Bread"), value: "bread"),
            ])
        let goose = DataFormField(name: "goose", label: sampleWords("Goose"), isRequired: true)
        let form = DataForm(
            kind: .form, title: sampleWords("Feed the geese"), instructions: [sampleWords("Geese like clover.")],
            fields: [goose, food])
        return .ask(form) { answers in
            let (goose, food) = (answers["goose"]?.values.first ?? "", answers["food"]?.values.first ?? "")
            let last = CommandStep.completed("\(goose) eats \(food).")
            // Nobody with this name is there: the same question again.
            return goose == "Nils" ? .ask(form) { _ in last } : last
        }
    }
}
