extension VoicePlayer {
    /// Where the player is, whenever that changes, until the sound has ended or the player is stopped.
    public var positions: Positions { Positions(player: self) }

    /// The positions of a player. It looks only while somebody waits for the next one, and ends when the task is cancelled.
    public struct Positions: AsyncSequence, Sendable {
        public typealias Element = Duration
        public typealias Failure = MediaError

        let player: VoicePlayer

        public func makeAsyncIterator() -> Iterator {
            Iterator(player: player)
        }

        public struct Iterator: AsyncIteratorProtocol {
            let player: VoicePlayer
            private var last: Duration?
            private var isFinished = false

            init(player: VoicePlayer) {
                self.player = player
            }

            /// The next position, at most twenty a second; the duration as the last one. `nil` after the end.
            public mutating func next() async throws(MediaError) -> Duration? {
                try await next(isolation: nil)
            }

            public mutating func next(isolation actor: isolated (any Actor)?) async throws(MediaError) -> Duration? {
                let reports = player.pipeline.reports
                while !isFinished, !Task.isCancelled {
                    if last != nil { try? await Task.sleep(for: VoicePlayer.positionInterval) }
                    isFinished = reports.failure != nil || reports.isClosed || reports.hasEnded
                    if let failure = reports.failure { throw failure }
                    if reports.isClosed { return nil }
                    let position = player.position
                    if isFinished || position != last {
                        last = position
                        return position
                    }
                }
                return nil
            }
        }
    }
}
