import ServerFixtures
import Testing
import WindowFixtures

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

        @Test("“Join automatically” changes the bookmark")
        func page() async throws {
            let server = try await ServerKind.prosody13.shared()
            let juliet = try await RoomVisitor("juliet", on: server)
            let room = try await juliet.makeRoom()
            let (hers, following) = juliet.follow(room)
            let about = RoomWindow(hers, juliet.context)
            about.present()
            #expect(await Toolkit.eventually { hers.rights.isOwner && hers.isInside })

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
            following.cancel()
            about.window.close()
            await juliet.home.stop()
        }
    }
}
