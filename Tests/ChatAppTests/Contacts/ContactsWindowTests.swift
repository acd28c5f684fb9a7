import ChatModel
import ChatStore
import Testing
import WindowFixtures

@testable import ChatApp
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Contacts in the main window")
    struct ContactsWindowTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("a newcomer finds how to begin; contacts open in the place of the conversations and lead to one")
        func contacts() async throws {
            let sample = try await ContactsSample()
            let window = try MainWindow.shown(sample.context)
            await Toolkit.settle()
            await Toolkit.picture(window.window, "main-empty")
            try await sample.people()
            try await sample.receive("Soft! what light?", from: "romeo")
            #expect(window.window.activate("win.contacts"))
            #expect(window.sidebar.shown == "contacts")
            let view = try #require(window.contacts)
            #expect(await Toolkit.turn { view.items.count == 10 })
            try sample.ask(("rosaline", "We met at the feast, and I would like to see you again."))
            #expect(await Toolkit.turn { window.requests.isRevealed })
            await Toolkit.picture(window.window, "main-contacts")
            // Where he stands depends on what the others are called.
            let place = view.items.firstIndex { item in
                if case .contact(let row) = item.content { row.address.local == "romeo" } else { false }
            }
            view.open(try #require(place))
            #expect(window.openKey?.address.local == "romeo" && window.sidebar.shown == "conversations")
            await Toolkit.settle()
            await Toolkit.picture(window.window, "main-conversation")
            // The same keys lead there and back.
            #expect(window.window.activate("win.contacts") && window.sidebar.shown == "contacts")
            #expect(window.window.activate("win.contacts") && window.sidebar.shown == "conversations")
            window.close(permanently: true)
            await Toolkit.settle()
            await sample.home.stop()
        }

        @Test("the menu of a contact can be looked at, and offers what can be done without a connection")
        func menu() async throws {
            let sample = try await ContactsSample()
            try await sample.people()
            let window = try MainWindow.shown(sample.context)
            let menu = try #require(await ContactMenu.menu(sample.context.contactActions(try sample.row("romeo"))))
            menu.group.activate("delete")
            await Toolkit.settle()
            #expect(sample.home.contacts[try sample.row("romeo")] != nil)
            menu.group.activate("write")
            #expect(window.openKey?.address.local == "romeo")
            window.close(permanently: true)
            await Toolkit.settle()
            await sample.home.stop()
        }
    }
}
