internal import Media

/// Does what the machine asks for.
extension VoiceComposer {
    func perform(_ action: VoiceRecordingMachine.Action) async {
        showPhase()
        switch action {
        case .none, .review: break
        case .open: await open()
        case .finish: await finish()
        case .discard, .discardSlip:
            wasTooShort = action == .discardSlip
            await recorder?.discard()
            let discarded = path
            forget()
            if let discarded { await RecordingFolder(path: folder).remove(discarded) }
        case .send: await handOver()
        }
        showPhase()
    }

    private func open() async {
        count += 1
        levels = []
        duration = .zero
        message = nil
        let path = "\(folder)/recording-\(environment.now().millisecondsSince1970)-\(count).ogg"
        self.path = path
        do throws(MediaError) {
            let recorder = try await RecordingFolder(path: folder).begin(path, makeRecorder)
            guard path == self.path else {
                // Cancelled while the recorder was being made.
                await recorder.discard()
                return
            }
            self.recorder = recorder
            try await recorder.start()
            guard recorder === self.recorder else {
                // Cancelled while the microphone was being opened.
                await recorder.discard()
                return
            }
            follow(recorder)
            await perform(machine.opened())
        } catch {
            await RecordingFolder(path: folder).remove(path)
            // Nobody is told of the trouble of a recording that was cancelled.
            guard path == self.path else { return }
            problem = error
            forget()
            await perform(machine.failed())
        }
    }

    /// Shows the levels until the recording ends, by whatever.
    private func follow(_ recorder: VoiceRecorder) {
        Task { [weak self] in
            for await level in recorder.levels { self?.show(level, of: recorder) }
        }
        Task { [weak self] in
            _ = try? await recorder.waitForEnd()
            await self?.recorderEnded(recorder)
        }
    }

    private func show(_ level: VoiceLevel, of recorder: VoiceRecorder) {
        guard recorder === self.recorder else { return }
        duration = level.time
        levels.append(level.peak)
        if levels.count > Self.keptLevels { levels.removeFirst(levels.count - Self.keptLevels) }
    }

    private func recorderEnded(_ recorder: VoiceRecorder) async {
        if recorder === self.recorder { await perform(machine.ended()) }
    }

    private func finish() async {
        guard let recorder else { return }
        do throws(MediaError) {
            let found = try await recorder.stop()
            guard recorder === self.recorder else { return }
            message = found
            duration = .milliseconds(found.milliseconds)
            self.recorder = nil
            await perform(machine.finished())
        } catch {
            // What was spoken is in the file; it is offered again.
            guard recorder === self.recorder else { return }
            problem = error
            forget()
            await perform(machine.failed())
            await findInterrupted()
        }
    }

    private func handOver() async {
        guard let message, let sent = path else { return }
        handedOver.insert(sent)
        forget()
        do {
            try await deliver(message)
            await RecordingFolder(path: folder).remove(sent)
            handedOver.remove(sent)
        } catch {
            handedOver.remove(sent)
            problem =
                error as? MediaError
                ?? MediaError(.failed, "The voice message was not sent.", cause: String(describing: error))
            await findInterrupted()
        }
    }

    private func forget() {
        recorder = nil
        path = nil
        message = nil
    }

    private func showPhase() {
        let now: Phase =
            switch machine.state {
            case .idle: .idle
            case .opening: .opening
            case .recording(let isLocked): .recording(isLocked: isLocked)
            case .finishing: .finishing
            case .reviewing: .reviewing
            }
        if phase != now { phase = now }
    }
}
