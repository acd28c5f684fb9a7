import ChatEngine
import ChatStore
import ServerFixtures
import Testing
import WindowFixtures
import XMPPAddress

import struct GroupChat.GroupChatError

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("What an owner does with people and with a room on a real server")
    struct RoomModerationLiveTests {
        init() async throws {
            try #require(Toolkit.isReady)
            await WindowCrawler.close()
        }

        /// Juliet's window about her room, in which Romeo is, too.
        @MainActor
        private final class Visit {
            let juliet: RoomVisitor
            let romeo: RoomVisitor
            let room: JID
            let model: RoomModel
            /// The room as Romeo sees it.
            let place: RoomModel
            let notice: RoomNotice
            let about: RoomWindow
            private let following: [Task<Void, Never>]

            init() async throws {
                let server = try await ServerKind.prosody13.shared()
                juliet = try await RoomVisitor("juliet", on: server)
                romeo = try await RoomVisitor("romeo", on: server)
                room = try await juliet.makeRoom()
                try await romeo.account.rooms.enter(room, nickname: "Romeo")
                let ((model, first), (place, second)) = (juliet.follow(room), romeo.follow(room))
                (self.model, self.place) = (model, place)
                following = [first, second]
                notice = romeo.context.rooms.notice(place)
                about = RoomWindow(model, juliet.context)
                about.present()
                try #require(await Toolkit.eventually { model.count == 2 && place.isInside })
            }

            /// Chooses an entry of his menu, and answers the question.
            func choose(_ entry: String, _ answer: String? = nil, reason: String? = nil) async -> Bool {
                let (names, rights) = (Control.names([entry]), model.rights)
                // What has changed may not have arrived yet.
                let menu = await about.people.openMenu(of: "Romeo") { person in
                    RoomPersonAction.allowed(with: person, rights).joined().contains { names.contains($0.title) }
                }
                guard let menu, await WindowCrawler.click(entry, in: menu) else { return false }
                guard let answer else { return true }
                if let reason {
                    guard await Toolkit.eventually({ WindowCrawler.question != nil }),
                        let question = WindowCrawler.question,
                        await WindowCrawler.type(reason, into: "Reason", in: question)
                    else { return false }
                }
                return await WindowCrawler.answer(answer)
            }

            func end() async {
                for task in following { task.cancel() }
                about.window.close()
                await juliet.home.stop()
                await romeo.home.stop()
            }
        }

        @Test("voice, moderator and member: each is given and taken from the menu, and the person has it")
        func rights() async throws {
            let visit = try await Visit()
            let place = visit.place
            try #require(await visit.choose("Mute in Room"))
            try #require(await Toolkit.eventually { place.own?.hasVoice == false })
            try #require(await visit.choose("Allow to Speak"))
            try #require(await Toolkit.eventually { place.own?.hasVoice == true })

            try #require(await visit.choose("Make a Moderator…", "Cancel"))
            try #require(await visit.choose("Make a Moderator…", "Make a Moderator"))
            try #require(await Toolkit.eventually { place.rights.mayRetractOthersMessages })
            try #require(await visit.choose("Remove as Moderator…", "Remove as Moderator"))
            try #require(await Toolkit.eventually { !place.rights.mayRetractOthersMessages })

            try #require(await visit.choose("Make a Member…", "Make a Member"))
            try #require(await Toolkit.eventually { place.own?.standing == .member })
            try #require(await visit.choose("Remove as Member…", "Remove as Member"))
            try #require(await Toolkit.eventually { place.own?.standing == .participant && place.isInside })
            await visit.end()
        }

        @Test("who is removed reads the reason and can come back; who is banned cannot")
        func removals() async throws {
            let visit = try await Visit()
            let (place, notice) = (visit.place, visit.notice)
            try #require(await visit.choose("Remove From Room…", "Cancel"))
            try #require(await visit.choose("Remove From Room…", "Remove", reason: "Too late"))
            try #require(await Toolkit.eventually { !place.isInside && notice.label.text.contains("Too late") })
            notice.join()
            try #require(await Toolkit.eventually { place.isInside && visit.model.count == 2 })

            try #require(await visit.choose("Ban Permanently…", "Ban", reason: "Montagues out"))
            try #require(await Toolkit.eventually { !place.isInside && notice.label.text.contains("Montagues out") })
            let (romeo, room) = (visit.romeo.account, visit.room)
            await #expect(throws: GroupChatError.self) { try await romeo.rooms.enter(room, nickname: "Romeo") }
            #expect(!place.isInside && visit.model.count == 1)
            await visit.end()
        }

        @Test("a room is left by one person, and closed by its owner for everyone")
        func closing() async throws {
            let visit = try await Visit()
            let (juliet, romeo, room) = (visit.juliet, visit.romeo, visit.room)
            let his = RoomWindow(visit.place, romeo.context)
            his.stack.shown = "room"
            his.present()
            try #require(await WindowCrawler.click("Leave Room…", in: his.window))
            try #require(await WindowCrawler.answer("Leave"))
            try #require(await Toolkit.eventually { visit.model.count == 1 && !romeo.isInside(room) })
            try #require(await Toolkit.eventually { !his.window.isMapped })
            try await romeo.account.rooms.enter(room, nickname: "Romeo")
            try #require(await Toolkit.eventually { visit.model.count == 2 && visit.place.isInside })

            visit.about.stack.shown = "room"
            try #require(await WindowCrawler.click("Close Room for Everyone…", in: visit.about.window))
            try #require(await Toolkit.eventually { WindowCrawler.question != nil })
            let question = try #require(WindowCrawler.question)
            try #require(await WindowCrawler.type("The feast is over", into: "Reason", in: question))
            try #require(await WindowCrawler.answer("Close Room"))
            try #require(
                await Toolkit.eventually {
                    !visit.place.isInside && visit.notice.label.text.contains("The feast is over")
                })
            try #require(await Toolkit.eventually { !juliet.isInside(room) })
            let entry = RoomEntryModel(accounts: [romeo.account])
            entry.text = room.description
            #expect(await entry.join() == nil)
            #expect(entry.failure == "The room is gone." && entry.question == nil)
            await visit.end()
        }
    }
}
