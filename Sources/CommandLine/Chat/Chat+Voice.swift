internal import FileSharing
internal import Glibc
internal import Localization
internal import Media

extension Chat {
    /// Opens the microphone; Enter sends what was spoken, Ctrl-C throws it away.
    func beginRecording() async {
        guard openKey != nil else { return tell(localized("Open a conversation first.")) }
        guard recorder == nil else { return }
        // Sound servers may take a second or two.
        meter = localized("opening the microphone…")
        redraw()
        do {
            let recorder = try Recording.begin()
            self.recorder = recorder
            try await recorder.start()
            tell(localized("Speak now. Enter sends it, Ctrl-C throws it away."))
            begin { chat in
                for await level in recorder.levels { await chat.heard(level) }
            }
        } catch {
            recorder = nil
            meter = nil
            tell(CommandError(error).description)
        }
    }

    private func heard(_ level: VoiceLevel) {
        guard recorder != nil else { return }
        meter = Recording.line(level)
        redraw()
    }

    func finishRecording() async {
        guard let recorder else { return }
        self.recorder = nil
        meter = nil
        do {
            let message = try await recorder.stop()
            unlink(recorder.path)
            sendVoice(message)
        } catch {
            tell(CommandError(error).description)
        }
    }

    /// Plays a file, or the voice message that came or went last.
    func play(_ file: String?) {
        guard let path = file.map(FileDate.expanded) ?? lastVoice else {
            return tell(localized("There is no voice message yet."))
        }
        begin { chat in
            await chat.player?.stop()
            do {
                let player = try await VoicePlayer(path: path)
                await chat.started(player)
                try await player.play()
                for try await position in player.positions { await chat.played(position, of: player) }
                await player.stop()
            } catch {
                await chat.say(error)
            }
            await chat.stoppedPlaying()
        }
    }

    private func started(_ player: VoicePlayer) { self.player = player }

    private func played(_ position: Duration, of player: VoicePlayer) {
        guard self.player === player else { return }
        meter = "▶ \(PlayingTime(position)) / \(PlayingTime(player.duration))"
        redraw()
    }

    private func stoppedPlaying() {
        player = nil
        meter = nil
        redraw()
    }

    private func say(_ error: any Error) {
        tell(CommandError(error).description)
        redraw()
    }
}

extension PlayingTime {
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(milliseconds: Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}
