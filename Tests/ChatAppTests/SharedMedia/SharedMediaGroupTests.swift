import ChatStore
import GTKBinding
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatEngine
@testable import ChatModel

extension WindowTests {
    @MainActor
    @Suite("Shared media on the pages of contacts and rooms")
    struct SharedMediaGroupTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("the page of a contact shows the newest pictures and leads to everything")
        func contact() async throws {
            let sample = try await SharedMediaSample.make()
            try await sample.everything()
            let id = ContactRow.ID(account: sample.talk.account, address: sample.talk.romeo)
            let window = try #require(ContactWindow.show(id, sample.talk.context, over: nil))
            let group = window.view.media
            #expect(await Toolkit.turn { group.tiles.filter(\.isShown).count == 4 })
            #expect(group.tiles.map { $0.item?.attachment.name } == (5..<9).reversed().map { "geese-\($0).jpg" })
            await Toolkit.picture(window.window, "contact-media")
            try await sample.picture(0, ago: 0)
            #expect(await Toolkit.turn { group.tiles.first?.item?.attachment.name == "geese-0.jpg" })
            try await sample.talk.say(.retraction(of: sample.talk.lastReference))
            #expect(await Toolkit.turn { group.tiles.first?.item?.attachment.name == "geese-8.jpg" })
            let tile = group.tiles[0]
            let newest = try #require(tile.item)
            let menu = try #require(group.showMenu(newest, tile.root, 10, 10))
            #expect(await Toolkit.turn { menu.isMapped })
            menu.close()
            let all = group.showAll()
            #expect(await Toolkit.turn { all.pictures?.items.count == 9 })
            #expect(group.showAll() === all)
            // It goes with the page that it stands over.
            window.window.close()
            #expect(await Toolkit.turn { !all.window.isMapped })
            await sample.talk.end()
        }

        @Test("where nothing was shared the page of a contact says so")
        func nothing() async throws {
            let sample = try await SharedMediaSample.make()
            try await sample.talk.say("But soft!")
            let id = ContactRow.ID(account: sample.talk.account, address: sample.talk.romeo)
            let window = try #require(ContactWindow.show(id, sample.talk.context, over: nil))
            let group = window.view.media
            let words = "Nothing was shared in this conversation yet."
            #expect(await Toolkit.turn { group.all.string("subtitle") == words })
            #expect(group.tiles.allSatisfy { $0.item == nil })
            try await sample.file("letter.pdf", size: 10, ago: 0)
            #expect(await Toolkit.turn { group.all.string("subtitle") == "" })
            window.window.close()
            await sample.talk.end()
        }

        @Test("the page of a room has them, too, and a closed window leaves nothing")
        func room() async throws {
            let sample = try await SharedMediaSample.make()
            let talk = sample.talk
            let key = try talk.key("orchard@rooms.example", .room)
            let title = sampleWords("The Orchard")
            let account = talk.account
            try await talk.write { store throws(StoreError) in
                try store.save(StoredRoom(address: key.address, nickname: "Juliet", name: title), of: account)
            }
            for (number, name) in ["Romeo", "Mercutio", "Romeo"].enumerated() {
                try await sample.picture(
                    number * 2, ago: Int64(100 - number), from: try JID("orchard@rooms.example/\(sampleWords(name))"),
                    in: key)
            }
            let room = RoomModel(key, store: talk.home.store, environment: talk.home.environment)
            await room.readBook()
            room.show(RoomState(isInside: true, nickname: "Juliet", subject: nil, people: []))
            await talk.context.prepareDownloads(of: account)
            await Toolkit.settle()
            let before = Object.liveCount
            do {
                let window = RoomWindow(room, talk.context)
                window.present()
                window.stack.shown = "room"
                let group = window.page.media
                #expect(await Toolkit.turn { group.tiles.filter(\.isShown).count == 3 })
                #expect(group.tiles.map { $0.item?.message.senderName } == ["Romeo", "Mercutio", "Romeo", nil])
                await Toolkit.picture(window.window, "room-media")
                await Toolkit.settle()
                window.window.close()
            }
            #expect(await Toolkit.turn { Object.liveCount <= before + PictureTile.cachedCount })
            await talk.end()
        }
    }
}
