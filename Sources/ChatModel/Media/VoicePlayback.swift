public import ChatStore
public import Media
public import Observation

/// Plays voice messages one at a time: goes on where it was, faster if wished, and on to the next one.
@MainActor
@Observable
public final class VoicePlayback {
    /// A voice message that is on this device.
    public struct Track: Sendable, Hashable {
        public let message: MessageID
        public let path: String

        public init(message: MessageID, path: String) {
            self.message = message
            self.path = path
        }
    }

    /// What is played or paused.
    public private(set) var current: Track?
    public private(set) var isPlaying = false
    public private(set) var position = Duration.zero
    public private(set) var duration = Duration.zero
    /// Stays from one message to the next.
    public private(set) var rate = VoicePlayer.Rate.normal
    /// Why it cannot be played, if so.
    public private(set) var problem: MediaError?

    /// So many positions are remembered; the oldest are forgotten.
    static let placeLimit = 500
    /// A program that dies while something is played forgets no more than this.
    static let notedEvery: Duration = .seconds(5)

    @ObservationIgnored private let makePlayer: @Sendable (String) async throws(MediaError) -> VoicePlayer
    @ObservationIgnored private let next: @MainActor (MessageID) async -> Track?
    @ObservationIgnored private let store: (any LocalStore)?
    /// The part of the message that is on the disk, so that it is not written with every step.
    @ObservationIgnored private var noted: Duration?
    @ObservationIgnored private var noting: Task<Void, Never>?
    @ObservationIgnored private var player: VoicePlayer?
    @ObservationIgnored private var positions: [MessageID: Duration] = [:]
    @ObservationIgnored private var remembered: [MessageID] = []
    /// Counts what was asked for, so that an answer that comes late is not taken for the newest.
    @ObservationIgnored private var turn = 0

    /// - Parameters:
    ///   - player: opens a file; on the loudspeaker if nothing else is said.
    ///   - store: remembers over a restart how far each message was played, and which were not yet.
    ///   - next: the voice message after another one, if it is to be played on: the next one of the same conversation.
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

    /// Where a message was left; zero if it was not begun, or played to its end.
    public func position(of message: MessageID) -> Duration {
        message == current?.message ? position : positions[message] ?? .zero
    }

    /// Plays a message from where it was left; what plays now is paused.
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
        noted = nil
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
            note()
        }
    }

    public func pause() async {
        guard let player else { return }
        isPlaying = false
        await attempt { () throws(MediaError) in try await player.pause() }
        position = player.position
        remember()
    }

    /// Goes to a place in the current message, kept within it.
    public func seek(to place: Duration) async {
        guard let player else { return }
        position = min(max(.zero, place), duration)
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

    /// Ends the sound and lets the loudspeaker go.
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
        note()
        guard positions[message] != nil else { return }
        remembered.append(message)
        if remembered.count > Self.placeLimit { positions[remembered.removeFirst()] = nil }
    }

    // MARK: Over a restart

    private func kept(of message: MessageID) async -> Duration? {
        guard let store else { return nil }
        let found = try? await store.read { reader throws(StoreError) in try reader.message(message) }
        let attachment = found?.text.attachments.first { $0.kind == .voice }
        return attachment?.playback.map { .milliseconds($0) }
    }

    /// Writes down that the message was played, and how far; one after the other.
    private func note() {
        guard let store, let message = current?.message else { return }
        let place = position > .zero && position < duration ? position : .zero
        noted = place
        let milliseconds = Int64(place / .milliseconds(1))
        let before = noting
        noting = Task {
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

    /// Returns when everything is on the disk: before the program ends.
    public func flush() async { await noting?.value }

    private func attempt(_ body: @MainActor () async throws(MediaError) -> Void) async {
        do throws(MediaError) {
            problem = nil
            try await body()
        } catch {
            problem = error
            isPlaying = false
        }
    }

    /// Shows where the player is; at the end goes on to the next message.
    private func follow(_ player: VoicePlayer) {
        let mine = turn
        Task { [weak self] in
            do {
                for try await position in player.positions {
                    guard let self, mine == self.turn, self.isPlaying else { return }
                    self.position = position
                    if let noted = self.noted, max(position - noted, noted - position) >= Self.notedEvery {
                        self.note()
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
