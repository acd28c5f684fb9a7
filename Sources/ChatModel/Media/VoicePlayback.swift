public import ChatStore
public import Media
public import Observation

/// Plays voice messages one at a time: resumes at the last position, at a chosen speed, and continues with the next
/// message.
@MainActor
@Observable
public final class VoicePlayback {
    /// A voice message on this device.
    public struct Track: Sendable, Hashable {
        public let message: MessageID
        public let path: String

        public init(message: MessageID, path: String) {
            self.message = message
            self.path = path
        }
    }

    /// The message that is playing or paused.
    public private(set) var current: Track?
    public private(set) var isPlaying = false
    public private(set) var position = Duration.zero
    public private(set) var duration = Duration.zero
    /// Stays the same for the next message.
    public private(set) var rate = VoicePlayer.Rate.normal
    /// Why playback failed, if it did.
    public private(set) var problem: MediaError?

    /// The number of positions kept; the oldest are dropped.
    static let positionLimit = 500
    /// A crash during playback loses at most this much of the position.
    static let saveInterval: Duration = .seconds(5)

    @ObservationIgnored private let makePlayer: @Sendable (String) async throws(MediaError) -> VoicePlayer
    @ObservationIgnored private let next: @MainActor (MessageID) async -> Track?
    @ObservationIgnored private let store: (any LocalStore)?
    /// The saved part of the state, so that it is not written for every step.
    @ObservationIgnored private var saved: Duration?
    @ObservationIgnored private var saving: Task<Void, Never>?
    @ObservationIgnored private var player: VoicePlayer?
    @ObservationIgnored private var positions: [MessageID: Duration] = [:]
    @ObservationIgnored private var remembered: [MessageID] = []
    /// Numbers the commands, so that a late result of an older one is ignored.
    @ObservationIgnored private var turn = 0

    /// - Parameters:
    ///   - player: opens a file; the loudspeaker by default.
    ///   - store: saves how far each message was played.
    ///   - next: the voice message to continue with; by default the next one of the conversation.
    public init(
        store: (any LocalStore)? = nil,
        player: @escaping @Sendable (String) async throws(MediaError) -> VoicePlayer = { path throws(MediaError) in
            try await VoicePlayer(path: path)
        },
        next: @escaping @MainActor (MessageID) async -> Track? = { _ in nil }
    ) {
        self.store = store
        makePlayer = player
        self.next = next
    }

    /// The position at which a message was stopped; zero if it was not started, or played to its end.
    public func position(of message: MessageID) -> Duration {
        message == current?.message ? position : positions[message] ?? .zero
    }

    /// Plays a message from its last position; pauses the current one.
    public func play(_ track: Track) async {
        if track == current, let player {
            await attempt { () throws(MediaError) in
                try await player.play()
                isPlaying = true
                follow(player)
            }
            return
        }
        turn += 1
        let mine = turn
        await putAway()
        current = track
        position = positions[track.message] ?? .zero
        saved = nil
        if positions[track.message] == nil, let kept = await kept(of: track.message), mine == turn { position = kept }
        guard mine == turn else { return }
        await attempt { () throws(MediaError) in
            let player = try await makePlayer(track.path)
            guard mine == turn else {
                await player.stop()
                return
            }
            self.player = player
            duration = player.duration
            if rate != .normal { try await player.setRate(rate) }
            if position > .zero, position < duration { try await player.seek(to: position) }
            try await player.play()
            isPlaying = true
            follow(player)
            savePosition()
        }
    }

    public func pause() async {
        guard let player else { return }
        isPlaying = false
        await attempt { () throws(MediaError) in try await player.pause() }
        position = player.position
        remember()
    }

    /// Seeks in the current message, limited to its duration.
    public func seek(to target: Duration) async {
        guard let player else { return }
        position = min(max(.zero, target), duration)
        await attempt { [position] () throws(MediaError) in try await player.seek(to: position) }
        remember()
    }

    /// 1×, 1.5×, 2×, and 1× again.
    public func changeRate() async {
        let all = VoicePlayer.Rate.allCases
        let index = all.firstIndex(of: rate) ?? 0
        rate = all[(index + 1) % all.count]
        guard let player else { return }
        await attempt { [rate] () throws(MediaError) in try await player.setRate(rate) }
    }

    /// Stops, and releases the audio device.
    public func stop() async {
        turn += 1
        await putAway()
        current = nil
        position = .zero
        duration = .zero
    }

    private func putAway() async {
        guard let player else { return }
        if isPlaying { position = player.position }
        remember()
        self.player = nil
        isPlaying = false
        await player.stop()
    }

    private func remember() {
        guard let message = current?.message else { return }
        remembered.removeAll { $0 == message }
        positions[message] = position > .zero && position < duration ? position : nil
        savePosition()
        guard positions[message] != nil else { return }
        remembered.append(message)
        if remembered.count > Self.positionLimit { positions[remembered.removeFirst()] = nil }
    }

    // MARK: Saving

    private func kept(of message: MessageID) async -> Duration? {
        guard let store else { return nil }
        let found = try? await store.read { reader throws(StoreError) in try reader.message(message) }
        let attachment = found?.text.attachments.first { $0.kind == .voice }
        return attachment?.playback.map { .milliseconds($0) }
    }

    /// Saves that the message was played, and its position; in order.
    private func savePosition() {
        guard let store, let message = current?.message else { return }
        let lasting = position > .zero && position < duration ? position : .zero
        saved = lasting
        let milliseconds = Int64(lasting / .milliseconds(1))
        let before = saving
        saving = Task {
            await before?.value
            try? await store.write { writer throws(StoreError) in
                guard let attachments = try writer.message(message)?.text.attachments,
                    let index = attachments.firstIndex(where: { $0.kind == .voice }),
                    attachments[index].playback != milliseconds
                else { return }
                var attachment = attachments[index]
                attachment.playback = milliseconds
                try writer.update(attachment, at: index, of: message)
            }
        }
    }

    /// Returns when everything is saved: before the program ends.
    public func flush() async { await saving?.value }

    private func attempt(_ body: @MainActor () async throws(MediaError) -> Void) async {
        do throws(MediaError) {
            problem = nil
            try await body()
        } catch {
            problem = error
            isPlaying = false
        }
    }

    /// Follows the player's position; continues with the next message at the end.
    private func follow(_ player: VoicePlayer) {
        let mine = turn
        Task { [weak self] in
            do {
                for try await position in player.positions {
                    guard let self, mine == self.turn, self.isPlaying else { return }
                    self.position = position
                    if let saved = self.saved, max(position - saved, saved - position) >= Self.saveInterval {
                        self.savePosition()
                    }
                }
                if player.position >= player.duration { await self?.ended(mine) }
            } catch {
                self?.failed(error, mine)
            }
        }
    }

    private func failed(_ error: any Error, _ mine: Int) {
        guard mine == turn else { return }
        problem = error as? MediaError
        isPlaying = false
    }

    private func ended(_ mine: Int) async {
        guard mine == turn, isPlaying, let track = current else { return }
        isPlaying = false
        position = .zero
        remember()
        let following = await next(track.message)
        guard mine == turn else { return }
        if let following { await play(following) }
    }
}
