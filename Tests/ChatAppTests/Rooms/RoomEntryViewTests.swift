import ChatStore
import GroupChat
import ServerFixtures
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Joining and creating rooms")
    struct RoomEntryViewTests {
        init() throws {
            try #require(Toolkit.isReady)
            RoomVisitor.useStyle
        }

        private func window(_ view: RoomEntryView) -> Window {
            let window = Window("Test", width: 440, height: 620, view.root)
            window.present()
            return window
        }

        @Test("missing input is shown before any request; without a connection an error is shown")
        func offline() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example", "nurse@verona.example")
            let accounts = home.accounts.rows.elements.compactMap { home.account($0.id) }
            let view = RoomEntryView(RoomEntryModel(accounts: accounts))
            let window = window(view)
            #expect(await Toolkit.eventually { view.nickname.text == "juliet" })
            view.page.onContinue()
            #expect(view.page.failure.text.contains("Enter the name"))
            view.room.text = "orchard"
            view.page.onContinue()
            #expect(view.page.failure.text.contains("whole address"))
            view.room.text = "orchard@rooms.example"
            #expect(await Toolkit.eventually { !view.page.failure.isVisible })
            view.nickname.text = " "
            view.page.onContinue()
            #expect(view.page.failure.text.contains("nickname"))
            view.nickname.text = sampleWords("Jule")
            view.page.onContinue()
            #expect(await Toolkit.eventually { view.page.failure.text.contains("needs a connection") })
            await Toolkit.picture(window, "room-entry-offline")
            view.close()
            window.destroy()
            await home.stop()
        }

        @Test("a disabled account joins no room, and a closed window leaves nothing behind")
        func closing() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example")
            let context = AppContext(home: home)
            await Toolkit.settle()
            let before = Object.liveCount
            do {
                let entry = try #require(RoomEntryWindow.show(context, text: "orchard@rooms.example"))
                #expect(entry.view.room.text == "orchard@rooms.example")
                await Toolkit.settle()
                entry.window.close()
            }
            #expect(await Toolkit.eventually { Object.liveCount <= before })
            let id = try #require(home.accounts.rows.elements.first?.id)
            await home.setEnabled(false, id)
            #expect(await Toolkit.eventually { home.accounts.rows[id]?.isEnabled == false })
            #expect(RoomEntryWindow.show(context) == nil)
            #expect(context.takePendingToasts().count == 1)
            await home.stop()
        }

        @Test("P2-23: each choice of who may join a new room is shown whole")
        func wholeChoices() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example")
            let entry = try #require(RoomEntryWindow.create(AppContext(home: home)))
            let access = entry.view.creation.access
            #expect(await Toolkit.eventually { access.isMapped && access.width > 0 })
            for choice in 0..<3 {
                access.selected = choice
                await WindowCrawler.rest(entry.window)
                let cut = WidgetTree.cutTexts(in: entry.window.widget)
                #expect(cut.isEmpty, "\(cut)")
            }
            entry.window.close()
            await home.stop()
        }

        @Test("P2-29: before the room service is known a whole address is asked for, and then a name is enough")
        func lateService() async throws {
            let server = try await ServerKind.prosody13.shared()
            let juliet = try await server.newAccount("juliet")
            let proxy = try FaultProxy(to: server.port)
            defer { proxy.stop() }
            proxy.configure { $0.acceptance = .refuse }
            let home = try await ChatHome.unreachable(juliet.address, password: juliet.password, isEnabled: false)
            home.prepare = { configuration in
                configuration.use(server)
                (configuration.host, configuration.port) = (proxy.host, proxy.port)
            }
            let id = try #require(home.accounts.rows.elements.first?.id)
            await home.setEnabled(true, id)
            let view = RoomEntryView(RoomEntryModel(accounts: [try #require(home.account(id))]))
            let window = window(view)
            var made: ConversationKey?
            view.onDone = { key, _ in made = key }
            view.showCreation()
            func says(_ start: String) -> Bool { WindowCrawler.texts(of: window).contains { $0.hasPrefix(start) } }
            #expect(await Toolkit.eventually { says("The whole address, such as ") })
            view.creation.name.text = "Tomb of \(juliet.username)"
            view.creation.page.onContinue()
            #expect(await Toolkit.eventually { says("Enter the whole address of the room") })
            proxy.heal()
            // The typed name is the beginning of an address now, and what was wrong is right.
            let room = "tomb-of-\(juliet.username)@"
            #expect(await Toolkit.eventually { says(room) && !says("Enter the whole address of the room") })
            view.creation.page.onContinue()
            #expect(await Toolkit.eventually { made?.address.description.hasPrefix(room) == true })
            window.destroy()
            await home.stop()
        }

        @Test("of several accounts the chosen one joins, with its own nickname")
        func chosenAccount() async throws {
            let server = try await ServerKind.prosody13.shared()
            let juliet = try await RoomVisitor("juliet", on: server)
            let romeo = try await RoomVisitor("romeo", on: server)
            let view = RoomEntryView(RoomEntryModel(accounts: [juliet.account, romeo.account]))
            let window = window(view)
            var entered: ConversationKey?
            view.onDone = { key, _ in entered = key }
            #expect(await Toolkit.eventually { view.nickname.text == juliet.address.local })
            try window.choose(1, inRow: "As")
            #expect(view.model.accountIndex == 1)
            #expect(await Toolkit.eventually { view.model.service != nil && !view.model.isPreparing })
            #expect(await Toolkit.eventually { view.nickname.text == romeo.address.local })
            view.room.text = romeo.name("Tomb")
            view.creation.page.onContinue()
            #expect(await Toolkit.eventually { entered != nil })
            let room = try #require(entered?.address)
            #expect(await Toolkit.eventually { romeo.isInside(room) })
            #expect(!juliet.isInside(room))
            window.destroy()
            await juliet.home.stop()
            await romeo.home.stop()
        }

        @Test("with a real server: created, listed, nickname in use, wrong password")
        func live() async throws {
            let server = try await ServerKind.prosody13.shared()
            let juliet = try await RoomVisitor("juliet", on: server)
            let romeo = try await RoomVisitor("romeo", on: server)

            // The room does not exist yet; it is created.
            let maker = RoomEntryView(RoomEntryModel(accounts: [juliet.account]))
            let first = window(maker)
            var made: ConversationKey?
            maker.onDone = { key, _ in made = key }
            #expect(await Toolkit.eventually { maker.model.service != nil && !maker.model.isPreparing })
            maker.room.text = juliet.name(sampleWords("Orchard"))
            maker.nickname.text = sampleWords("Jule")
            await Toolkit.picture(first, "room-entry")
            maker.page.onContinue()
            #expect(await Toolkit.eventually { maker.model.question == .missing && !maker.model.isWorking })
            #expect(await Toolkit.eventually { maker.page.failure.text == "There is no such room." })
            await Toolkit.picture(first, "room-entry-missing")
            maker.page.onContinue()
            maker.creation.access.selected = 1
            await Toolkit.picture(first, "room-making")
            #expect(maker.model.settings.access == .everybody)
            maker.creation.page.onContinue()
            #expect(await Toolkit.eventually { made != nil })
            let key = try #require(made)
            #expect(await Toolkit.eventually { juliet.isInside(key.address) })
            first.destroy()

            // Another user finds it; the nickname is in use there.
            let visitor = RoomEntryView(RoomEntryModel(accounts: [romeo.account]))
            let second = window(visitor)
            var entered: ConversationKey?
            visitor.onDone = { key, _ in entered = key }
            #expect(await Toolkit.eventually { !visitor.model.listings.isEmpty })
            visitor.room.text = juliet.name(sampleWords("orchard"))
            #expect(await Toolkit.eventually { visitor.suggestions.shown.map(\.address) == [] })
            visitor.room.text = sampleWords("rchard")
            #expect(await Toolkit.eventually { visitor.suggestions.shown.contains { $0.address == key.address } })
            visitor.nickname.text = sampleWords("Jule")
            await Toolkit.picture(second, "room-entry-suggestions")
            visitor.room.text = key.address.description
            visitor.page.onContinue()
            #expect(await Toolkit.eventually { visitor.model.question == .nickname(taken: "Jule") })
            #expect(await Toolkit.eventually { visitor.nickname.text == "Jule2" && visitor.page.failure.isVisible })
            await Toolkit.picture(second, "room-entry-nickname")
            #expect(entered == nil)

            try await juliet.protect(key.address, "rose")
            visitor.nickname.text = sampleWords("Romeo")
            visitor.page.onContinue()
            #expect(await Toolkit.eventually { visitor.password.isVisible && !visitor.model.isWorking })
            visitor.page.onContinue()
            #expect(visitor.page.failure.text == "Enter the password of the room.")
            visitor.password.text = "lily"
            visitor.page.onContinue()
            #expect(await Toolkit.eventually { visitor.model.question == .password(isWrong: true) })
            #expect(await Toolkit.eventually { visitor.page.failure.text == "The password of the room is wrong." })
            await Toolkit.picture(second, "room-entry-password")
            visitor.password.text = "rose"
            visitor.page.onContinue()
            #expect(await Toolkit.eventually { entered == romeo.key(key.address) })
            #expect(await Toolkit.eventually { romeo.isInside(key.address) })
            second.destroy()
            await juliet.home.stop()
            await romeo.home.stop()
        }
    }
}
