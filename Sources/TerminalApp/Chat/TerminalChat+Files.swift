internal import ChatModel
internal import ChatStore
internal import Foundation
internal import Glibc
internal import Localization
internal import Media

/// Files and voice messages, sent and received.
extension TerminalChat {
    // MARK: Sending

    /// Prepares a file and adds it to the send queue, in the background.
    func sendFile(_ file: String, isPicture: Bool) {
        send(isPicture ? localized("[picture] %@", file) : localized("[file] %@", file)) { media in
            let selection = OutgoingSelection()
            await selection.add(paths: [FileShelf.expanded(file)])
            guard let item = selection.items.first else {
                throw FileProblem(localized("The file %@ cannot be read.", file))
            }
            if isPicture, item.picture == nil {
                throw FileProblem(localized("%@ is not a picture; /file sends it as it is.", file))
            }
            return try await selection.attachments(in: media)
        }
    }

    /// Asks whether to send a text that is too long for a message as a file; otherwise it stays as a draft.
    func offerAsFile(_ text: String) {
        showNotice(MessageLength.explanation)
        confirm(localized("Send it as a file (yes/no)? ")) { chat in
            chat.send(localized("[text file]")) { media in
                let selection = OutgoingSelection()
                await selection.add(Array(text.utf8), name: localized("text") + ".txt")
                return try await selection.attachments(in: media)
            }
            if let composer = chat.conversation?.composer, composer.text == text { composer.text = "" }
        }
    }

    func sendVoice(_ file: String) {
        send(localized("[voice] %@", file)) { media in
            try await [VoiceMessage.make(fromFile: FileShelf.expanded(file)).attachment(in: media)]
        }
    }

    private func send(
        _ title: String, _ prepare: @escaping @MainActor (MediaCache) async throws -> [Attachment]
    ) {
        guard let pane = conversation else { return showNotice(localized("Open a conversation first.")) }
        guard let media = account.media else { return showNotice(localized("The profile has no folder for files.")) }
        activity = title
        begin { chat in
            do {
                try await pane.composer.send(files: prepare(media))
                chat.showWaitingNotice()
            } catch {
                let words = DisplayWidth.truncate(TerminalText.harmless(title), to: 24)
                chat.showNotice(
                    localized(
                        "Not sent: “%@”. %@", words,
                        TerminalText.harmless((error as? FileProblem)?.description ?? Wording.failure(any: error))))
            }
            chat.activity = nil
        }
    }

    private struct FileProblem: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    // MARK: Receiving

    func fetch() {
        guard let pane = conversation, pane.files.fetchNewest(of: pane.messages) else {
            return showNotice(localized("There is nothing to download."))
        }
    }

    // MARK: Voice

    /// Starts a recording; Enter sends it, Ctrl-C discards it.
    func record() {
        guard let pane = conversation else { return showNotice(localized("Open a conversation first.")) }
        guard let voice = pane.voice else { return showNotice(localized("The profile has no folder for files.")) }
        guard voice.phase == .idle else { return }
        begin { chat in
            await voice.press()
            await voice.lock()
            if case .recording = voice.phase {
                chat.showNotice(localized("Speak now. Enter sends the recording, Ctrl-C discards it."))
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
            track = conversation.flatMap { $0.files.newestVoice(of: $0.messages) }
        }
        guard let track else { return showNotice(localized("There is no voice message yet.")) }
        begin { await $0.playback.play(track) }
    }

    /// Shows a recording or playback in place of the status, or why it failed.
    func showVoice() {
        if let problem = conversation?.voice?.takeProblem() {
            showNotice(TerminalText.harmless(Wording.failure(problem)))
        }
        if let problem = playback.problem, problem.description != shownPlaybackProblem {
            showNotice(TerminalText.harmless(Wording.failure(problem)))
        }
        shownPlaybackProblem = playback.problem?.description
        let line = voiceLine
        if line != nil || isShowingVoice { activity = line }
        isShowingVoice = line != nil
    }

    private var voiceLine: String? {
        if let voice = conversation?.voice {
            switch voice.phase {
            // Opening the sound server may take a second or two.
            case .opening: return localized("opening the microphone…")
            case .recording, .finishing: return VoiceMeter.line(time: voice.duration, peak: voice.levels.last ?? 0)
            case .reviewing: return localized("Enter sends the recording, Ctrl-C discards it.")
            case .idle: break
            }
        }
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
