import ChatEngine
import ChatStore
import Foundation
import Media
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel
@testable import GTKBinding

extension WindowTests {
    @MainActor
    @Suite("Tools of messages")
    struct MessageToolsTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("beside the message under the pointer are buttons to react, reply and open the menu")
        func hover() async throws {
            let sample = try await TalkSample()
            let theirs = try await sample.say("But soft!", ago: 2)
            let own = try await sample.say("Ay me!", ago: 1, isOwn: true)
            let (window, view) = await sample.open()
            view.isInFront = true
            let timeline = view.timeline
            #expect(await Toolkit.eventually { timeline.bubble(of: own)?.root.height ?? 0 > 0 })
            let tools = timeline.tools
            func point(at id: MessageID) throws {
                let bubble = try #require(timeline.bubble(of: id)?.bubble)
                let place = try #require(
                    bubble.translate(x: Double(bubble.width) / 2, y: Double(bubble.height) / 2, to: timeline.overlay))
                tools.pointed(place)
            }
            try point(at: theirs)
            #expect(tools.root.isVisible && tools.message?.id == theirs)
            // Messages that still move hide the buttons, until the pointer moves again.
            #expect(
                await Toolkit.eventually {
                    if !tools.root.isVisible { try? point(at: theirs) }
                    return tools.root.width > 0
                })
            await Toolkit.picture(window, "timeline-tools")
            try point(at: own)
            #expect(tools.message?.id == own)
            #expect(
                await Toolkit.eventually {
                    if !tools.root.isVisible { try? point(at: own) }
                    guard let bubble = timeline.bubble(of: own)?.bubble.frame(in: timeline.overlay),
                        let buttons = tools.root.frame(in: timeline.overlay)
                    else { return false }
                    let end = buttons.x + buttons.width
                    return end <= bubble.x && end > bubble.x - 40
                })
            tools.reply.click()
            #expect(await Toolkit.eventually { !tools.root.isVisible })
            #expect(await Toolkit.eventually { view.composer?.composer.reply?.id == own })
            try point(at: theirs)
            tools.more.click()
            #expect(await Toolkit.eventually { timeline.root.focusedContent == .popover })
            tools.pointed(nil)
            #expect(!tools.root.isVisible)
            // In a narrower window they would stand outside of it.
            try point(at: theirs)
            #expect(
                await Toolkit.eventually {
                    if !tools.root.isVisible { try? point(at: theirs) }
                    return tools.root.width > 0
                })
            window.setDefaultSize(width: 400, height: 640)
            #expect(await Toolkit.eventually { timeline.overlay.width < 500 && !tools.root.isVisible })
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("several messages are selected, and copied or forwarded together")
        func selection() async throws {
            let sample = try await TalkSample()
            let first = try await sample.say("But soft!", ago: 3)
            let second = try await sample.say("What light?", ago: 2, isOwn: true)
            let third = try await sample.say("It is the east", ago: 1)
            let (window, view) = await sample.open()
            view.isInFront = true
            let timeline = view.timeline
            let composer = try #require(view.composer)
            #expect(await Toolkit.eventually { timeline.bubble(of: third)?.root.height ?? 0 > 0 })
            for id in [third, first] { timeline.select(try #require(timeline.bubble(of: id)?.message)) }
            #expect(await Toolkit.eventually { view.selectionBar.root.isVisible && !composer.root.isVisible })
            #expect(view.selectionBar.count.text == "2 messages selected")
            #expect(timeline.bubble(of: first)?.root.has(css: "selected") == true)
            #expect(timeline.bubble(of: second)?.root.has(css: "selected") == false)
            await Toolkit.picture(window, "timeline-selection")
            view.selectionBar.copy.click()
            #expect(
                await Toolkit.eventually(asking: {
                    (try? await Clipboard.text()) == "Romeo: But soft!\nRomeo: It is the east"
                }))
            #expect(await Toolkit.eventually { !view.selectionBar.root.isVisible && composer.root.isVisible })
            #expect(timeline.bubble(of: first)?.root.has(css: "selected") == false)
            #expect(await Toolkit.eventually { composer.entry.containsFocus })
            timeline.select(try #require(timeline.bubble(of: second)?.message))
            timeline.select(try #require(timeline.bubble(of: second)?.message))
            #expect(timeline.selection.isEmpty)
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("a stranger's conversation says so until the user adds the person or writes")
        func stranger() async throws {
            let sample = try await TalkSample()
            let key = try sample.key("paris@verona.example")
            try await sample.say("Come you to make confession?", ago: 1, in: key)
            let (window, view) = await sample.open(key)
            let bar = try #require(view.stranger)
            #expect(await Toolkit.eventually { bar.root.isRevealed })
            #expect(bar.text.text == "paris@verona.example is not in your contacts.")
            // Without a connection nothing can be changed.
            #expect(!bar.add.isSensitive)
            await Toolkit.picture(window, "stranger")
            try await sample.say("Leave me.", isOwn: true, in: key)
            #expect(await Toolkit.eventually { !bar.root.isRevealed })
            window.destroy()
            view.close()
            let (other, known) = await sample.open()
            await Toolkit.settle()
            #expect(known.stranger?.root.isRevealed == false)
            other.destroy()
            known.close()
            await sample.end()
        }

        @Test(
            "the names of people in a room have the colours of XEP-0392, readable in light and dark; mentions are marked"
        )
        func names() async throws {
            let sample = try await TalkSample()
            let key = try sample.key("orchard@rooms.example", .room)
            try await sample.write { store throws(StoreError) in
                try store.save(StoredRoom(address: key.address, nickname: "Jule"), of: key.account)
            }
            func person(_ name: String) throws -> JID { try JID("\(key.address)/\(name)") }
            let plain = try await sample.say("Where is everybody?", ago: 3, from: try person("Mercutio"), in: key)
            let mention = try await sample.say("Jule, where art thou?", ago: 2, from: try person("Romeo"), in: key)
            let no = try await sample.say("In July?", ago: 1, from: try person("Tybalt"), in: key)
            let (window, view) = await sample.open(key)
            let timeline = view.timeline
            #expect(await Toolkit.eventually { timeline.bubble(of: no)?.root.height ?? 0 > 0 })
            let colors = try [plain, mention, no].map { try #require(timeline.bubble(of: $0)?.sender).markup }
            #expect(Set(colors).count == 3 && colors.allSatisfy { $0.contains("foreground=\"#") })
            #expect(timeline.bubble(of: mention)?.bubble.has(css: "mention") == true)
            #expect(timeline.bubble(of: plain)?.bubble.has(css: "mention") == false)
            #expect(timeline.bubble(of: no)?.bubble.has(css: "mention") == false)
            #expect(timeline.bubble(of: mention)?.body.first.markup.contains("bold") == true)
            #expect(timeline.bubble(of: mention)?.body.first.text == "Jule, where art thou?")
            for scheme in [StyleManager.Scheme.light, .dark] {
                StyleManager.use(scheme)
                #expect(
                    await Toolkit.eventually {
                        // Thin strokes have no pixel of the full colour, so that is read from the markup.
                        guard let pixels = Pixels(window) else { return false }
                        return [plain, mention, no].allSatisfy { id in
                            guard let sender = timeline.bubble(of: id)?.sender,
                                let colour = Pixels.Colour(markup: sender.markup),
                                let background = pixels.background(of: sender, in: window)
                            else { return false }
                            return colour.contrast(to: background) >= 4.4
                        }
                    }, "\(scheme)")
            }
            StyleManager.use(.light)
            await Toolkit.picture(window, "timeline-names")
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("what has become of a message is explained step by step")
        func life() async throws {
            let sample = try await TalkSample()
            let own = try await sample.say("Ay me!", ago: 1, isOwn: true)
            let (window, view) = await sample.open()
            #expect(await Toolkit.eventually { view.timeline.bubble(of: own) != nil })
            let life = try #require(try await view.timeline.timeline.life(of: own, isOnline: true))
            let shown = MessageLifeWindow.show(life, over: window)
            await Toolkit.settle()
            await Toolkit.picture(shown, "message-life")
            shown.destroy()
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("in a room, message info lists who has seen a message; “@all” of a moderator is marked")
        func room() async throws {
            let sample = try await TalkSample()
            let key = try sample.key("orchard@rooms.example", .room)
            let address = key.address
            try await sample.write { store throws(StoreError) in
                try store.save(StoredRoom(address: address, nickname: "Jule"), of: key.account)
            }
            let call = try await sample.say(
                .text(MessageText("@all \(sampleWords("Bring the letter!"))")), ago: 3,
                from: try JID("\(address)/Nurse"),
                in: key)
            let own = try await sample.write { store throws(StoreError) in
                try store.receive(
                    MessageCopy(
                        route: .reflection, sender: address, isOutgoing: true, wireID: "own", originID: "own",
                        archiveReferences: [ArchiveReference(archive: address, id: "1")],
                        time: MessageTime.now.advanced(by: -60_000), content: .text(MessageText(sampleWords("Ay me!")))),
                    in: key
                ).id
            }
            for name in ["Nurse", "Romeo"] {
                let reader = try JID("\(address)/\(sampleWords(name))")
                try await sample.write { store throws(StoreError) in
                    try store.receive(
                        StateReport(
                            .displayed, target: .archived(ArchiveReference(archive: address, id: "1")), sender: reader,
                            time: .now), in: key)
                }
            }
            let (window, view) = await sample.open(key)
            #expect(await Toolkit.eventually { view.timeline.bubble(of: own) != nil })
            let room = try #require(view.room?.model)
            #expect(view.timeline.bubble(of: call)?.bubble.has(css: "mention") == false)
            // The people are known, or have another role, only after the message was drawn.
            for isModerator in [true, false, true] {
                room.show(
                    RoomState(
                        isInside: true, nickname: "Jule",
                        people: [
                            RoomState.Person(nickname: "Jule", isOwn: true),
                            RoomState.Person(nickname: "Nurse", isModerator: isModerator),
                        ]))
                #expect(
                    await Toolkit.eventually {
                        view.timeline.bubble(of: call)?.bubble.has(css: "mention") == isModerator
                    })
            }
            await Toolkit.picture(window, "timeline-everybody")
            let life = try #require(try await view.timeline.timeline.life(of: own, isOnline: true))
            #expect(life.steps.last?.title == "Seen by 2 people")
            let shown = MessageLifeWindow.show(life, over: window)
            await Toolkit.settle()
            await Toolkit.picture(shown, "message-life-room")
            shown.destroy()
            window.destroy()
            view.close()
            await sample.end()
        }

        @Test("pictures that were sent together are an album, and the time stands on it")
        func album() async throws {
            let folder = NSTemporaryDirectory() + "album-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let media = try await MediaCache.open(at: folder, budget: 100 << 20)
            let sample = try await TalkSample(media: media)
            sample.context.use(
                AttachmentDownloads(AttachmentFetcher(store: sample.home.store, media: media)), of: sample.account)
            var ids: [MessageID] = []
            for (index, size) in [(600, 400), (400, 600), (500, 500), (640, 360), (300, 300)].enumerated() {
                let bytes = WritingSample.picture(size.0, size.1)
                let hash = try await media.insert(bytes)
                let attachment = Attachment(
                    kind: .picture, mediaType: "image/bmp", name: "\(index).bmp", size: Int64(bytes.count),
                    width: size.0, height: size.1, contentHash: hash.description, isLocal: true)
                ids.append(
                    try await sample.say(
                        .text(MessageText(index == 4 ? sampleWords("The orchard") : "", attachments: [attachment])),
                        ago: index == 4 ? 0 : 5))
            }
            let (window, view) = await sample.open()
            let timeline = view.timeline
            #expect(await Toolkit.eventually { timeline.bubble(of: ids[4])?.root.height ?? 0 > 0 })
            let album = try #require(timeline.bubble(of: ids[0]))
            #expect(album.files.views.count == 4 && timeline.bubble(of: ids[1]) == nil)
            #expect(album.footer.root.has(css: "on-picture"))
            #expect(album.bubble.width == AlbumLayout.width, "\(album.bubble.width)")
            // A single picture with a text: the time stands in the text.
            let captioned = try #require(timeline.bubble(of: ids[4]))
            #expect(!captioned.footer.root.has(css: "on-picture") && captioned.body.isVisible)
            #expect(timeline.model.index(of: .message(ids[2])) == timeline.model.index(of: .message(ids[0])))
            await expectPictures(of: ids, in: timeline)
            await Toolkit.picture(window, "timeline-album")
            window.destroy()
            view.close()
            // Drawn again, they come from memory.
            let (second, again) = await sample.open()
            #expect(await Toolkit.eventually { again.timeline.bubble(of: ids[4])?.root.height ?? 0 > 0 })
            await expectPictures(of: ids, in: again.timeline)
            second.destroy()
            again.close()
            await sample.end()
        }

        /// Expects an album of four pictures and one with a text, all drawn. A change makes new bubbles, so they are asked
        /// for each time.
        private func expectPictures(of ids: [MessageID], in timeline: TimelineView) async {
            let areShown = await Toolkit.eventually {
                let views = [ids[0], ids[4]].flatMap { timeline.bubble(of: $0)?.files.views ?? [] }
                return views.count == 5 && views.allSatisfy { ($0 as? PictureView)?.isShown == true }
            }
            #expect(areShown)
        }

        @Test("the rows of an album have two or three pictures and fill its width")
        func rows() {
            for count in 1...30 {
                let rows = AlbumLayout.rows(count)
                #expect(rows.reduce(0, +) == count && rows.allSatisfy { (1...3).contains($0) }, "\(count): \(rows)")
                for row in rows {
                    let width = AlbumLayout.tile(row).width * row + AlbumLayout.gap * (row - 1)
                    #expect((AlbumLayout.width - 2...AlbumLayout.width).contains(width))
                }
            }
        }
    }
}
