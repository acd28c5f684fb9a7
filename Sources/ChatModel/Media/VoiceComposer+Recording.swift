public import ChatStore
internal import Foundation
public import Media

/// Performs the actions of the machine.
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
                // Cancelled while the recorder was being created.
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
            // An error of a cancelled recording is not shown.
            guard path == self.path else { return }
            problem = error
            forget()
            await perform(machine.failed())
        }
    }

    /// Updates the levels until the recording ends.
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
        if levels.count > Self.levelLimit { levels.removeFirst(levels.count - Self.levelLimit) }
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
            // The recording stays in its file and is offered again.
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

extension VoiceComposer {
    /// The folder for the recordings of one conversation, shared by all programs. Its name is a hash, because an
    /// address can contain characters that a file name cannot.
    public nonisolated static func folder(of key: ConversationKey, in media: MediaCache) -> String {
        let name = ContentHash(of: Array("\(key.kind.rawValue) \(key.address)".utf8)).description
        return "\(media.path)/recordings/\(name.prefix(nameLength))"
    }

    /// 128 bits of the hash: long enough to be unique, short enough for any file system.
    private nonisolated static let nameLength = 32
}

/// The folder of the current recordings. Nothing here runs on the main actor.
struct RecordingFolder: Sendable {
    let path: String

    /// Creates the folder, and a recorder that writes to a file in it.
    func begin(
        _ file: String, _ make: @Sendable (String) throws(MediaError) -> VoiceRecorder
    ) async throws(MediaError) -> VoiceRecorder {
        // If this fails, the recorder reports the error.
        try? FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return try make(file)
    }

    /// The recordings in the folder, oldest first; empty files are deleted.
    ///
    /// - Parameter others: files in use.
    func recordings(besides others: Set<String>) async -> [VoiceComposer.Interrupted] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(".ogg") }.sorted().compactMap { name in
            let file = path + "/" + name
            guard !others.contains(file) else { return nil }
            let attributes = try? FileManager.default.attributesOfItem(atPath: file)
            let size = (attributes?[.size] as? NSNumber)?.int64Value ?? 0
            guard size > 0 else {
                try? FileManager.default.removeItem(atPath: file)
                return nil
            }
            return VoiceComposer.Interrupted(path: file, byteCount: size)
        }
    }

    func remove(_ file: String) async { try? FileManager.default.removeItem(atPath: file) }
}

extension VoiceMessage {
    /// Stores the voice message in the cache and describes it, so that a ``Composer`` can send it.
    ///
    /// It is pinned in the cache: unpin it after it was sent.
    public func attachment(in cache: MediaCache) async throws(StoreError) -> Attachment {
        let hash = try await cache.insert(bytes)
        await cache.pin(hash)
        return Attachment(
            kind: .voice, mediaType: type.name, name: "voice.\(type.fileExtension)", size: Int64(bytes.count),
            duration: Int64(milliseconds), contentHash: hash.description, isLocal: true)
    }
}
