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
    @Suite("Two in a room on a real server")
    struct RoomLiveTests {
        init() throws {
            try #require(Toolkit.isReady)
            RoomVisitor.useStyle
        }

        @Test("a user is invited, joins from the bar, is removed with a reason, joins again and leaves permanently")
        func visit() async throws {
            let server = try await ServerKind.prosody13.shared()
            let juliet = try await RoomVisitor("juliet", on: server)
            let romeo = try await RoomVisitor("romeo", on: server)
            let room = try await juliet.makeRoom(.membersOnly)
            let (model, following) = juliet.follow(room)
            let about = RoomWindow(model, juliet.context)
            about.present()
            #expect(await Toolkit.eventually { model.isInside && model.rights.isOwner })

            // Invited by address, with a message.
            let bar = romeo.context.rooms.invitationBar()
            let window = Window("Test", width: 720, height: 300, Box.vertical(Label().expand(.vertical), bar.root))
            window.present()
            let inviting = RoomInviteWindow(model, juliet.context, over: nil) { _ in }
            inviting.present()
            inviting.show(romeo.address.description)
            #expect(inviting.shown.map(\.address) == [romeo.address])
            await Toolkit.picture(inviting.window, "room-invite")
            #expect(!inviting.invite.isSensitive)
            inviting.choose(0)
            #expect(inviting.invite.isSensitive)
            inviting.invite.click()
            #expect(await Toolkit.eventually { bar.revealer.isRevealed })
            #expect(bar.label.text.contains(juliet.address.local ?? "?"))
            await Toolkit.picture(window, "room-invitation")
            bar.join.click()
            #expect(await Toolkit.eventually { romeo.isInside(room) && !bar.revealer.isRevealed })
            #expect(await Toolkit.eventually { model.count == 2 })

            // Removed with a message, and joined again.
            let other = try #require(model.people.elements.first { !$0.person.isOwn }).person
            #expect(other.address?.bare == romeo.address)
            let (place, staying) = romeo.follow(room)
            let notice = romeo.context.rooms.notice(place)
            #expect(await Toolkit.eventually { place.isInside && !notice.root.isRevealed })
            let removal = try #require(about.people.menus.begin(.kick, other))
            await Toolkit.settle()
            removal.answer("do")
            #expect(
                await Toolkit.eventually {
                    notice.root.isRevealed && notice.label.text.contains("Jule has removed you")
                })
            #expect(await Toolkit.eventually { model.count == 1 })
            notice.join()
            #expect(await Toolkit.eventually { place.isInside && !notice.root.isRevealed })
            #expect(await Toolkit.eventually { model.count == 2 })

            // The owner changes the subject, and the other sees it.
            try await juliet.account.rooms.changeSubject(of: room, to: "Stars")
            #expect(await Toolkit.eventually { RoomText.line(place) == "2 people · Stars" })

            // Renamed for the owner only.
            #expect(await Toolkit.eventually { about.page.remark.isVisible && about.page.remark.isSensitive })
            about.page.remark.text = sampleWords("Our garden")
            about.page.rename()
            #expect(await Toolkit.eventually { model.title == "Our garden" })
            #expect(place.title != "Our garden")

            // Left permanently, on all devices.
            let title = sampleWords("Garden")
            let doubt = romeo.context.rooms.joining.askToLeave(romeo.key(room), title: title, over: nil)
            await Toolkit.settle()
            doubt.answer("cancel")
            doubt.close()
            await Toolkit.settle()
            #expect(place.isInside)
            let question = romeo.context.rooms.joining.askToLeave(romeo.key(room), title: title, over: nil)
            await Toolkit.settle()
            await Toolkit.picture(question, "room-leave")
            question.answer("leave")
            question.close()
            #expect(await Toolkit.eventually { romeo.home.rooms.rows.elements.isEmpty })
            #expect(await Toolkit.eventually { notice.label.text == "You are not in this room." })
            #expect(await Toolkit.eventually(asking: { await romeo.account.bookmarks.all.isEmpty }))
            #expect(await Toolkit.eventually { model.count == 1 })

            following.cancel()
            staying.cancel()
            about.window.close()
            window.destroy()
            await juliet.home.stop()
            await romeo.home.stop()
        }

        @Test("several people are chosen and invited at once, and each gets the invitation")
        func several() async throws {
            let server = try await ServerKind.prosody13.shared()
            let juliet = try await RoomVisitor("juliet", on: server)
            let guests = [try await RoomVisitor("romeo", on: server), try await RoomVisitor("nurse", on: server)]
            let room = try await juliet.makeRoom(.membersOnly)
            let (model, following) = juliet.follow(room)
            #expect(await Toolkit.eventually { model.isInside })
            let bars = guests.map { $0.context.rooms.invitationBar() }
            let windows = bars.map { Window("Guest", width: 560, height: 200, $0.root) }
            for window in windows { window.present() }
            var toasts: [String] = []
            let inviting = RoomInviteWindow(model, juliet.context, over: nil) { toasts.append($0) }
            inviting.present()
            for guest in guests {
                inviting.search.text = guest.address.description
                #expect(await Toolkit.eventually { inviting.shown.last?.address == guest.address })
                inviting.search.emit("activate")
            }
            #expect(inviting.chosen.map(\.address) == guests.map(\.address))
            #expect(await WindowCrawler.type("The feast", into: "Message (optional)", in: inviting.window))
            #expect(await WindowCrawler.click("Invite", in: inviting.window))
            #expect(await Toolkit.eventually { toasts == ["2 people are invited."] }, "\(toasts)")
            for bar in bars {
                try #require(await Toolkit.eventually { bar.revealer.isRevealed })
                #expect(bar.label.text.contains("The feast"), "\(bar.label.text)")
            }
            // The room is open to both.
            for (guest, bar) in zip(guests, bars) {
                bar.join.click()
                try #require(await Toolkit.eventually { guest.isInside(room) })
            }
            #expect(await Toolkit.eventually { model.count == 3 })
            following.cancel()
            for window in windows { window.destroy() }
            for visitor in guests + [juliet] { await visitor.home.stop() }
        }

        @Test("an invitation is declined; a conversation in a room shows the people and leaves nothing behind")
        func conversation() async throws {
            let server = try await ServerKind.prosody13.shared()
            let juliet = try await RoomVisitor("juliet", on: server)
            let romeo = try await RoomVisitor("romeo", on: server)
            let room = try await juliet.makeRoom()
            let bar = romeo.context.rooms.invitationBar()
            try await juliet.account.rooms.invite(romeo.address, to: room, reason: nil)
            let window = Window("Test", width: 360, height: 300, bar.root)
            window.present()
            #expect(await Toolkit.eventually { bar.revealer.isRevealed })
            bar.decline.click()
            #expect(await Toolkit.eventually { !bar.revealer.isRevealed })
            #expect(!romeo.isInside(room))
            window.destroy()

            try await juliet.account.rooms.changeSubject(of: room, to: sampleWords("Roses by other names"))
            try await romeo.account.rooms.enter(room, nickname: sampleWords("Romeo"))
            await juliet.context.prepareDownloads(of: juliet.id)
            await Toolkit.settle()
            let before = Object.liveCount
            do {
                let view = juliet.context.conversationView(juliet.key(room))
                let window = Window("Test", width: 720, height: 480, view.root)
                window.present()
                view.open(isActive: true)
                #expect(await Toolkit.eventually { view.header.statusText == "2 people · Roses by other names" })
                await Toolkit.picture(window, "room-conversation")
                let part = try #require(view.room)
                part.open()
                #expect(part.window != nil)
                part.window?.people.menus.onMention("Romeo")
                #expect(view.composer?.entry.text == "Romeo: ")
                part.open()
                view.close()
                #expect(await Toolkit.eventually { part.window == nil })
                window.destroy()
            }
            #expect(await Toolkit.eventually { Object.liveCount <= before })
            await juliet.home.stop()
            await romeo.home.stop()
        }
    }
}
