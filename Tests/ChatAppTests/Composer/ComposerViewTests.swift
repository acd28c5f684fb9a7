import CGTK
import ChatEngine
import ChatModel
import ChatStore
import Foundation
import Media
import Testing
import WindowFixtures

@testable import ChatApp
@testable import GTKBinding

extension WindowTests {
    /// Text, replies, corrections and nicknames.
    @Test("Return sends, Shift+Return breaks the line, and an input method gets all keys while it composes")
    func writing() async throws {
        try #require(Toolkit.isReady)
        let sample = try await WritingSample()
        let view = sample.view()
        let window = Window("Writing", width: 520, height: 200, Box.vertical(Label().expand(.vertical), view.root))
        window.present()
        await Toolkit.settle()
        #expect(view.pressed(.enter))
        #expect(try await sample.messages().isEmpty)
        view.entry.insert("O Romeo 🌹")
        #expect(view.composer.text == "O Romeo 🌹")
        #expect(view.pressed(.enter, .shift) == false)
        #expect(view.pressed(.enter))
        #expect(await Toolkit.eventually { view.entry.text.isEmpty })
        #expect(await Toolkit.eventually(asking: { (try? await sample.messages().map(\.text.body)) == ["O Romeo 🌹"] }))

        view.entry.insert(sampleWords("Wherefore art thou…\nRomeo?"))
        await Toolkit.settle()
        await Toolkit.picture(window, "composer-text")
        view.entry.text = ""
        await view.close()
        window.destroy()
        await Toolkit.settle()
        #expect(sample.said.isEmpty)
    }

    @Test("the plane of the send button flies to the end of the line, right to left too", arguments: [false, true])
    func plane(isRightToLeft: Bool) async throws {
        try #require(Toolkit.isReady)
        gtk_widget_set_default_direction(isRightToLeft ? .rtl : .ltr)
        defer { gtk_widget_set_default_direction(.ltr) }
        let button = SendButton.button()
        let window = Window("Plane", width: 200, height: 100, Box.vertical(button.align(horizontal: .center)))
        window.present()
        #expect(await Toolkit.eventually { Pixels(window) != nil && button.width > 0 })
        let pixels = try #require(Pixels(window))
        let background = try #require(pixels.background(of: button, in: window))
        /// How many pixels a half of the button has of the plane: less where its tip is.
        func ink(_ columns: Range<Int>) throws -> Int {
            var count = 0
            for x in columns {
                for y in 6..<button.height - 6 {
                    let place = try #require(button.translate(x: Double(x), y: Double(y), to: window))
                    if pixels.colour(x: Int(place.x), y: Int(place.y)) != background { count += 1 }
                }
            }
            return count
        }
        let middle = button.width / 2
        let (left, right) = (try ink(middle - 8..<middle), try ink(middle..<middle + 8))
        #expect(isRightToLeft ? right > left : left > right, "\(left) \(right)")
        window.destroy()
        await Toolkit.settle()
    }

    @Test("“@all” is completed for a moderator, and the line above the field says whom it notifies")
    func everybody() async throws {
        try #require(Toolkit.isReady)
        let sample = try await WritingSample()
        sample.nicknames = [sampleWords("Romeo")]
        sample.mayAddressEverybody = true
        let view = sample.view()
        let window = Window("Writing", width: 520, height: 220, Box.vertical(Label().expand(.vertical), view.root))
        window.present()
        await Toolkit.settle()
        #expect(!view.everybody.isVisible)
        view.entry.insert("@")
        #expect(
            await Toolkit.eventually {
                view.completions.completion?.candidates == ["all", "here", sampleWords("Romeo")]
            })
        view.completions.accept(0)
        #expect(await Toolkit.eventually { view.entry.text == "@all " })
        #expect(await Toolkit.eventually { view.everybody.isMapped })
        #expect(view.everybody.text == "Everyone in the room is notified.")
        await Toolkit.picture(window, "composer-everybody")
        view.entry.text = "@here"
        #expect(await Toolkit.eventually { view.everybody.text == "Everyone who is in the room now is notified." })
        // The role changes while the user writes.
        sample.mayAddressEverybody = false
        #expect(await Toolkit.eventually { view.everybody.text == "Only moderators can notify everyone in the room." })
        view.entry.text = "@"
        #expect(await Toolkit.eventually { !view.everybody.isVisible })
        view.entry.text = ""
        await view.close()
        window.destroy()
        await Toolkit.settle()
    }

    @Test("a reply and a correction show above the field, and Escape cancels them; ↑ corrects the last message")
    func banner() async throws {
        try #require(Toolkit.isReady)
        let sample = try await WritingSample()
        let view = sample.view()
        let window = Window("Writing", width: 520, height: 200, Box.vertical(Label().expand(.vertical), view.root))
        window.present()
        let said = try await sample.receive("It is the east, and Juliet is the sun")
        view.reply(to: said)
        #expect(await Toolkit.eventually { view.banner.root.isRevealed })
        view.entry.insert(sampleWords("Ay me!"))
        await Toolkit.picture(window, "composer-answer")
        #expect(view.pressed(.enter))
        #expect(await Toolkit.eventually(asking: { (try? await sample.messages().last?.text.reply) != nil }))
        #expect(await Toolkit.eventually { !view.banner.root.isRevealed })

        #expect(view.pressed(.up))
        #expect(await Toolkit.eventually { view.entry.text == "Ay me!" && view.banner.root.isRevealed })
        #expect(view.pressed(.escape))
        #expect(await Toolkit.eventually { view.entry.text.isEmpty && !view.banner.root.isRevealed })
        #expect(!view.pressed(.escape))
        await view.close()
        window.destroy()
        await Toolkit.settle()
    }

    @Test("nicknames that match are offered above the field; arrows choose, Tab and Return insert one")
    func mentions() async throws {
        try #require(Toolkit.isReady)
        let sample = try await WritingSample()
        sample.nicknames = ["Tybalt", "Romeo", "Rosaline", "张三"].map { sampleWords($0) }
        let view = sample.view()
        let window = Window("Writing", width: 520, height: 200, Box.vertical(Label().expand(.vertical), view.root))
        window.present()
        await Toolkit.settle()
        view.entry.insert(sampleWords("Hi @ro"))
        #expect(view.completions.completion?.candidates == ["Romeo", "Rosaline"])
        await Toolkit.picture(window, "composer-mention")
        #expect(view.pressed(.down))
        #expect(view.completions.choice == "Rosaline")
        #expect(view.pressed(.tab))
        #expect(view.entry.text == "Hi @Rosaline ")
        #expect(!view.completions.isOpen)
        view.entry.insert("and @张")
        #expect(view.pressed(.enter))
        #expect(view.entry.text == "Hi @Rosaline and @张三 ")
        view.entry.insert("@ty")
        #expect(view.pressed(.escape))
        #expect(!view.completions.isOpen && view.entry.text.hasSuffix("@ty"))
        view.entry.text = ""
        await view.close()
        window.destroy()
        await Toolkit.settle()
    }

    @Test("`:smile:` becomes an emoji, and the beginning of a name is completed")
    func emoji() async throws {
        try #require(Toolkit.isReady)
        let sample = try await WritingSample()
        let view = sample.view()
        let window = Window("Writing", width: 520, height: 200, Box.vertical(Label().expand(.vertical), view.root))
        window.present()
        await Toolkit.settle()
        view.entry.insert("Yes :smi")
        #expect(view.completions.choice == "😄 smile")
        await Toolkit.picture(window, "composer-emoji")
        #expect(view.pressed(.tab))
        #expect(view.entry.text == "Yes 😄 ")
        view.entry.insert(":rose:")
        #expect(view.entry.text == "Yes 😄 🌹" && !view.completions.isOpen)
        view.entry.insert(" 10:30")
        #expect(!view.completions.isOpen)
        view.entry.text = ""
        await view.close()
        window.destroy()
        await Toolkit.settle()
    }

    @Test("two lines of text stand in the middle of the field")
    func twoLines() async throws {
        try #require(Toolkit.isReady)
        let sample = try await WritingSample()
        let view = sample.view()
        let window = Window("Writing", width: 520, height: 200, Box.vertical(Label().expand(.vertical), view.root))
        window.present()
        await Toolkit.settle()
        view.entry.insert("one")
        await Toolkit.settle()
        let height = view.entry.height
        view.entry.insert("\ntwo")
        #expect(await Toolkit.eventually { view.entry.height > height })
        await Toolkit.settle()
        #expect(view.entryOffset == 0)
        await view.close()
        window.destroy()
        await Toolkit.settle()
    }

    @Test("the caption has the focus, takes the text of the field, and is sent with the first file by Return")
    func caption() async throws {
        try #require(Toolkit.isReady)
        let sample = try await WritingSample()
        let view = sample.view()
        let parent = Window("Writing", width: 520, height: 200, view.root)
        parent.present()
        await Toolkit.settle()
        view.entry.insert("The garden")
        #expect(view.files.take(.picture(WritingSample.picture(600, 400))))
        let window = try #require(view.files.preview)
        #expect(await Toolkit.eventually { window.selection.items.count == 1 && !window.selection.isPreparing })
        #expect(window.caption.text == "The garden" && window.caption.containsFocus)
        await Toolkit.picture(window.shownWindow, "outgoing-caption")
        window.caption.insert(" at dawn")
        // Closed without sending, the text is back in the field.
        window.close()
        #expect(await Toolkit.eventually { view.files.preview == nil && view.entry.text == "The garden at dawn" })
        #expect(await Toolkit.eventually { view.entry.containsFocus })

        #expect(view.files.take(.picture(WritingSample.picture(600, 400))))
        #expect(view.files.take(.picture(WritingSample.picture(300, 300))))
        let again = try #require(view.files.preview)
        #expect(await Toolkit.eventually { again.selection.items.count == 2 && !again.selection.isPreparing })
        let second = try #require(again.selection.items.last)
        again.selection.move(second.id, by: -1)
        await Toolkit.settle()
        #expect(again.pressed(KeyPress(value: 0xFF0D, modifiers: 0)))
        #expect(await Toolkit.eventually(asking: { (try? await sample.messages().count) == 2 }))
        let sent = try await sample.messages().map(\.text)
        #expect(sent.map(\.body) == ["The garden at dawn", ""])
        #expect(sent.map { $0.attachments.first?.width } == [300, 600])
        #expect(await Toolkit.eventually { view.entry.text.isEmpty && view.files.preview == nil })
        await view.close()
        parent.destroy()
        await Toolkit.settle()
    }

    @Test("S0-99: pictures and files are previewed with their sizes in the chosen quality")
    func outgoing() async throws {
        try #require(Toolkit.isReady)
        let sample = try await WritingSample()
        let view = sample.view()
        let parent = Window("Writing", width: 520, height: 200, view.root)
        parent.present()
        let (garden, letter, letters) = (
            sample.folder + "/" + sampleWords("garden.bmp"), sample.folder + "/" + sampleWords("letter.txt"),
            sample.folder + "/" + sampleWords("letters")
        )
        try Data(WritingSample.picture(2400, 1600)).write(to: URL(filePath: garden))
        try Data("Arise, fair sun".utf8).write(to: URL(filePath: letter))
        try FileManager.default.createDirectory(atPath: letters, withIntermediateDirectories: false)
        #expect(view.files.take(.files([garden, letter, letters])))
        let window = try #require(view.files.preview)
        #expect(await Toolkit.eventually { window.selection.items.count == 2 && !window.selection.isPreparing })
        await Toolkit.picture(window.shownWindow, "outgoing")
        window.selection.quality = .small
        await Toolkit.settle()
        window.send.click()
        #expect(await Toolkit.eventually(asking: { (try? await sample.messages().count) == 2 }))
        let sent = try await sample.messages().flatMap(\.text.attachments)
        #expect(sent.map(\.kind) == [.picture, .file] && sent.map(\.width) == [1280, nil])
        #expect(await Toolkit.eventually { view.files.preview == nil })
        await view.close()
        parent.destroy()
        await Toolkit.settle()
    }

    @Test("P3-38: the note about pictures stands only with pictures, and a picture has no bars")
    func outgoingFile() async throws {
        try #require(Toolkit.isReady)
        let sample = try await WritingSample()
        let view = sample.view()
        let parent = Window("Writing", width: 520, height: 200, view.root)
        parent.present()
        func preview(_ input: Dropped) async throws -> (window: OutgoingWindow, hasNote: Bool) {
            #expect(view.files.take(input))
            let window = try #require(view.files.preview)
            #expect(await Toolkit.eventually { window.selection.items.count == 1 && !window.selection.isPreparing })
            await Toolkit.settle()
            let texts = WindowCrawler.texts(of: window.shownWindow)
            return (window, texts.contains { $0.contains("location and other metadata") })
        }
        let letter = sample.folder + "/letter.txt"
        try Data("Arise, fair sun".utf8).write(to: URL(filePath: letter))
        let ofFile = try await preview(.files([letter]))
        #expect(!ofFile.hasNote)
        ofFile.window.close()
        #expect(await Toolkit.eventually { view.files.preview == nil })
        let ofPicture = try await preview(.picture(WritingSample.picture(600, 400)))
        #expect(ofPicture.hasNote)
        let picture = try #require(ofPicture.window.rows.values.first?.picture)
        #expect(
            await Toolkit.eventually { picture.height > 0 && picture.width * 2 == picture.height * 3 },
            "\(picture.width) × \(picture.height)")
        ofPicture.window.close()
        #expect(await Toolkit.eventually { view.files.preview == nil })
        await view.close()
        parent.destroy()
        await Toolkit.settle()
    }

    @Test("a recording is made, reviewed and sent to the conversation")
    func voice() async throws {
        try #require(Toolkit.isReady)
        let sample = try await WritingSample()
        let source = sample.folder + "/source.wav"
        try Data(WritingSample.sound(seconds: 3)).write(to: URL(filePath: source))
        let recordings = VoiceComposer.folder(of: sample.key, in: sample.media)
        var delivered: [VoiceMessage] = []
        let composer = VoiceComposer(
            folder: recordings,
            recorder: { path throws(MediaError) in try VoiceRecorder(from: .file(path: source), to: path) },
            deliver: { delivered.append($0) })
        let view = sample.view(voice: composer)
        let window = Window("Writing", width: 520, height: 200, Box.vertical(Label().expand(.vertical), view.root))
        window.present()
        await Toolkit.settle()
        await composer.press()
        await composer.lock()
        #expect(await Toolkit.eventually { composer.phase == .reviewing })
        #expect(view.voice?.isBusy == true)
        await Toolkit.picture(window, "voice-review")
        #expect(!view.send.isVisible)
        await composer.send()
        #expect(await Toolkit.eventually { delivered.count == 1 && view.voice?.isBusy == false })
        await view.close()
        window.destroy()
        await Toolkit.settle()
        #expect(sample.said.isEmpty)
    }

    @Test("during a recording the view shows duration, level and instructions")
    func recording() async throws {
        try #require(Toolkit.isReady)
        let sample = try await WritingSample()
        // Forty hours in a small file: decoding takes long enough to be observed.
        let path = sample.folder + "/source.wav"
        try Data(WritingSample.sound(seconds: 3, repeated: 48_000, rate: 100)).write(to: URL(filePath: path))
        let composer = VoiceComposer(
            folder: VoiceComposer.folder(of: sample.key, in: sample.media),
            recorder: { target throws(MediaError) in
                try VoiceRecorder(from: .file(path: path), to: target, maximumDuration: .seconds(1_000_000))
            },
            deliver: { _ in })
        let view = sample.view(voice: composer)
        let window = Window("Writing", width: 520, height: 200, Box.vertical(Label().expand(.vertical), view.root))
        window.present()
        await Toolkit.settle()
        await composer.press()
        await composer.lock()
        #expect(await Toolkit.eventually { composer.levels.count > 20 })
        #expect(composer.phase == .recording(isLocked: true))
        await Toolkit.picture(window, "voice-recording")
        await composer.cancel()
        #expect(composer.phase == .idle)
        await view.close()
        window.destroy()
        await Toolkit.settle()
    }

    @Test("without a microphone, the user is told so")
    func noMicrophone() async throws {
        try #require(Toolkit.isReady)
        let sample = try await WritingSample()
        let composer = VoiceComposer(
            folder: VoiceComposer.folder(of: sample.key, in: sample.media),
            recorder: { _ throws(MediaError) in throw MediaError(.noSoundDevice, "There is no microphone.") },
            deliver: { _ in })
        let view = sample.view(voice: composer)
        for turn in 1...2 {
            await composer.press()
            #expect(await Toolkit.eventually { sample.said.count == turn })
        }
        #expect(sample.said.first?.contains("microphone") == true)
        #expect(view.voice?.isBusy == false)
        await view.close()
    }

    @Test("the viewer moves between pictures and zooms them")
    func viewer() async throws {
        try #require(Toolkit.isReady)
        let sample = try await WritingSample()
        var items: [PictureViewer.Item] = []
        for (number, size) in [(900, 600), (300, 700)].enumerated() {
            let bytes = WritingSample.picture(size.0, size.1)
            let hash = try await sample.media.insert(bytes)
            let attachment = Attachment(
                kind: .picture, mediaType: "image/bmp", name: sampleWords("garden %@.bmp", number),
                size: Int64(bytes.count),
                contentHash: hash.description, isLocal: true)
            let id = try await sample.receive("\(number)", attachments: [attachment])
            items.append(.init(message: id, index: 0, attachment: attachment))
        }
        let downloads = AttachmentDownloads(AttachmentFetcher(store: sample.store, media: sample.media))
        let viewer = PictureViewer(items, at: 0, downloads: downloads, over: nil)
        viewer.present()
        #expect(await Toolkit.eventually { viewer.picture.size?.width == 900 })
        await Toolkit.picture(viewer.window, "viewer")
        #expect(viewer.picture.zoom == nil)
        viewer.picture.show(zoom: 1)
        viewer.picture.show(zoom: 100)
        #expect(viewer.picture.zoom == 8)
        viewer.move(1)
        #expect(await Toolkit.eventually { viewer.picture.size?.height == 700 && viewer.picture.zoom == nil })
        viewer.move(1)
        #expect(viewer.pages.index == 1)
        viewer.move(-5)
        #expect(viewer.pages.index == 0)
        viewer.window.close()
        await Toolkit.settle()
    }

    @Test("after a picture that cannot be shown, another one that cannot be downloaded can be tried again")
    func retry() async throws {
        try #require(Toolkit.isReady)
        let sample = try await WritingSample()
        let hash = try await sample.media.insert(Array("no picture".utf8))
        let contents: [(hash: String?, url: String?)] = [
            (hash.description, nil), (nil, "https://localhost:1/garden.png"),
        ]
        var items: [PictureViewer.Item] = []
        for (number, content) in contents.enumerated() {
            let attachment = Attachment(
                kind: .picture, mediaType: "image/png", name: "garden.png", size: 10, url: content.url,
                contentHash: content.hash)
            let id = try await sample.receive("\(number)", attachments: [attachment])
            items.append(.init(message: id, index: 0, attachment: attachment))
        }
        let downloads = AttachmentDownloads(AttachmentFetcher(store: sample.store, media: sample.media))
        let viewer = PictureViewer(items, at: 0, downloads: downloads, over: nil)
        viewer.present()
        func says(_ text: String) -> Bool { WindowCrawler.texts(of: viewer.window).contains { $0.contains(text) } }
        #expect(await Toolkit.eventually { says("This picture cannot be shown") && !says("Try Again") })
        viewer.move(1)
        #expect(await Toolkit.eventually { says("Try Again") })
        viewer.window.close()
        await Toolkit.settle()
    }
}

@MainActor
extension ComposerView {
    /// Simulates a key press.
    func pressed(_ key: KeyPress.Key, _ modifiers: Modifiers = []) -> Bool {
        let value: UInt32 =
            switch key {
            case .enter: 0xFF0D
            case .tab: 0xFF09
            case .escape: 0xFF1B
            case .up: 0xFF52
            case .down: 0xFF54
            default: 0
            }
        return pressed(KeyPress(value: value, modifiers: modifiers.rawValue))
    }
}
