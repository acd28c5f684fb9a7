import ChatStore
import GTKBinding
import GroupChat
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatEngine
@testable import ChatModel

extension WindowTests {
    @MainActor
    @Suite("The people of a room")
    struct RoomViewTests {
        private typealias Person = RoomState.Person

        init() throws {
            try #require(Toolkit.isReady)
            RoomVisitor.useStyle
        }

        private func room(_ home: ChatHome) async throws -> RoomModel {
            let id = try #require(home.accounts.rows.elements.first?.id)
            let address = try JID("orchard@rooms.capulet.example")
            let key = ConversationKey(account: id, address: address, kind: .room)
            try await home.store.write { writer throws(StoreError) in
                try writer.save(
                    StoredRoom(
                        address: address, nickname: sampleWords("Jule"), name: sampleWords("The Orchard"),
                        joinsAutomatically: true), of: id)
                _ = try writer.openConversation(key)
            }
            let model = RoomModel(key, store: home.store, environment: home.environment)
            await model.readBook()
            return model
        }

        private static func state(_ own: RoomState.Standing = .admin) throws -> RoomState {
            RoomState(
                isInside: true, nickname: sampleWords("Jule"),
                subject: sampleWords(
                    "By yonder blessed moon I vow — meetings on Tuesdays after dark, at the wall."),
                people: [
                    Person(
                        nickname: sampleWords("Nurse"), address: try JID("nurse@capulet.example"), standing: .owner,
                        isModerator: true, status: sampleWords("looking for Peter")),
                    Person(
                        nickname: sampleWords("Jule"), address: try JID("juliet@capulet.example"), standing: own,
                        isModerator: own <= .moderator, isOwn: true),
                    Person(
                        nickname: sampleWords("Friar Laurence"), address: try JID("laurence@verona.example"),
                        standing: .member, hats: [sampleWords("Herbalist")]),
                    Person(
                        nickname: sampleWords("Romeo"), availability: .away, status: sampleWords("at the feast")),
                    Person(
                        nickname: sampleWords("巴尔萨泽 Balthasar, servant to Romeo and bringer of bad news")),
                    Person(nickname: sampleWords("Peter"), standing: .visitor, hasVoice: false),
                ])
        }

        @Test("people who join, leave and change are shown at once; the search finds names and addresses")
        func people() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example")
            let context = AppContext(home: home)
            let room = try await room(home)
            room.show(try Self.state())
            let about = RoomWindow(room, context)
            about.present()
            await Toolkit.settle()
            func names() -> [String] {
                var found: [Int: String] = [:]
                about.people.list.forEachRow { found[$0] = $1.row?.nickname }
                return found.sorted { $0.key < $1.key }.map(\.value)
            }
            #expect(await Toolkit.eventually { names().count == 6 })
            #expect(names().first == "Nurse")
            await Toolkit.picture(about.window, "room-people")
            about.people.activated(2)
            await Toolkit.settle()
            var state = try Self.state()
            state.people.removeAll { $0.nickname == "Nurse" }
            state.people[2].availability = .away
            room.show(state)
            #expect(await Toolkit.eventually { names().first == "Jule" && names().count == 5 })
            about.people.search.text = "verona"
            #expect(await Toolkit.eventually { names() == ["Friar Laurence"] })
            about.people.search.text = sampleWords("Tybalt")
            #expect(await Toolkit.eventually { names().isEmpty })
            await Toolkit.picture(about.window, "room-nobody")
            await Toolkit.settle()
            // Escape leaves the search, and then the window.
            let count = Widget.openWindowCount
            about.people.search.emit("stop-search")
            #expect(about.people.search.text.isEmpty)
            about.people.search.emit("stop-search")
            #expect(await Toolkit.eventually { Widget.openWindowCount == count - 1 })
            #expect(room.searchText.isEmpty)
            await home.stop()
        }

        @Test("Return selects whom the text names at once; the title follows the room, and Escape closes the window")
        func inviting() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example")
            let known = try await room(home)
            let contacts = [try JID("benvolio@verona.example"), try JID("tybalt@verona.example")]
            let account = known.key.account
            try await home.store.write { writer throws(StoreError) in
                for address in contacts {
                    try writer.save(StoredContact(address: address, subscription: .both), of: account)
                }
            }
            #expect(await Toolkit.eventually { home.contacts.find("", of: account).count == 2 })
            let room = RoomModel(known.key, store: home.store, environment: home.environment)
            let count = Widget.openWindowCount
            let inviting = RoomInviteWindow(room, AppContext(home: home), over: nil) { _ in }
            inviting.present()
            #expect(inviting.title.subtitle == "orchard")
            await room.readBook()
            room.show(try Self.state())
            #expect(await Toolkit.eventually { inviting.title.subtitle == sampleWords("The Orchard") })
            inviting.search.text = "tybalt"
            inviting.search.emit("activate")
            #expect(inviting.chosen.map(\.address) == [contacts[1]])
            inviting.search.text = "nobody"
            inviting.search.emit("activate")
            #expect(inviting.chosen.count == 1)
            inviting.search.emit("stop-search")
            #expect(await Toolkit.eventually { Widget.openWindowCount == count })
            await home.stop()
        }

        @Test("N5: of 20,000 people only visible rows are created, also during changes and scrolling")
        func crowd() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example")
            let room = try await room(home)
            var people = (0..<20_000).map {
                Person(nickname: "person \($0)", standing: $0 < 100 ? .owner : .participant, isOwn: $0 == 7)
            }
            func show() { room.show(RoomState(isInside: true, nickname: "person 7", people: people)) }
            show()
            let about = RoomWindow(room, AppContext(home: home))
            about.present()
            await Toolkit.settle()
            func rows() -> [Int: String] {
                var found: [Int: String] = [:]
                about.people.list.forEachRow { found[$0] = $1.row?.nickname }
                return found
            }
            #expect(await Toolkit.eventually { !rows().isEmpty })
            // GTK creates some rows around the visible ones.
            let limit = 400
            #expect(rows().count <= limit)
            // Half of them become visitors, twenty times.
            for round in 0..<20 {
                for index in people.indices where index % 2 == round % 2 { people[index].standing = .visitor }
                for index in people.indices where index % 2 != round % 2 { people[index].standing = .participant }
                show()
                await Toolkit.settle()
                #expect(rows().count <= limit)
            }
            about.people.list.scroll(to: 19_999)
            #expect(await Toolkit.eventually { rows().keys.max() == 19_999 })
            #expect(rows()[19_999] == room.people.elements.last?.nickname)
            #expect(rows().count <= limit)
            about.window.close()
            await home.stop()
        }

        @Test("the user's rights decide which actions are offered; none on oneself")
        func rights() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example")
            let room = try await room(home)
            let context = AppContext(home: home)
            let menus = context.rooms.personMenu(room)
            func allowed(_ nickname: String, as own: RoomState.Standing) throws -> [RoomPersonAction] {
                room.show(try Self.state(own))
                let person = try #require(room.people.elements.first { $0.nickname == nickname }).person
                return Array(RoomPersonAction.allowed(with: person, room.rights).joined())
            }
            #expect(try allowed("Romeo", as: .participant) == [.talk, .mention])
            #expect(try allowed("Romeo", as: .moderator) == [.talk, .mention, .revokeVoice, .kick])
            #expect(try allowed("Peter", as: .moderator) == [.talk, .mention, .grantVoice, .kick])
            #expect(try allowed("Nurse", as: .moderator) == [.talk, .mention])
            #expect(try allowed("Romeo", as: .owner) == [.talk, .mention, .revokeVoice, .grantModerator, .kick])
            #expect(
                try allowed("Friar Laurence", as: .admin)
                    == [.talk, .mention, .revokeVoice, .grantModerator, .revokeMembership, .kick, .ban])
            #expect(try allowed("Jule", as: .owner).isEmpty)
            let own = try #require(room.people.elements.first { $0.person.isOwn })
            #expect(menus.menu(for: own.person) == nil)
            await home.stop()
        }

        @Test("destructive actions are confirmed, with a reason where the room passes one on")
        func questions() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example")
            let room = try await room(home)
            room.show(try Self.state())
            let context = AppContext(home: home)
            let menus = context.rooms.personMenu(room)
            let friar = try #require(room.people.elements.first { $0.nickname == sampleWords("Friar Laurence") }).person
            var said: [String] = []
            var mentioned: [String] = []
            menus.showToast = { said.append($0) }
            menus.onMention = { mentioned.append($0) }
            #expect(menus.begin(.mention, friar) == nil)
            #expect(mentioned == ["Friar Laurence"])
            let dialog = try #require(menus.begin(.ban, friar))
            await Toolkit.settle()
            await Toolkit.picture(dialog, "room-ban")
            dialog.answer("cancel")
            await Toolkit.settle()
            #expect(said.isEmpty)
            // Not possible outside of the room, and reported; the error depends on whether the session has started.
            let question = try #require(menus.begin(.kick, friar))
            await Toolkit.settle()
            question.answer("do")
            #expect(await Toolkit.eventually { said.count == 1 })
            #expect(said.allSatisfy { $0.contains("Join it first") || $0.contains("connection") })
            withExtendedLifetime(menus) {}
            await home.stop()
        }

        @Test("the page of a room shows subject, notifications and leaving; a closed window leaves nothing behind")
        func page() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example")
            let context = AppContext(home: home)
            let room = try await room(home)
            room.show(try Self.state(.owner))
            #expect(await Toolkit.eventually { home.conversations.rows.elements.count == 1 })
            await Toolkit.settle()
            let before = Object.liveCount
            do {
                let about = RoomWindow(room, context)
                about.present()
                about.stack.shown = "room"
                await Toolkit.settle()
                await Toolkit.picture(about.window, "room-page")
                #expect(about.page.change.isVisible)
                about.page.notifications.selected = 1
                #expect(await Toolkit.eventually { home.conversations.rows.elements[0].notifications == .mentions })
                room.show(try Self.state(.visitor))
                #expect(await Toolkit.eventually { about.page.nickname.text == "Jule" })
                room.show(RoomState(isInside: false))
                #expect(await Toolkit.eventually { !about.page.change.isVisible })
                // GTK processes the tooltip of a hidden widget later, and needs the window for that.
                await Toolkit.settle()
                about.window.close()
            }
            #expect(await Toolkit.eventually { Object.liveCount <= before })
            await home.stop()
        }

        @Test("the reason for not being in the room is shown above the messages")
        func notice() async throws {
            let home = try await ChatHome.unreachable("juliet@capulet.example")
            let context = AppContext(home: home)
            let room = try await room(home)
            let notice = context.rooms.notice(room)
            let window = Window("Test", width: 480, height: 200, Box.vertical(HeaderBar(), notice.root))
            window.present()
            await Toolkit.settle()
            #expect(!notice.root.isRevealed)
            room.show(RoomState(isInside: false))
            #expect(await Toolkit.eventually { notice.root.isRevealed })
            #expect(notice.label.text.contains("as soon as the account is online"))
            #expect(!notice.button.isVisible)
            let id = room.key.account
            // No further updates from the account.
            await home.stop()
            home.accounts.show(.online(isResumed: false), of: id)
            room.show(
                RoomState(
                    isInside: false,
                    absence: RoomAbsence(
                        RoomDeparture(
                            .kicked, actorNickname: sampleWords("Tybalt"), reason: sampleWords("Peace!")))))
            #expect(await Toolkit.eventually { notice.button.isVisible && notice.label.text.contains("Tybalt") })
            await Toolkit.picture(window, "room-notice")
            room.show(try Self.state())
            #expect(await Toolkit.eventually { !notice.root.isRevealed })
            #expect(RoomText.line(room).hasPrefix("6 people · By yonder"))
            window.destroy()
        }
    }
}
