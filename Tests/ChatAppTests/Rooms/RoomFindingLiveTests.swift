import CGTK
import ChatEngine
import ChatStore
import ServerFixtures
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Rooms that are found in the main window, on a real server")
    struct RoomFindingLiveTests {
        init() throws { try #require(Toolkit.isReady) }

        /// A public room with a name that no other room has.
        private func room(_ name: String, of visitor: RoomVisitor) async throws -> JID {
            let service = try #require(await visitor.account.rooms.service())
            let room = try JID("\(name.lowercased())-\(visitor.address.local ?? "")@\(service)")
            try await visitor.account.rooms.create(
                room, nickname: "Romeo", settings: RoomSettings(name: visitor.name(name), access: .everybody))
            return room
        }

        @Test("the box for a new conversation finds a public room by its name; Return joins and opens it")
        func publicRoom() async throws {
            let server = try await ServerKind.prosody13.shared()
            let juliet = try await RoomVisitor("juliet", on: server)
            let romeo = try await RoomVisitor("romeo", on: server)
            let room = try await room("Orchard", of: romeo)
            let (model, following) = romeo.follow(room)
            let main = try MainWindow.shown(juliet.context)
            let view = try #require(NewConversationWindow.show(juliet.context, over: main.window))
            view.search.text = romeo.name("orchard")
            let text = "Public room · \(room)"
            #expect(await Toolkit.eventually { WindowCrawler.texts(of: view.window).contains(text) })
            #expect(view.shown.count == 1)
            view.search.emit("activate")
            #expect(await Toolkit.eventually { main.openKey == juliet.key(room) && juliet.isInside(room) })
            #expect(await Toolkit.eventually { main.conversation?.root.containsFocus == true })
            // The other one in the room sees it.
            #expect(await Toolkit.eventually { model.count == 2 })
            #expect(juliet.home.conversations.all[juliet.key(room)]?.title == romeo.name("Orchard"))
            following.cancel()
            main.close(permanently: true)
            await juliet.home.stop()
            await romeo.home.stop()
        }

        @Test("the page of a contact has a row for each room that both are in, and a click opens the room")
        func inCommon() async throws {
            let server = try await ServerKind.prosody13.shared()
            let juliet = try await RoomVisitor("juliet", on: server)
            let romeo = try await RoomVisitor("romeo", on: server)
            let shared = try await room("Feast", of: juliet)
            _ = try await room("Tomb", of: juliet)
            try await romeo.account.rooms.enter(shared, nickname: "Romeo M")
            _ = try await juliet.account.contacts.add(romeo.address)
            let main = try MainWindow.shown(juliet.context)
            let id = ContactRow.ID(account: juliet.id, address: romeo.address)
            #expect(await Toolkit.eventually { juliet.home.contacts.rows[id] != nil })
            let (model, following) = juliet.follow(shared)
            #expect(await Toolkit.eventually { model.count == 2 })
            juliet.context.showContact(id)
            let page = try #require(ContactWindow.show(id, juliet.context, over: nil))
            let name = juliet.name("Feast")
            #expect(await Toolkit.eventually { WindowCrawler.texts(of: page.window).contains("Rooms in Common") })
            #expect(page.view.roomRows.count == 1)
            #expect(await WindowCrawler.click(name, in: page.window))
            #expect(await Toolkit.eventually { main.openKey == juliet.key(shared) })
            #expect(await Toolkit.eventually { !ContactWindow.isOpen(id) })
            following.cancel()
            main.close(permanently: true)
            await juliet.home.stop()
            await romeo.home.stop()
        }
    }
}
