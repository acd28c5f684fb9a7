import Hongyan
import SampleMedia

/// The voice of the goose: a honk or two, made by the program itself.
enum Honk {
    static func file(number: Int) -> OutgoingFile {
        let pitch = 310 + Double(number * 17 % 60)
        let honk: [Synthesizer.Tone] = [
            .init(pitch * 0.8, to: pitch * 1.5, milliseconds: 120, roughness: 0.9),
            .init(pitch * 1.5, to: pitch, milliseconds: 260, roughness: 1),
            .init(0, milliseconds: 140),
        ]
        let tones = [.init(0, milliseconds: 60)] + Array(repeating: honk, count: 2 + number % 2).flatMap { $0 }
        return OutgoingFile(
            kind: .voice, name: "honk-\(number).wav", mediaType: "audio/wav", content: Synthesizer.wav(tones),
            length: tones.reduce(0) { $0 + $1.milliseconds })
    }
}
