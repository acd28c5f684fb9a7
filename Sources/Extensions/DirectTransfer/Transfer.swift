internal import Synchronization
public import XMPPAddress

/// A file that is sent to one device, or offered by one.
///
///     for await offer in session[DirectTransfer.self].offers() {
///         guard wanted(offer.file) else { offer.decline(); continue }
///         let buffer = TransferBuffer()
///         offer.accept(into: buffer)
///         print(await offer.outcome(), buffer.bytes.count)
///     }
public final class Transfer: Sendable, Identifiable {
    public enum Direction: Sendable, Hashable {
        case outgoing, incoming
    }

    /// How far a transfer is.
    public struct Progress: Sendable, Hashable {
        public enum Phase: Sendable, Hashable {
            /// Waits for the answer of the receiver.
            case offered
            case connecting
            case transferring
            case ended(TransferOutcome)
        }

        public var phase: Phase
        /// The bytes that were sent or written.
        public var bytes: UInt64
        /// Whether the bytes take a TCP connection of their own, direct or through a proxy; otherwise they are inside of
        /// the XML stream.
        public var hasOwnConnection = false
    }

    public let id: String
    public let direction: Direction
    /// The other device.
    public let peer: JID
    public let file: OfferedFile
    private let state = Mutex(Progress(phase: .offered, bytes: 0))
    private let commands: AsyncStream<TransferDriver.Command>.Continuation

    init(
        id: String, direction: Direction, peer: JID, file: OfferedFile,
        commands: AsyncStream<TransferDriver.Command>.Continuation
    ) {
        self.id = id
        self.direction = direction
        self.peer = peer
        self.file = file
        self.commands = commands
    }

    public var progress: Progress { state.withLock { $0 } }

    /// The progress now and after each change, until the transfer has ended. A slow reader skips what is out of date.
    public func updates() -> AsyncStream<Progress> {
        let (stream, continuation) = AsyncStream.makeStream(of: Progress.self, bufferingPolicy: .bufferingNewest(1))
        observers.withLock { observers in
            let progress = progress
            continuation.yield(progress)
            if case .ended = progress.phase { continuation.finish() } else { observers.append(continuation) }
        }
        return stream
    }

    private let observers = Mutex<[AsyncStream<Progress>.Continuation]>([])

    /// Waits until the transfer has ended. A cancelled wait does not cancel the transfer.
    public func outcome() async -> TransferOutcome {
        for await progress in updates() {
            if case .ended(let outcome) = progress.phase { return outcome }
        }
        return .failed(.cancelled)
    }

    /// Accepts an offer: the bytes are written as they arrive, and ``outcome()`` is `completed` only if they have the
    /// announced size and hash. Once.
    public func accept(into sink: any TransferSink) { commands.yield(.accept(sink)) }

    /// Declines an offer.
    public func decline() { commands.yield(.end(JingleReason(.decline), .declinedHere)) }

    /// Ends the transfer on both sides.
    public func cancel() { commands.yield(.end(JingleReason(.cancel), .cancelled)) }

    /// Ends the transfer because one of the devices is gone.
    func end(_ failure: TransferFailure) { commands.yield(.end(JingleReason(.gone), failure)) }

    // MARK: The driver's side

    func change(_ change: (inout Progress) -> Void) {
        let progress = state.withLock { state in
            if case .ended = state.phase { return state }
            change(&state)
            return state
        }
        let isOver = if case .ended = progress.phase { true } else { false }
        observers.withLock { observers in
            for observer in observers {
                observer.yield(progress)
                if isOver { observer.finish() }
            }
            if isOver { observers = [] }
        }
    }
}

/// Where a transfer reads the file that it sends.
public protocol TransferSource: Sendable {
    /// The next bytes, at most that many; none at the end.
    func read(upTo count: Int) async throws -> [UInt8]
}

/// Where a transfer writes the file that it receives.
public protocol TransferSink: Sendable {
    /// Appends bytes. The sender waits until this returns.
    func write(_ bytes: [UInt8]) async throws
}

/// A file in memory, to send.
public final class TransferBytes: TransferSource {
    private let rest: Mutex<ArraySlice<UInt8>>

    public init(_ bytes: [UInt8]) {
        rest = Mutex(bytes[...])
    }

    public func read(upTo count: Int) async throws -> [UInt8] {
        rest.withLock { rest in
            defer { rest = rest.dropFirst(count) }
            return Array(rest.prefix(count))
        }
    }
}

/// A file in memory that was received.
public final class TransferBuffer: TransferSink {
    private let content = Mutex<[UInt8]>([])

    public init() {}

    public var bytes: [UInt8] { content.withLock { $0 } }

    public func write(_ bytes: [UInt8]) async throws { content.withLock { $0 += bytes } }
}
