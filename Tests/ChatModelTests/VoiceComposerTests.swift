import ChatFixtures
import ChatModel
import ChatStore
import Foundation
import Media
import Testing

@Suite("Voice messages to be sent")
@MainActor
struct VoiceComposerTests {
    private struct Desk {
        let folder: SpareFolder
        let source: String

        init(seconds: Double) throws {
            folder = try SpareFolder()
            source = folder.path + "/source.wav"
            try Data(Sample.sound(seconds: seconds)).write(to: URL(filePath: source))
        }

        @MainActor
        func composer(_ deliver: @escaping @MainActor (VoiceMessage) async throws -> Void) -> VoiceComposer {
            VoiceComposer(
                folder: folder.path,
                recorder: { [source] path throws(MediaError) in
                    try VoiceRecorder(from: .file(path: source), to: path)
                }, deliver: deliver)
        }

        var recordings: [String] {
            get throws {
                try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".ogg") }
            }
        }
    }

    @Test("locked, the recording ends in review; sent from there it leaves the folder")
    func review() async throws {
        let desk = try Desk(seconds: 2)
        var delivered: [VoiceMessage] = []
        let composer = desk.composer { delivered.append($0) }
        await composer.press()
        await composer.lock()
        await eventually { composer.phase == .reviewing }
        #expect(composer.phase == .reviewing)
        let message = try #require(composer.message)
        #expect((1_900...2_200).contains(message.milliseconds))
        #expect(!composer.levels.isEmpty)
        #expect(try desk.recordings.count == 1)
        await composer.send()
        #expect(delivered == [message])
        #expect(composer.phase == .idle)
        #expect(try desk.recordings.isEmpty)
    }

    @Test("slid away, nothing stays and nothing is sent")
    func cancel() async throws {
        let desk = try Desk(seconds: 2)
        let composer = desk.composer { _ in Issue.record("It was cancelled.") }
        await composer.press()
        await composer.cancel()
        #expect(composer.phase == .idle)
        await eventually { (try? desk.recordings.isEmpty) == true }
        #expect(try desk.recordings.isEmpty)
    }

    @Test("a recording that was interrupted is offered again; one that was not delivered, too")
    func interrupted() async throws {
        let desk = try Desk(seconds: 1)
        struct Lost: Error {}
        var delivered = 0
        let composer = desk.composer { _ in throw Lost() }
        await composer.press()
        await composer.lock()
        await eventually { composer.phase == .reviewing }
        await composer.send()
        #expect(composer.problem != nil)
        #expect(composer.interrupted.count == 1)

        // Another start of the program.
        let again = desk.composer { _ in delivered += 1 }
        await again.findInterrupted()
        let found = try #require(again.interrupted.first)
        await again.review(found)
        #expect(again.phase == .reviewing)
        await again.send()
        #expect(delivered == 1)
        #expect(again.interrupted.isEmpty)
        #expect(try desk.recordings.isEmpty)
    }

    @Test("a recording that is being handed over is not offered as an interrupted one")
    func handingOver() async throws {
        let desk = try Desk(seconds: 1)
        let (gate, opener) = AsyncStream.makeStream(of: Void.self)
        var isDelivering = false
        let composer = desk.composer { _ in
            isDelivering = true
            for await _ in gate { break }
        }
        await composer.press()
        await composer.lock()
        await eventually { composer.phase == .reviewing }
        let sending = Task { await composer.send() }
        await eventually { isDelivering }
        #expect(composer.phase == .idle)
        await composer.offerInterrupted()
        #expect(composer.interrupted.isEmpty && composer.phase == .idle)
        opener.yield()
        await sending.value
        await composer.offerInterrupted()
        #expect(try composer.interrupted.isEmpty && desk.recordings.isEmpty)
    }

    @Test("where there is no microphone, the reason is told")
    func noMicrophone() async throws {
        let folder = try SpareFolder()
        let composer = VoiceComposer(
            folder: folder.path,
            recorder: { _ throws(MediaError) in
                throw MediaError(.noSoundDevice, "There is no microphone.")
            }, deliver: { _ in })
        await composer.press()
        #expect(composer.phase == .idle)
        #expect(composer.problem?.code == .noSoundDevice)
    }
}
