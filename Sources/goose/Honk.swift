import CommandLine
import Media

/// The voice of the goose: a honk or two, made by the program itself.
enum Honk {
    static func voice(number: Int) async throws(MediaError) -> VoiceMessage {
        let pitch = 310 + Double(number * 17 % 60)
        let honk: [Synthesizer.Tone] = [
            .init(pitch * 0.8, to: pitch * 1.5, milliseconds: 120, roughness: 0.9),
            .init(pitch * 1.5, to: pitch, milliseconds: 260, roughness: 1),
            .init(0, milliseconds: 140),
        ]
        let honks = Array(repeating: honk, count: 2 + number % 2).flatMap { $0 }
        return try await .make(fromBytes: Synthesizer.wav([.init(0, milliseconds: 60)] + honks))
    }
}
