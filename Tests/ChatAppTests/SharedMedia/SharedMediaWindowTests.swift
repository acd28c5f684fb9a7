import ChatStore
import GTKBinding
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel

extension WindowTests {
    @MainActor
    @Suite("Shared media")
    struct SharedMediaWindowTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("pictures are in a grid, newest first; a new one appears, a retracted one disappears")
        func pictures() async throws {
            let sample = try await SharedMediaSample.make()
            try await sample.everything()
            let shown = try await sample.show()
            let view = try #require(shown.pictures)
            #expect(await Toolkit.eventually { view.items.count == 9 })
            #expect(await Toolkit.eventually { view.shownTiles.filter(\.isShown).count == 9 })
            #expect(view.items.map(\.attachment.name) == (0..<9).reversed().map { "geese-\($0).jpg" })
            let first = try #require(view.shownTiles.first?.root)
            #expect(await Toolkit.eventually { first.width >= 92 && abs(first.width - first.height) <= 1 })
            await Toolkit.picture(shown.window, "shared-pictures")
            let menu = try #require(view.showMenu(of: 1))
            #expect(await Toolkit.eventually { menu.isMapped })
            await Toolkit.picture(shown.window, "shared-menu", with: menu)
            menu.close()
            await Toolkit.settle()
            let new = try await sample.picture(1, ago: 0)
            let reference = sample.talk.lastReference
            #expect(await Toolkit.eventually { view.items.first?.id.message == new && view.items.count == 10 })
            #expect(await Toolkit.eventually { view.shownTiles.first?.isShown == true })
            try await sample.talk.say(.retraction(of: reference))
            #expect(await Toolkit.eventually { view.items.count == 9 })
            shown.window.close()
            await sample.talk.end()
        }

        @Test("however many there are, only those scrolled to are read")
        func pages() async throws {
            let sample = try await SharedMediaSample.make()
            let key = sample.talk.key
            try await sample.talk.write { store throws(StoreError) in
                for number in 0..<400 {
                    let picture = Attachment(kind: .picture, name: "\(number)")
                    _ = try store.receive(
                        MessageCopy(
                            route: .live, sender: key.address, wireID: "p\(number)", originID: "p\(number)",
                            time: MessageTime.now.advanced(by: Int64(number - 400) * 60_000),
                            content: .text(MessageText("", attachments: [picture]))), in: key)
                }
            }
            let shown = try await sample.show()
            let view = try #require(shown.pictures)
            #expect(await Toolkit.eventually { !view.items.isEmpty && view.scroller.pageHeight > 0 })
            await Toolkit.settle()
            #expect(view.items.count < 200)
            var seen = view.items.count
            while view.model.hasMore {
                let before = seen
                // The grid grows with the next layout, so scrolling is repeated until something arrives.
                let isMore = await Toolkit.eventually {
                    view.scroller.offset = view.scroller.contentHeight
                    return view.items.count > before || !view.model.hasMore
                }
                #expect(isMore)
                guard isMore else { break }
                seen = view.items.count
            }
            #expect(view.items.map(\.attachment.name) == (0..<400).reversed().map { "\($0)" })
            shown.window.close()
            await sample.talk.end()
        }

        @Test("a click opens the picture in the viewer, which loads older ones on demand")
        func viewer() async throws {
            let sample = try await SharedMediaSample.make()
            for number in 0..<5 { try await sample.picture(number, ago: Int64(100 - number)) }
            await sample.talk.context.prepareDownloads(of: sample.talk.account)
            let actions = SharedMediaActions(sample.talk.context.sharedMedia(of: sample.talk.key))
            let model = actions.model([.picture], pageSize: 2)
            await model.open()
            #expect(model.items.elements.map(\.attachment.name) == ["geese-4.jpg", "geese-3.jpg"])
            let viewer = try #require(actions.open(model.items.elements[0], among: model))
            #expect(viewer.window.title == "geese-4.jpg")
            viewer.move(-1)
            #expect(viewer.window.title == "geese-3.jpg")
            // The two before have been loaded meanwhile, and then the last one.
            #expect(await Toolkit.eventually { viewer.pages.items.count == 4 && viewer.pages.index == 2 })
            viewer.move(-2)
            #expect(await Toolkit.eventually { viewer.pages.items.count == 5 && viewer.pages.index == 1 })
            #expect(viewer.pages.items.map { $0.attachment.name } == (0..<5).map { "geese-\($0).jpg" })
            viewer.move(-1)
            #expect(viewer.window.title == "geese-0.jpg")
            await Toolkit.settle()
            #expect(viewer.pages.items.count == 5)
            #expect(await Toolkit.eventually { viewer.picture.size != nil })
            await Toolkit.picture(viewer.window, "shared-viewer")
            var wanted: MessageID?
            viewer.onShowInConversation = { wanted = $0 }
            viewer.showMessage.click()
            #expect(await Toolkit.eventually { wanted == viewer.pages.items[0].message })
            #expect(await Toolkit.eventually { !viewer.window.isMapped })
            await sample.talk.end()
        }

        @Test("voice messages and files show sender, time, name and size; a voice message is played in place")
        func files() async throws {
            let sample = try await SharedMediaSample.make()
            try await sample.everything()
            let shown = try await sample.show("voice")
            let voice = try #require(shown.voice)
            #expect(await Toolkit.eventually { voice.shownRows.count == 3 })
            func lengths() -> [String] { voice.shownRows.compactMap { ($0.view as? VoiceView)?.length.text } }
            #expect(await Toolkit.eventually { lengths() == ["0:04", "0:21", "0:07"] })
            await Toolkit.picture(shown.window, "shared-voice")
            let newest = try #require(voice.shownRows.first?.item?.id.message)
            let playback = sample.talk.context.playback
            // A row redrawn during a click has a new button; then the click is repeated.
            #expect(
                await Toolkit.eventually {
                    if playback.current == nil { voice.shownRows.first?.activate() }
                    return playback.current?.message == newest
                })
            shown.stack.shown = "files"
            let files = try #require(shown.files)
            #expect(await Toolkit.eventually { files.shownRows.count == 3 })
            #expect(files.model.items.elements.map(\.attachment.size) == [1_240_000, 23_400_000, 84_000])
            await Toolkit.picture(shown.window, "shared-files")
            shown.window.close()
            await playback.stop()
            await sample.talk.end()
        }

        @Test("an empty list says so")
        func empty() async throws {
            let sample = try await SharedMediaSample.make()
            try await sample.talk.say("But soft!")
            let shown = try await sample.show()
            #expect(await Toolkit.eventually { shown.pictures?.page == "empty" })
            await Toolkit.picture(shown.window, "shared-empty")
            shown.stack.shown = "voice"
            #expect(await Toolkit.eventually { shown.voice?.page == "empty" })
            shown.stack.shown = "files"
            #expect(await Toolkit.eventually { shown.files?.page == "empty" })
            // The first file changes that.
            try await sample.file("letter.pdf", size: 10, ago: 0)
            #expect(await Toolkit.eventually { shown.files?.page == "items" })
            shown.window.close()
            await sample.talk.end()
        }

        @Test("showing the message opens the main window and closes the windows in front of it")
        func showInConversation() async throws {
            let sample = try await SharedMediaSample.make()
            let wanted = try await sample.picture(2, ago: 20_000)
            try await sample.talk.fill(200)
            let window = try MainWindow.shown(sample.talk.context)
            var left = false
            let shown = try await sample.show { left = true }
            let view = try #require(shown.pictures)
            #expect(await Toolkit.eventually { view.items.count == 1 })
            let (_, actions) = view.actions.menu(of: view.items[0]) {}
            actions.activate("show")
            #expect(left)
            #expect(
                await Toolkit.eventually {
                    window.conversation?.timeline.bubble(of: wanted)?.bubble.has(css: "flash") == true
                })
            #expect(await Toolkit.eventually { !shown.window.isMapped })
            window.close(permanently: true)
            await sample.talk.end()
        }

        @Test("a closed window leaves nothing behind")
        func leaks() async throws {
            let sample = try await SharedMediaSample.make()
            try await sample.everything()
            await sample.talk.context.prepareDownloads(of: sample.talk.account)
            await Toolkit.settle()
            let before = Object.liveCount
            do {
                let shown = try await sample.show()
                #expect(await Toolkit.eventually { shown.pictures?.shownTiles.filter(\.isShown).count == 9 })
                shown.stack.shown = "voice"
                #expect(await Toolkit.eventually { shown.voice?.shownRows.count == 3 })
                shown.stack.shown = "files"
                #expect(await Toolkit.eventually { shown.files?.shownRows.count == 3 })
                await Toolkit.settle()
                shown.window.close()
            }
            // Decoded pictures stay in the cache.
            let isGone = await Toolkit.eventually { Object.liveCount <= before + PictureTile.cachedCount }
            #expect(isGone, "\(Object.liveCount) of \(before)")
            await sample.talk.end()
        }
    }
}
