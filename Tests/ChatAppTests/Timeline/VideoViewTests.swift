import ChatModel
import ChatStore
import Foundation
import GTKBinding
import ServerFixtures
import Testing
import WindowFixtures

@testable import ChatApp
@testable import ChatEngine

extension WindowTests {
    @MainActor
    @Suite("Videos in a conversation")
    struct VideoViewTests {
        init() throws { try #require(Toolkit.isReady) }

        private func film() async throws -> String { try await SampleFilm.make(320, 180, hasSound: false, seconds: 1) }

        @Test("a video is sent with its size, its duration and a still")
        func sending() async throws {
            let film = try await film()
            defer { try? FileManager.default.removeItem(atPath: film) }
            let sample = try await WritingSample()
            let view = sample.view()
            let parent = Window("Writing", width: 520, height: 200, view.root)
            parent.present()
            #expect(view.files.take(.files([film])))
            let preview = try #require(view.files.preview)
            #expect(await Toolkit.eventually { preview.selection.items.count == 1 && !preview.selection.isPreparing })
            await Toolkit.settle()
            preview.send.click()
            #expect(await Toolkit.eventually(asking: { (try? await sample.messages().count) == 1 }))
            let sent = try #require(try await sample.messages().first?.text.attachments.first)
            #expect(sent.kind == .video && sent.width == 320 && sent.height == 180)
            #expect((700...1_300).contains(sent.duration ?? 0), "\(sent.duration ?? 0)")
            let still = try #require(await Texture.decoded(sent.thumbnail))
            #expect(still.width * 9 == still.height * 16, "\(still.width) × \(still.height)")
            #expect(await Toolkit.eventually { view.files.preview == nil })
            await view.close()
            parent.destroy()
            await Toolkit.settle()
        }

        @Test("a video is played in place, pauses, goes on, and shows its still and the button again at its end")
        func playing() async throws {
            let film = try await film()
            let folder = NSTemporaryDirectory() + "video-" + UUID().uuidString
            defer { for path in [film, folder] { try? FileManager.default.removeItem(atPath: path) } }
            let media = try await MediaCache.open(at: folder, budget: 100 << 20)
            let sample = try await TalkSample(media: media)
            sample.context.use(
                AttachmentDownloads(AttachmentFetcher(store: sample.home.store, media: media)), of: sample.account)
            let bytes = Array(try Data(contentsOf: URL(filePath: film)))
            let attachment = Attachment(
                kind: .video, mediaType: "video/webm", name: "film.webm", size: Int64(bytes.count), width: 320,
                height: 180, contentHash: try await media.insert(bytes).description, isLocal: true)
            let id = try await sample.say(.text(MessageText("", attachments: [attachment])))
            let (window, view) = await sample.open()
            func video() -> VideoView? { view.timeline.bubble(of: id)?.files.views.first as? VideoView }
            #expect(await Toolkit.eventually { video()?.play.isMapped == true })
            let video = try #require(video())
            video.play.click()
            #expect(await Toolkit.eventually { video.frameCount > 1 })
            #expect(video.isPlaying && !video.play.isVisible)
            video.toggle()
            #expect(!video.isPlaying && video.play.isVisible)
            let count = video.frameCount
            video.play.click()
            #expect(await Toolkit.eventually { video.frameCount > count + 2 })
            #expect(await Toolkit.eventually { !video.isPlaying && video.play.isMapped })
            #expect(video.frameCount <= 10)
            window.destroy()
            view.close()
            await sample.end()
        }
    }
}
