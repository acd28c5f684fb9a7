import CGTK
import ChatEngine
import ChatStore
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    /// Pictures of people and rooms: shape and colour.
    @MainActor
    @Suite("Avatars")
    struct AvatarTests {
        init() throws {
            try #require(Toolkit.isReady)
            RoomVisitor.useStyle
        }

        /// The classes of the node with the colour.
        private func colour(of picture: AvatarImage) -> String? {
            guard let inside = gtk_widget_get_first_child(picture.widget.widget) else { return nil }
            return (1...14).map { "color\($0)" }.first { gtk_widget_has_css_class(inside, $0).isTrue }
        }

        /// How much of the square is painted, near a corner: a circle leaves it free.
        private func isPainted(_ picture: AvatarImage, _ window: Window, at share: Double) async -> Bool {
            await Toolkit.eventually { picture.widget.width > 0 && window.render() != nil }
                && {
                    guard let pixels = Pixels(window), let corner = picture.widget.translate(x: 0, y: 0, to: window)
                    else { return false }
                    let place = share * Double(picture.widget.width)
                    let edge = pixels.colour(x: Int(corner.x) - 4, y: Int(corner.y) - 4)
                    return pixels.colour(x: Int(corner.x + place), y: Int(corner.y + place)) != edge
                }()
        }

        @Test("the picture of a room is a square with round corners, that of a person a circle")
        func shape() async throws {
            let home = try await ChatHome.unreachable()
            let (person, room) = (AvatarImage(home.avatars, size: 100), AvatarImage(home.avatars, size: 100))
            person.show(name: "Orchard", hash: nil, of: "a")
            room.show(name: "Orchard", hash: nil, of: "a", isRoom: true)
            for picture in [person, room] { picture.widget.align(horizontal: .center, vertical: .center) }
            let window = Window(
                "Avatars", width: 300, height: 160,
                Box.horizontal(spacing: 20, person.widget, room.widget).margins(horizontal: 20, vertical: 20))
            window.present()
            // A circle begins at 14.6 % of the diagonal, a corner of 28 % at 8.2 %.
            #expect(await isPainted(room, window, at: 0.11))
            #expect(!(await isPainted(person, window, at: 0.11)))
            #expect(await isPainted(person, window, at: 0.2))
            window.destroy()
            await home.stop()
        }

        @Test("the colour belongs to the address, and stays when the name changes")
        func colours() async throws {
            let home = try await ChatHome.unreachable()
            let picture = AvatarImage(home.avatars, size: 40)
            var colours: Set<String?> = []
            for name in ["Romeo", "Montague", "R."] {
                picture.show(name: name, hash: nil, of: "romeo@montague.example")
                colours.insert(colour(of: picture))
            }
            #expect(colours.count == 1 && !colours.contains(nil))
            await home.stop()
        }

        @Test("in a room a person has the same picture and colour in the timeline and in the list of people")
        func occupants() async throws {
            let sample = try await TalkSample()
            let key = try sample.key("orchard@rooms.example", .room)
            let romeo = sample.romeo
            let avatar = StoredAvatar(
                hash: "0beec7b5ea3f0fdbc95d0dd47f3c5bc275da8a33", mediaType: "image/png", data: [0])
            try await sample.write { store throws(StoreError) in
                try store.save(StoredRoom(address: key.address, nickname: "Jule"), of: key.account)
                try store.saveAvatar(avatar, of: romeo, account: key.account)
            }
            let said = try await sample.say("But soft!", ago: 1, from: try JID("\(key.address)/Romeo"), in: key)
            let (window, view) = await sample.open(key)
            #expect(await Toolkit.eventually { view.timeline.bubble(of: said)?.picture != nil })
            let picture = try #require(view.timeline.bubble(of: said)?.picture)
            #expect(picture.hash == nil)
            let room = try #require(view.room?.model)
            await room.readBook()
            let state = RoomState(
                isInside: true, nickname: "Jule",
                people: [
                    RoomState.Person(nickname: "Romeo", address: romeo),
                    RoomState.Person(nickname: "Jule", isOwn: true),
                ])
            // The account itself, which is offline, reports that it is outside.
            #expect(
                await Toolkit.eventually {
                    room.show(state)
                    return picture.hash == avatar.hash
                })
            room.show(state)
            let listed = try #require(room.people.elements.first { $0.nickname == "Romeo" })
            #expect(listed.avatarHash == avatar.hash)
            let other = AvatarImage(sample.home.avatars, size: 36)
            other.show(name: listed.nickname, hash: nil, of: listed.nickname)
            #expect(colour(of: other) == colour(of: picture))
            window.destroy()
            view.close()
            await sample.end()
        }
    }
}
