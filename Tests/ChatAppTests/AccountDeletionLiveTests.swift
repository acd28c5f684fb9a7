import ChatEngine
import ChatStore
import ChatStoreTesting
import ServerFixtures
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Deletion of an account on its server")
    struct AccountDeletionLiveTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test(
            "after its address was typed an account is deleted: nobody can sign in with it, contacts see that, and nothing of it is left on this computer"
        )
        func deletion() async throws {
            let server = try await ServerKind.prosody13.shared()
            let juliet = try await ProgramUser("juliet", on: server)
            let romeo = try await ProgramUser("romeo", on: server)
            defer { for user in [juliet, romeo] { ProgramUser.remove(user.folder) } }
            try await juliet.befriend(romeo)
            let (id, address) = (try juliet.account.id, try juliet.account.address)
            _ = try await romeo.account.send(.text(MessageText("Soft!")), in: try romeo.key(juliet))
            #expect(await Toolkit.eventually { juliet.home.conversations.rows.elements.count == 1 })
            let password = try #require(await juliet.accounts.password(of: address))

            let preferences = ProgramPreferencesWindow.show(juliet.home, over: nil, account: id)
            #expect(await WindowCrawler.click("Delete the Account on the Server…", in: preferences.window))
            #expect(await Toolkit.eventually { WindowCrawler.question != nil })
            let question = try #require(WindowCrawler.question)
            let button = Control.names(["Delete Permanently"])
            func canDelete() -> Bool { Control.all(in: question.widget).contains { button.contains($0.name) } }
            #expect(await WindowCrawler.type("\(address)x", into: "Address", in: question))
            await Toolkit.settle()
            #expect(!canDelete())
            #expect(await WindowCrawler.type(address.description, into: "Address", in: question))
            try #require(await Toolkit.eventually { canDelete() })
            #expect(await WindowCrawler.answer("Delete Permanently"))
            try #require(await Toolkit.eventually { juliet.home.accounts.rows.elements.isEmpty })
            #expect(await Toolkit.eventually { preferences.account == nil })
            #expect(await Toolkit.eventually { juliet.home.conversations.rows.elements.isEmpty })
            #expect(await Toolkit.eventually { romeo.home.contacts.rows.elements.first?.section != .online })
            preferences.window.close()
            await romeo.end()
            await juliet.end()

            // At the server.
            let home = ChatHome(store: MemoryStore(), accountStorage: MemoryAccountStorage())
            home.prepare = { $0.use(server) }
            await home.start()
            let model = home.signIn()
            let view = SignInView(model)
            let window = Window("Test", width: 480, height: 680, view.root)
            window.present()
            view.address.text = address.description
            view.password.text = password
            view.page.button.click()
            #expect(await Toolkit.eventually { model.failure != nil && view.page.failure.isVisible })
            #expect(model.failure?.field == .password && home.accounts.rows.elements.isEmpty)
            window.destroy()
            await home.stop()

            // At the next start of the program.
            let again = try await ProgramUser(in: juliet.folder)
            await again.home.start()
            #expect(again.home.accounts.rows.elements.isEmpty)
            #expect(try await again.accounts.password(of: address) == nil)
            await again.end()
        }
    }
}
