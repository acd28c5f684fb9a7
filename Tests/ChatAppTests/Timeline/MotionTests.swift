import ChatStore
import Foundation
import GTKBinding
import Media
import ServerFixtures
import Testing
import WindowFixtures

@testable import ChatApp
@testable import ChatEngine
@testable import ChatModel

extension WindowTests {
    @MainActor
    @Suite("Animated pictures")
    struct MotionTests {
        init() throws { try #require(Toolkit.isReady) }

        @Test("a GIF plays while it is visible and animations are enabled, and stops when scrolled away")
        func timeline() async throws {
            let sample = try await TalkSample()
            let folder = NSTemporaryDirectory() + "motion-" + UUID().uuidString
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let made = try await OutsideProgram.run([
                "convert", "-size", "200x120", "-delay", "5", "-loop", "0", "xc:red", "xc:lime", "xc:blue",
                folder + "/rose.gif",
            ])
            try #require(made.status == 0, "\(made.output)")
            let bytes = [UInt8](try #require(FileManager.default.contents(atPath: folder + "/rose.gif")))
            let media = try await MediaCache.open(at: folder + "/media", budget: 100 << 20)
            let hash = try await media.insert(bytes)
            let downloads = AttachmentDownloads(AttachmentFetcher(store: sample.home.store, media: media))
            sample.context.use(downloads, of: sample.account)
            try await sample.fill(80)
            let attachment = Attachment(
                kind: .picture, mediaType: "image/gif", name: "rose.gif", size: Int64(bytes.count), width: 200,
                height: 120, contentHash: hash.description, isLocal: true)
            let id = try await sample.say(.text(MessageText("", attachments: [attachment])))
            let (window, view) = await sample.open()
            let timeline = view.timeline
            timeline.position.showNewest()
            var picture: PictureView? { timeline.bubble(of: id)?.files.views.first as? PictureView }
            #expect(await Toolkit.eventually { timeline.scroller.remaining < 2 && picture?.root.isOnScreen == true })
            // Animations are disabled.
            #expect(!ToolkitSettings.hasAnimations)
            #expect(await Toolkit.eventually { picture?.motion != nil })
            await Toolkit.settle()
            #expect(picture?.motion?.isRunning == false)
            ToolkitSettings.hasAnimations = true
            defer { ToolkitSettings.hasAnimations = false }
            timeline.position.scrolled()
            #expect(await Toolkit.eventually { PictureMotion.runningCount == 1 && picture?.motion?.isRunning == true })
            #expect(await Toolkit.eventually { picture?.frameCount ?? 0 >= 4 })
            // The position sticks to the end for some frames, so scrolling is repeated until it moves.
            #expect(
                await Toolkit.eventually {
                    if timeline.scroller.offset > 0 { timeline.scroller.offset = 0 }
                    return PictureMotion.runningCount == 0
                })
            timeline.position.showNewest()
            #expect(await Toolkit.eventually { PictureMotion.runningCount == 1 })

            let viewer = PictureViewer(
                [.init(message: id, index: 0, attachment: attachment)], at: 0, downloads: downloads, over: nil)
            viewer.present()
            #expect(await Toolkit.eventually { PictureMotion.runningCount == 2 })
            viewer.window.close()
            #expect(await Toolkit.eventually { PictureMotion.runningCount == 1 })
            window.destroy()
            view.close()
            #expect(await Toolkit.eventually { PictureMotion.runningCount == 0 })
            await sample.end()
        }
    }
}
