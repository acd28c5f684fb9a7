import CGTK
import ChatEngine
import ChatStore
import GroupChat
import ServerFixtures
import Testing
import WindowFixtures
import XMPPAddress
import XMPPClient

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("The settings of a room on a real server")
    struct RoomSettingsLiveTests {
        init() async throws {
            try #require(Toolkit.isReady)
            await WindowCrawler.close()
        }

        /// Presses the row on the page of a room.
        private func settings(_ about: RoomWindow) async throws -> Window {
            about.stack.shown = "room"
            try #require(await Toolkit.eventually { about.page.settings.isMapped })
            gtk_widget_activate(about.page.settings.widget)
            return try #require(await WindowCrawler.window("Room Settings"))
        }

        @Test("an owner renames a room, opens it and sets a password; others see the name and need the password")
        func saved() async throws {
            let server = try await ServerKind.prosody13.shared()
            let juliet = try await RoomVisitor("juliet", on: server)
            let romeo = try await RoomVisitor("romeo", on: server)
            let room = try await juliet.makeRoom(.membersOnly)
            let (model, following) = juliet.follow(room)
            let about = RoomWindow(model, juliet.context)
            about.present()
            try #require(await Toolkit.eventually { model.isInside && model.rights.isOwner })

            let window = try await settings(about)
            try #require(await WindowCrawler.type("Garden Club", into: "Name", in: window))
            try #require(await WindowCrawler.type("Roses only", into: "Description", in: window))
            try #require(await WindowCrawler.type("sesame", into: "Password of the room", in: window))
            #expect(try window.chosen(inRow: "Access") == 0)
            try window.choose(1, inRow: "Access")
            try window.click(row: "Only people with voice can write")
            try #require(await WindowCrawler.click("Save", in: window))
            try #require(await Toolkit.eventually { !window.isMapped })
            try #require(await Toolkit.eventually { model.title == "Garden Club" })

            // What others see of it is known here, too.
            let joined = try #require(juliet.account.session?[GroupChat.self]?.room(room))
            #expect(await joined.information?.isForMembersOnly == false)

            // He was not invited, and the room asks him for the password.
            let entry = try #require(RoomEntryWindow.show(romeo.context, text: room.description))
            try #require(await WindowCrawler.click("Join", in: entry.window))
            try #require(await Toolkit.eventually { entry.view.password.isMapped && !entry.view.model.isWorking })
            #expect(!romeo.isInside(room))
            try #require(await WindowCrawler.type("sesame", into: "Password of the room", in: entry.window))
            try #require(await WindowCrawler.click("Join", in: entry.window))
            try #require(await Toolkit.eventually { romeo.isInside(room) })
            try #require(
                await Toolkit.eventually { romeo.home.conversations.all[romeo.key(room)]?.title == "Garden Club" })
            // In a moderated room he has to be given voice.
            let (place, staying) = romeo.follow(room)
            try #require(await Toolkit.eventually { place.own?.hasVoice == false })

            // What was saved is read again.
            let again = try await settings(about)
            try #require(await Toolkit.eventually { (try? again.text(inRow: "Description")) == "Roses only" })
            #expect(try again.chosen(inRow: "Access") == 1)
            #expect(try again.isOn(row: "Only people with voice can write"))
            again.close()

            following.cancel()
            staying.cancel()
            about.window.close()
            await juliet.home.stop()
            await romeo.home.stop()
        }

        @Test("who is banned in the list of members is removed and cannot come back until that is undone there")
        func standing() async throws {
            let server = try await ServerKind.prosody13.shared()
            let juliet = try await RoomVisitor("juliet", on: server)
            let romeo = try await RoomVisitor("romeo", on: server)
            let room = try await juliet.makeRoom()
            try await juliet.account.rooms.setMember(true, romeo.address, in: room)
            try await romeo.account.rooms.enter(room, nickname: "Romeo")
            let (model, following) = juliet.follow(room)
            let (place, staying) = romeo.follow(room)
            let about = RoomWindow(model, juliet.context)
            about.present()
            try #require(await Toolkit.eventually { model.count == 2 && model.rights.isOwner && place.isInside })

            let window = try await settings(about)
            let name = romeo.address.description
            try #require(await Toolkit.eventually { WindowCrawler.texts(of: window).contains(name) })
            #expect(try window.chosen(inRow: name) == 2)
            try window.choose(3, inRow: name)
            let notice = romeo.context.rooms.notice(place)
            try #require(await Toolkit.eventually { !place.isInside && notice.label.text.contains("banned") })
            try #require(await Toolkit.eventually { model.count == 1 })
            let account = romeo.account
            await #expect(throws: GroupChatError.self) { try await account.rooms.enter(room, nickname: "Romeo") }
            #expect(!place.isInside)

            // No standing: he is a visitor like everybody.
            try #require(await Toolkit.eventually { (try? window.chosen(inRow: name)) == 3 })
            try window.choose(4, inRow: name)
            try #require(await Toolkit.eventually { !WindowCrawler.texts(of: window).contains(name) })
            notice.join()
            try #require(await Toolkit.eventually { place.isInside && model.count == 2 })
            window.close()

            following.cancel()
            staying.cancel()
            about.window.close()
            await juliet.home.stop()
            await romeo.home.stop()
        }
    }
}
