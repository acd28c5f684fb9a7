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
    /// What is done with an album is done with all of its pictures.
    @MainActor
    @Suite("Albums")
    struct AlbumTests {
        init() throws { try #require(Toolkit.isReady) }

        /// Three pictures that were sent together, the last with a caption.
        private func album(_ body: (TalkSample, MediaCache, [MessageID]) async throws -> Void) async throws {
            let folder = NSTemporaryDirectory() + "album-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let media = try await MediaCache.open(at: folder, budget: 100 << 20)
            let sample = try await TalkSample(media: media)
            sample.context.use(
                AttachmentDownloads(AttachmentFetcher(store: sample.home.store, media: media)), of: sample.account)
            var ids: [MessageID] = []
            for index in 0..<3 {
                let bytes = WritingSample.picture(60 + index, 40)
                let attachment = Attachment(
                    kind: .picture, mediaType: "image/bmp", name: "orchard.bmp", size: Int64(bytes.count),
                    width: 60 + index, height: 40, contentHash: try await media.insert(bytes).description, isLocal: true
                )
                ids.append(
                    try await sample.say(
                        .text(MessageText(index == 2 ? "The orchard" : "", attachments: [attachment])), ago: 5))
            }
            try await body(sample, media, ids)
            await sample.end()
        }

        @Test("its caption is copied, also among several messages; all of its files are saved into a folder")
        func copyAndSave() async throws {
            try await album { sample, _, ids in
                let (window, view) = await sample.open()
                let timeline = view.timeline
                #expect(await Toolkit.eventually { timeline.bubble(of: ids[0])?.files.views.count == 3 })
                let message = try #require(timeline.bubble(of: ids[0])?.message)
                timeline.actions.copy(message)
                #expect(await Toolkit.eventually(asking: { (try? await Clipboard.text()) == "The orchard" }))
                let entries = MessageMenu(message, timeline).entries
                #expect("\(entries)".contains("Copy Text") && "\(entries)".contains("Save As…"))
                #expect(SelectionBar.text(of: [message, message]).components(separatedBy: "The orchard").count == 3)

                let folder = NSTemporaryDirectory() + "saved-" + UUID().uuidString
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let downloads = try #require(sample.context.downloads(of: sample.account))
                let files = message.shown.flatMap { part in
                    part.text.attachments.map { downloads.download(of: part.id, attachment: $0) }
                }
                var toasts: [String] = []
                await FileOpening.save(files, into: folder) { toasts.append($0) }
                #expect(toasts == ["Saved."])
                let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
                #expect(names == ["orchard (2).bmp", "orchard (3).bmp", "orchard.bmp"])
                window.destroy()
                view.close()
            }
        }

        @Test(
            "names of files that leave the folder, hide their type, or say nothing, are replaced",
            arguments: [
                ("../../x", "x"), ("..", "file"), ("/", "file"), ("", "file"), ("a\u{202E}gpj.exe", "a_gpj.exe"),
                (".bashrc", "bashrc"),
            ])
        func names(name: String, safe: String) async throws {
            try await album { sample, media, _ in
                let hash = try await media.insert(WritingSample.picture(10, 10))
                let attachment = Attachment(
                    kind: .file, mediaType: "image/bmp", name: name, contentHash: hash.description, isLocal: true)
                let folder = NSTemporaryDirectory() + "saved-" + UUID().uuidString
                try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(atPath: folder) }
                let downloads = try #require(sample.context.downloads(of: sample.account))
                let id = try await sample.say(.text(MessageText("", attachments: [attachment])))
                await FileOpening.save([downloads.download(of: id, attachment: attachment)], into: folder) { _ in }
                let names = try FileManager.default.contentsOfDirectory(atPath: folder)
                #expect(names == [safe])
            }
        }

        @Test("it is forwarded whole; Return sends to the conversation that the arrow keys selected")
        func forward() async throws {
            try await album { sample, _, ids in
                let nurse = try sample.key("nurse@capulet.example")
                try await sample.say("Madam!", in: nurse)
                let main = try MainWindow.shown(sample.context)
                main.open(sample.key)
                let timeline = try #require(main.conversation?.timeline)
                #expect(await Toolkit.eventually { timeline.bubble(of: ids[0])?.files.views.count == 3 })
                let message = try #require(timeline.bubble(of: ids[0])?.message)
                #expect(await Toolkit.eventually { sample.context.home.conversations.find("").count == 2 })
                let view = ForwardingWindow([message], sample.context)
                view.present()
                #expect(view.shown.count == 2 && view.search.containsFocus)
                await Toolkit.picture(view.window, "forwarding")
                // The newest conversation comes first.
                #expect(view.shown.map(\.key) == [nurse, sample.key])
                view.search.text = "nobody"
                #expect(await Toolkit.eventually { view.shown.isEmpty })
                view.search.text = "nurse"
                #expect(await Toolkit.eventually { view.shown.map(\.key) == [nurse] })
                view.search.emit("activate")
                #expect(
                    await Toolkit.eventually(asking: {
                        (try? await sample.messages(in: nurse))?.count == 4
                    }))
                let sent = try await sample.messages(in: nurse).filter(\.isOutgoing)
                #expect(sent.flatMap(\.text.attachments).compactMap(\.width) == [60, 61, 62])
                #expect(sent.map(\.text.body) == ["", "", "The orchard"])
                main.close(permanently: true)
            }
        }

        @Test("Return on it opens the first picture")
        func open() async throws {
            try await album { sample, _, ids in
                let (window, view) = await sample.open()
                let timeline = view.timeline
                #expect(await Toolkit.eventually { timeline.bubble(of: ids[0])?.files.views.count == 3 })
                let attachment = try #require(timeline.bubble(of: ids[0])?.message?.text.attachments.first)
                let download = try #require(
                    sample.context.downloads(of: sample.account)?.download(of: ids[0], attachment: attachment))
                #expect(await Toolkit.eventually { if case .here = download.phase { true } else { false } })
                #expect(
                    await Toolkit.eventually {
                        if timeline.keys.chosen == nil { timeline.keys.choose(-1) }
                        return timeline.keys.chosen?.id == ids[0]
                    })
                let before = Widget.openWindowCount
                #expect(timeline.keys.pressed(KeyPress(value: 0xFF0D, modifiers: 0)))
                #expect(await Toolkit.eventually { Widget.openWindowCount == before + 1 })
                window.destroy()
                view.close()
            }
        }
    }
}
