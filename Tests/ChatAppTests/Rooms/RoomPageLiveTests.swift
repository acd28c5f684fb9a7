import CGTK
import ChatStore
import ServerFixtures
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatEngine
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("The page of a room on a real server")
    struct RoomPageLiveTests {
        init() async throws {
            try #require(Toolkit.isReady)
            RoomVisitor.useStyle
            await WindowCrawler.close()
        }

        @Test("“Join automatically” changes the bookmark; “Close Room for Everyone…” removes the other with the reason")
        func page() async throws {
            let server = try await ServerKind.prosody13.shared()
            let juliet = try await RoomVisitor("juliet", on: server)
            let romeo = try await RoomVisitor("romeo", on: server)
            let service = try #require(await juliet.account.rooms.service())
            let room = try JID("tomb-\(juliet.address.local ?? "")@\(service)")
            try await juliet.account.rooms.create(
                room, nickname: "Juliet", settings: RoomSettings(name: "Tomb", access: .everybody))
            try await romeo.account.rooms.enter(room, nickname: "Romeo")
            let (hers, following) = juliet.follow(room)
            let (his, staying) = romeo.follow(room)
            let notice = romeo.context.rooms.notice(his)
            let about = RoomWindow(hers, juliet.context)
            about.present()
            #expect(await Toolkit.eventually { hers.rights.isOwner && hers.count == 2 && his.isInside })

            await WindowCrawler.use("Room", in: about.window)
            func bookmark() async -> Bool? { await juliet.account.bookmarks.all[room]?.joinsAutomatically }
            #expect(await Toolkit.eventually(asking: { await bookmark() == true }))
            for isOn in [false, true] {
                #expect(await Toolkit.eventually { (try? about.window.isOn(row: "Join automatically")) == !isOn })
                try about.window.click(row: "Join automatically")
                #expect(await Toolkit.eventually(asking: { await bookmark() == isOn }))
                #expect(await Toolkit.eventually { hers.joinsAutomatically == isOn })
                #expect(hers.isInside)
            }

            func ask() async throws -> Window {
                #expect(await WindowCrawler.click("Close Room for Everyone…", in: about.window))
                #expect(await Toolkit.eventually { WindowCrawler.question != nil })
                let question = try #require(WindowCrawler.question)
                #expect(WindowCrawler.texts(of: question).contains("Close this room for everyone?"))
                return question
            }
            _ = try await ask()
            #expect(await WindowCrawler.answer("Cancel"))
            #expect(hers.isInside && his.isInside)
            let question = try await ask()
            let reason = WidgetTree.first(in: question.widget) { WidgetTree.isA($0, gtk_entry_get_type()) }
            gtk_editable_set_text(OpaquePointer(try #require(reason)), "The watch comes")
            #expect(await WindowCrawler.answer("Close Room"))
            #expect(await Toolkit.eventually { !his.isInside && !hers.isInside })
            #expect(
                await Toolkit.eventually { notice.label.text == "The room was closed. “The watch comes”" },
                "\(notice.label.text)")
            for task in [following, staying] { task.cancel() }
            about.window.close()
            for user in [juliet, romeo] { await user.home.stop() }
        }
    }
}
