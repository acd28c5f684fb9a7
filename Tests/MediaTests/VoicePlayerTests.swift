import Foundation
import Testing

@testable import Media

@Suite(.timeLimit(.minutes(20))) struct VoicePlayerTests {
    @Test("S0-103: a voice message in a local file is played to its end, and the position never decreases")
    func playsToEnd() async throws {
        let folder = try TemporaryFolder()
        let message = try await VoiceMessage.make(fromBytes: SampleSound(seconds: 2).wav)
        let player = try await VoicePlayer(path: try folder.file("a.ogg", message.bytes), output: .silent)
        #expect(difference(player.duration, message.file.duration) < .milliseconds(40))
        #expect(player.type == .oggOpus)
        try await player.play()
        var positions: [Duration] = []
        for try await position in player.positions { positions.append(position) }
        // Their number depends on the load of the machine.
        #expect(!positions.isEmpty)
        #expect(zip(positions, positions.dropFirst()).allSatisfy { $0 <= $1 })
        #expect(positions.last == player.duration)
        #expect(!player.isPlaying)
    }

    @Test("at a higher rate the same sound takes less time", arguments: VoicePlayer.Rate.allCases)
    func rates(_ rate: VoicePlayer.Rate) async throws {
        let player = try await VoicePlayer(bytes: SampleSound(seconds: 30).wav, output: .silent)
        try await player.setRate(rate)
        #expect(player.rate == rate)
        try await player.play()
        /// Position and clock at the same moment: read again if they were interrupted.
        func moment(after least: Duration) async throws -> (position: Duration, clock: Duration) {
            for try await position in player.positions where position > least {
                let before = player.pipeline.clockTime ?? .zero
                let position = player.position
                let after = player.pipeline.clockTime ?? .zero
                if after - before < .milliseconds(5), before > .zero { return (position, after) }
            }
            throw ProgramFailure(description: "the sound ended early")
        }
        let first = try await moment(after: .milliseconds(300))
        let second = try await moment(after: first.position + .milliseconds(1500))
        let measured = (second.position - first.position) / (second.clock - first.clock)
        #expect(abs(measured - rate.rawValue) < 0.1)
        await player.stop()
    }

    @Test("pause preserves the position, seek changes it, play continues from there")
    func pauseAndSeek() async throws {
        let player = try await VoicePlayer(bytes: SampleSound(seconds: 20).wav, output: .silent)
        try await player.play()
        #expect(player.isPlaying)
        try await player.pause()
        #expect(!player.isPlaying)
        let held = player.position
        try await player.seek(to: .seconds(19.5))
        #expect(held < .seconds(19))
        #expect(difference(player.position, .seconds(19.5)) < .milliseconds(20))
        try await player.seek(to: .seconds(500))
        #expect(player.position <= player.duration)
        try await player.seek(to: .seconds(19.5))
        try await player.playToEnd()
        #expect(player.position == player.duration)
        try await player.pause()
        try await player.seek(to: .seconds(-3))
        #expect(player.position < .milliseconds(20))
        await player.stop()
    }

    @Test("after the end, play starts again")
    func playsAgain() async throws {
        let player = try await VoicePlayer(bytes: SampleSound(seconds: 0.5).wav, output: .silent)
        try await player.playToEnd()
        try await player.playToEnd()
        #expect(player.position == player.duration)
    }

    @Test("stop ends the sequence of positions and all waiting calls; afterwards nothing can be played")
    func stops() async throws {
        let player = try await VoicePlayer(bytes: SampleSound(seconds: 30).wav, output: .silent)
        let playing = Task { try await player.playToEnd() }
        var count = 0
        for try await position in player.positions {
            count += 1
            if position > .zero { await player.stop() }
        }
        #expect(count > 0)
        try await playing.value
        let error = await #expect(throws: MediaError.self) { try await player.play() }
        #expect(error?.code == .wrongState)
    }

    @Test("cancellation ends the sound")
    func cancelled() async throws {
        let player = try await VoicePlayer(bytes: SampleSound(seconds: 30).wav, output: .silent)
        let playing = Task { try await player.playToEnd() }
        for try await position in player.positions where position > .zero { break }
        playing.cancel()
        let error = await #expect(throws: MediaError.self) { try await playing.value }
        #expect(error?.code == .cancelled)
        #expect(player.pipeline.reports.isClosed)
    }

    @Test("a file that is no sound is rejected before it is opened")
    func refuses() async throws {
        let error = await #expect(throws: MediaError.self) {
            _ = try await VoicePlayer(bytes: Array("#EXTM3U\nhttp://127.0.0.1:9/a.ts\n".utf8), output: .silent)
        }
        #expect(error?.code == .unsupported)
    }
}

private func difference(_ one: Duration, _ other: Duration) -> Duration {
    one > other ? one - other : other - one
}
