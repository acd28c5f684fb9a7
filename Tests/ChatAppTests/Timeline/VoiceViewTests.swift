import ChatStore
import Foundation
import GTKBinding
import Synchronization
import Testing
import TransportLayer
import WindowFixtures
import XMPPAddress

@testable import ChatApp
@testable import ChatEngine
@testable import ChatModel

extension WindowTests {
    @MainActor
    @Suite("Voice messages in the timeline")
    struct VoiceViewTests {
        init() throws { try #require(Toolkit.isReady) }

        /// Delivers files when allowed.
        private final class Web: Sendable {
            private let state = Mutex((isOpen: false, waiting: [CheckedContinuation<Void, Never>]()))

            var waiting: Int { state.withLock { $0.waiting.count } }

            func open() {
                let waiting = state.withLock { state in
                    state.isOpen = true
                    defer { state.waiting = [] }
                    return state.waiting
                }
                for continuation in waiting { continuation.resume() }
            }

            func pass() async {
                await withCheckedContinuation { continuation in
                    let isOpen = state.withLock { state in
                        if !state.isOpen { state.waiting.append(continuation) }
                        return state.isOpen
                    }
                    if isOpen { continuation.resume() }
                }
            }
        }

        private func voice(_ view: TimelineView, _ id: MessageID) -> VoiceView? {
            view.bubble(of: id)?.files.views.first as? VoiceView
        }

        @Test("it shows the download, then the duration, also when its row was reused meanwhile")
        func fetching() async throws {
            let sample = try await TalkSample()
            let folder = NSTemporaryDirectory() + "voice-" + UUID().uuidString
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let media = try await MediaCache.open(at: folder, budget: 100 << 20)
            let web = Web()
            let (sound, damaged) = (WritingSample.sound(seconds: 3), Array("RIFF____WAVEfmt broken".utf8))
            let fetcher = AttachmentFetcher(store: sample.home.store, media: media) {
                url, path, _, progress throws(TransportError) in
                progress?(.init(completed: 40, total: 100))
                await web.pass()
                let content = url.hasSuffix("damaged") ? damaged : sound
                guard FileManager.default.createFile(atPath: path, contents: Data(content)) else {
                    throw TransportError(.system, "not written")
                }
            }
            sample.context.use(AttachmentDownloads(fetcher), of: sample.account)
            func say(_ name: String, duration: Int64? = nil) async throws -> MessageID {
                let attachment = Attachment(
                    kind: .voice, mediaType: "audio/wav", duration: duration, url: "https://files.example/\(name)")
                return try await sample.say(.text(MessageText("", attachments: [attachment])))
            }
            let known = try await say("known", duration: 3_000)
            let unknown = try await say("unknown")
            let broken = try await say("damaged")
            let (window, view) = await sample.open()
            let timeline = view.timeline
            #expect(await Toolkit.eventually { web.waiting == 3 })
            #expect(await Toolkit.eventually { voice(timeline, unknown)?.length.text == "Downloading: 40 %" })
            #expect(await Toolkit.eventually { voice(timeline, known)?.length.text == "0:03 · Downloading: 40 %" })
            await Toolkit.picture(window, "voice-fetching")
            // All rows are recreated during the downloads.
            let items = timeline.model.items
            timeline.model.show([])
            timeline.model.show(items)
            #expect(await Toolkit.eventually { voice(timeline, unknown)?.length.text == "Downloading: 40 %" })
            web.open()
            #expect(await Toolkit.eventually { voice(timeline, unknown)?.length.text == "0:03" })
            #expect(await Toolkit.eventually { voice(timeline, known)?.length.text == "0:03" })
            #expect(await Toolkit.eventually { voice(timeline, broken)?.length.text == "Cannot be played" })
            #expect(voice(timeline, unknown)?.button.string("tooltip-text") == "Play voice message")
            await Toolkit.picture(window, "voice-here")
            window.destroy()
            view.close()
            await sample.end()
        }
    }
}
