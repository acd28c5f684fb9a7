internal import ChatModel
internal import ChatStore
internal import Foundation
internal import Glibc
internal import Localization
internal import Media

/// Records and plays voice messages, and shows how far that is.
@MainActor
final class VoiceCommands {
    private let models: AccountModels
    private let console: ChatConsole
    private var isShown = false
    private var shownProblem: String?
    /// The number of played files, to distinguish them from messages.
    private var playedFiles: Int64 = 0

    init(_ models: AccountModels, _ console: ChatConsole) {
        self.models = models
        self.console = console
    }

    /// Starts a recording; Enter sends it, Ctrl-C discards it.
    func record() {
        guard let pane = models.conversation else {
            return console.showNotice(localized("Open a conversation first."))
        }
        guard let voice = pane.voice else {
            return console.showNotice(localized("The profile has no folder for files."))
        }
        guard voice.phase == .idle else { return }
        console.jobs.begin { [console] in
            await voice.press()
            await voice.lock()
            if case .recording = voice.phase {
                console.showNotice(localized("Speak now. Enter sends the recording, Ctrl-C discards it."))
            }
        }
    }

    /// Plays a file, or the newest voice message of the conversation.
    func play(_ file: String?) {
        let track: VoicePlayback.Track?
        if let file {
            // A file is not a message; it gets an identifier that no message has.
            playedFiles += 1
            track = .init(message: MessageID(rawValue: -playedFiles), path: FileShelf.expanded(file))
        } else {
            track = models.conversation.flatMap { $0.files.newestVoice(of: $0.messages) }
        }
        guard let track else { return console.showNotice(localized("There is no voice message yet.")) }
        console.jobs.begin { [playback = models.playback] in await playback.play(track) }
    }

    /// Shows a recording or playback in place of the status, or why it failed.
    func show() {
        if let problem = models.conversation?.voice?.takeProblem() {
            console.showHarmless(Wording.failure(problem))
        }
        let problem = models.playback.problem
        if let problem, problem.description != shownProblem { console.showHarmless(Wording.failure(problem)) }
        shownProblem = problem?.description
        let line = line
        if line != nil || isShown { console.activity = line }
        isShown = line != nil
    }

    private var line: String? {
        if let voice = models.conversation?.voice {
            switch voice.phase {
            // Opening the sound server may take a second or two.
            case .opening: return localized("opening the microphone…")
            case .recording, .finishing: return VoiceMeter.line(time: voice.duration, peak: voice.levels.last ?? 0)
            case .reviewing: return localized("Enter sends the recording, Ctrl-C discards it.")
            case .idle: break
            }
        }
        let playback = models.playback
        guard playback.isPlaying else { return nil }
        return "▶ \(Wording.length(playback.position)) / \(Wording.length(playback.duration))"
    }
}

/// A recording in one line: `Recording 0:03 ▮▮▮▮▮▯▯▯▯▯`.
package enum VoiceMeter {
    /// Bars of the level meter.
    private static let width = 20

    /// - Parameters:
    ///   - time: the duration of the recording.
    ///   - peak: the level, 0…1.
    package static func line(time: Duration, peak: Float) -> String {
        // Loudness is perceived logarithmically: −50 dB is an empty meter.
        let decibels = 20 * log10(max(Double(peak), 0.003))
        let bars = Int((max(0, min(decibels, 0) + 50) / 50 * Double(width)).rounded())
        return localized("Recording") + " \(Wording.length(time)) " + String(repeating: "▮", count: bars)
            + String(repeating: "▯", count: width - bars)
    }
}
