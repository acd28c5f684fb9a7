import ChatStore
import Foundation
import GTKBinding
import Testing
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatModel

extension WindowTests {
    @MainActor
    @Suite("Export and import in the preferences")
    struct DataPageTests {
        init() throws { try #require(Toolkit.isReady) }

        private static func folder() throws -> String {
            let path = NSTemporaryDirectory() + "data-page-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
            return path
        }

        /// A profile with files of its own, and its page of data.
        private static func page(_ folder: String) async throws -> (TalkSample, MediaCache, ProgramPreferencesWindow) {
            let media = try await MediaCache.open(at: folder, budget: 100 << 20)
            let sample = try await TalkSample(media: media, isEnabled: false)
            let view = ProgramPreferencesWindow.show(sample.home, over: nil)
            view.window.show(view.data.page)
            return (sample, media, view)
        }

        @Test("Cancel ends an export and leaves no file behind; the next one is whole")
        func cancel() async throws {
            let folder = try Self.folder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let (sample, _, view) = try await Self.page(folder + "/media")
            try await sample.say("They carry my letters")
            let path = folder + "/all.jsonl"
            var said: [String] = []
            view.data.showToast = { said.append($0) }
            // The export writes into this pipe, and so waits until somebody reads it.
            let pipe = "\(path).part-\(getpid())"
            #expect(mkfifo(pipe, 0o600) == 0)
            view.data.export(to: path)
            view.data.cancel.click()
            #expect(await Toolkit.eventually { !view.data.cancel.isSensitive })
            let reader = open(pipe, O_RDONLY | O_NONBLOCK)
            #expect(await Toolkit.eventually { said == ["Cancelled."] })
            close(reader)
            #expect(!view.data.progress.isVisible && view.data.exporting.isSensitive)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["media"])
            view.data.export(to: path)
            #expect(view.data.cancel.isSensitive)
            #expect(await Toolkit.eventually { said.last == "Written to \(path)." })
            #expect(try String(contentsOfFile: path, encoding: .utf8).contains("They carry my letters"))
            view.window.close()
            await sample.end()
        }

        @Test("messages with their pictures are exported with one switch, and imported elsewhere, with progress")
        func transfer() async throws {
            RoomVisitor.useStyle
            let folder = try Self.folder()
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let (sample, media, view) = try await Self.page(folder + "/media")
            let bytes = WritingSample.picture(60, 40)
            let hash = try await media.insert(bytes)
            let picture = Attachment(
                kind: .picture, mediaType: "image/bmp", name: "geese.bmp", size: Int64(bytes.count),
                contentHash: hash.description, isLocal: true)
            let gone = Attachment(
                kind: .file, name: "gone.pdf", contentHash: String(repeating: "ab", count: 32), isLocal: true)
            try await sample.say(.text(MessageText("They carry my letters", attachments: [picture])), ago: 2)
            try await sample.say(.text(MessageText("", attachments: [gone])), ago: 1)
            let (path, plain) = (folder + "/all.jsonl", folder + "/plain.jsonl")
            var said: [String] = []
            view.data.showToast = { said.append($0) }
            view.data.export(to: plain)
            #expect(view.data.progress.isVisible && !view.data.exporting.isSensitive)
            await Toolkit.picture(view.window, "data")
            #expect(await Toolkit.eventually { said == ["Written to \(plain)."] })
            #expect(!view.data.progress.isVisible && view.data.exporting.isSensitive)
            #expect(!FileManager.default.fileExists(atPath: plain + ".files"))
            view.data.withFiles.isActive = true
            await Toolkit.settle()
            view.data.export(to: path)
            #expect(await Toolkit.eventually { said.last == "Written to \(path); pictures and files: 1." })
            #expect(try FileManager.default.contentsOfDirectory(atPath: path + ".files") == [hash.description])
            #expect(FileManager.default.contents(atPath: "\(path).files/\(hash)").map(Array.init) == bytes)
            view.data.export(to: "/nowhere/all.jsonl")
            #expect(await Toolkit.eventually { said.last == "/nowhere/all.jsonl cannot be written." })
            view.window.close()
            await sample.end()
            await Toolkit.settle()

            let (other, cache, page) = try await Self.page(folder + "/other")
            page.data.showToast = { said.append($0) }
            // A file with the name of another content is not taken.
            try Data("forged".utf8).write(
                to: URL(fileURLWithPath: "\(path).files/\(String(repeating: "ab", count: 32))"))
            page.data.take(path)
            #expect(
                await Toolkit.eventually {
                    said.last == "2 imported, 0 were already here. Pictures and files: 1."
                })
            #expect(try await cache.content(of: hash) == bytes)
            #expect(await cache.size == Int64(bytes.count))
            #expect(
                await Toolkit.eventually {
                    other.home.conversations.all[other.key]?.preview?.kind == .file(.file)
                })
            page.data.take(path)
            #expect(await Toolkit.eventually { said.last == "0 imported, 2 were already here." })
            page.window.close()
            await Toolkit.settle()
            // The page shows how much the files of each account need.
            let again = ProgramPreferencesWindow.show(other.home, over: nil)
            again.window.show(again.data.page)
            #expect(
                await Toolkit.eventually {
                    WindowCrawler.texts(of: again.window).contains(Wording.size(bytes.count))
                })
            again.window.close()
            await other.end()
        }
    }
}
