import ChatFixtures
import ChatModel
import ChatStore
import Foundation
import Media
import Testing

@Suite("Playing voice messages")
@MainActor
struct VoicePlaybackTests {
    private static func playback(
        store: (any LocalStore)? = nil,
        next: @escaping @MainActor (MessageID) async -> VoicePlayback.Track? = { _ in nil }
    ) -> VoicePlayback {
        VoicePlayback(
            store: store,
            player: { path throws(MediaError) in try await VoicePlayer(path: path, output: .silent) }, next: next)
    }

    private static func track(_ number: Int64, seconds: Double, in folder: SpareFolder) throws -> VoicePlayback.Track {
        let path = folder.path + "/\(number).wav"
        try Data(Sample.sound(seconds: seconds)).write(to: URL(filePath: path))
        return VoicePlayback.Track(message: MessageID(rawValue: number), path: path)
    }

    @Test("a message goes on where it was left, also after another one was played")
    func places() async throws {
        let folder = try SpareFolder()
        let first = try Self.track(1, seconds: 30, in: folder)
        let second = try Self.track(2, seconds: 30, in: folder)
        let playback = Self.playback()
        await playback.play(first)
        #expect(playback.isPlaying && playback.problem == nil)
        #expect((.seconds(29)...(.seconds(31))).contains(playback.duration))
        // Paused first: on a busy machine the sound goes on between two calls.
        await playback.pause()
        await playback.seek(to: .seconds(12))
        #expect(!playback.isPlaying)
        await playback.play(second)
        #expect(playback.current == second)
        #expect((.seconds(12)...(.seconds(14))).contains(playback.position(of: first.message)))
        await playback.play(first)
        #expect(playback.position >= .seconds(12))
        await playback.stop()
        #expect(playback.current == nil)
    }

    @Test("1×, 1.5×, 2× and 1× again; the choice stays for the next message")
    func rate() async throws {
        let folder = try SpareFolder()
        let playback = Self.playback()
        await playback.changeRate()
        #expect(playback.rate == .faster)
        await playback.play(try Self.track(1, seconds: 5, in: folder))
        #expect(playback.problem == nil)
        await playback.changeRate()
        #expect(playback.rate == .double)
        await playback.changeRate()
        #expect(playback.rate == .normal)
        await playback.stop()
    }

    @Test("at the end the next voice message plays on")
    func next() async throws {
        let folder = try SpareFolder()
        let second = try Self.track(2, seconds: 5, in: folder)
        let playback = Self.playback { $0.rawValue == 1 ? second : nil }
        await playback.play(try Self.track(1, seconds: 0.3, in: folder))
        await eventually { playback.current == second && playback.isPlaying }
        #expect(playback.current == second)
        #expect(playback.position(of: MessageID(rawValue: 1)) == .zero)
        await playback.stop()
    }

    @Test("a file that is gone is told")
    func gone() async throws {
        let playback = Self.playback()
        await playback.play(.init(message: MessageID(rawValue: 1), path: "/nonexistent/a.ogg"))
        #expect(playback.problem?.code == .fileUnreadable)
        #expect(!playback.isPlaying)
    }

    @Test("where a message was left, and that it was played at all, is known after a restart")
    func restart() async throws {
        let fixture = try await ModelFixture()
        let folder = try SpareFolder()
        var ids: [MessageID] = []
        for name in ["a", "b"] {
            ids.append(
                try await fixture.receive(
                    .text(MessageText("", attachments: [Attachment(kind: .voice)])), id: name, at: 1))
        }
        let path = try Self.track(1, seconds: 30, in: folder).path
        let track = VoicePlayback.Track(message: ids[0], path: path)
        let first = Self.playback(store: fixture.store)
        await first.play(track)
        await first.flush()
        func places() async throws -> [Int64?] {
            try await fixture.all().map { $0.text.attachments.first?.playback }
        }
        #expect(try await places() == [0, nil])
        await first.pause()
        await first.seek(to: .seconds(12))
        await first.stop()
        await first.flush()
        #expect(try await places()[0].map { (12_000...14_000).contains($0) } == true)

        let second = Self.playback(store: fixture.store)
        await second.play(track)
        #expect(second.position >= .seconds(12))
        await second.seek(to: .seconds(30))
        await eventually { !second.isPlaying }
        await second.flush()
        #expect(try await places() == [0, nil])
        await second.stop()
    }
}
