import ChatStore
import GTKBinding
import ServerFixtures
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatEngine
@testable import ChatModel

extension WindowTests {
    @MainActor
    @Suite("Rooms in the main window")
    struct RoomMainWindowTests {
        init() throws {
            try #require(Toolkit.isReady)
            RoomVisitor.useStyle
        }

        @Test(
            "a room is used, opened by its shortcut, another one joined from an invitation, and a link asks first"
        )
        func window() async throws {
            let server = try await ServerKind.prosody13.shared()
            let juliet = try await RoomVisitor("juliet", on: server)
            let romeo = try await RoomVisitor("romeo", on: server)
            let service = try #require(await juliet.account.rooms.service())
            let garden = try JID("garden-\(juliet.address.local ?? "")@\(service)")
            let feast = try JID("feast-\(juliet.address.local ?? "")@\(service)")
            try await juliet.account.rooms.create(
                garden, nickname: sampleWords("Juliet"),
                settings: RoomSettings(name: sampleWords("Garden"), access: .everybody))
            try await juliet.account.rooms.changeSubject(
                of: garden, to: sampleWords("Roses by other names, Tuesdays after dark"))
            try await romeo.account.rooms.create(
                feast, nickname: sampleWords("Romeo"),
                settings: RoomSettings(name: sampleWords("Feast"), access: .everybody))
            let main = try MainWindow.shown(juliet.context)
            #expect(await Toolkit.eventually { juliet.home.phase == .ready && juliet.isInside(garden) })
            main.open(juliet.key(garden))
            try await romeo.account.rooms.enter(garden, nickname: sampleWords("Romeo"))
            let text = sampleWords("He jests at scars that never felt a wound.")
            _ = try await romeo.account.send(.text(MessageText(text)), in: romeo.key(garden))
            #expect(
                await Toolkit.eventually {
                    juliet.home.conversations.rows.elements.contains { $0.preview?.text == text }
                        && main.conversation?.header.statusText.hasPrefix("2 people") == true
                })
            #expect(main.window.activate("win.room"))
            let about = try #require(main.conversation?.room?.window)
            about.window.close()
            await Toolkit.picture(main.window, "main-room")

            try await romeo.account.rooms.invite(
                juliet.address, to: feast, reason: sampleWords("Come in a mask, and bring the nurse."))
            #expect(await Toolkit.eventually { main.invitations.revealer.isRevealed })
            await Toolkit.picture(main.window, "main-invitation")
            main.invitations.join.click()
            #expect(await Toolkit.eventually { main.openKey == juliet.key(feast) })
            #expect(await Toolkit.eventually { !main.invitations.revealer.isRevealed && juliet.isInside(feast) })

            // A link to a joined room opens it; other links ask first.
            juliet.context.links.open(address: "xmpp:\(garden)?join")
            #expect(main.openKey == juliet.key(garden))
            juliet.context.links.open(address: "xmpp:balcony@\(service)?join")
            #expect(main.openKey == juliet.key(garden))
            await Toolkit.settle()
            main.close(permanently: true)
            await Toolkit.settle()
            await juliet.home.stop()
            await romeo.home.stop()
        }
    }
}
