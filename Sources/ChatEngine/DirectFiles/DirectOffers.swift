public import ChatStore
internal import DirectTransfer
internal import Synchronization
internal import TransportLayer

/// The files that devices of contacts offer to this one (XEP-0234), by the messages that show them.
///
/// Nothing of a file is requested before it is accepted. An offer lives as long as its Jingle session: it ends with either
/// side's connection, and is not stored.
public final class DirectOffers: Sendable {
    /// What can be done with an offer; without one the file is no longer available.
    public enum State: Sendable, Hashable {
        /// It can be accepted or declined.
        case waiting
        /// The file is coming.
        case accepted
        /// It was declined here.
        case declined
    }

    private let states = FileStates<State>()
    private let transfers = Mutex<[MessageID: Transfer]>([:])

    init() {}

    /// The state of the offer that a message shows; `nil` if there is none any more.
    public func state(of message: MessageID) -> State? { states.state(of: message, at: 0) }

    /// The current state and its changes until the task is cancelled.
    public func values(of message: MessageID) -> AsyncStream<State?> { states.values(of: message, at: 0) }

    /// Declines an offer that waits.
    public func decline(_ message: MessageID) {
        guard state(of: message) == .waiting, let transfer = transfers.withLock({ $0[message] }) else { return }
        states.show(.declined, of: message, at: 0)
        transfer.decline()
    }

    /// Accepts an offer and writes the file, whose size and hash are verified on the way.
    ///
    /// - Parameter limit: in bytes. A larger file is not accepted, and its offer waits on.
    func receive(
        _ message: MessageID, to path: String, limit: Int64, progress: HTTPClient.ProgressHandler?
    ) async throws(AttachmentFailure) {
        guard state(of: message) == .waiting, let transfer = transfers.withLock({ $0[message] }),
            let size = transfer.file.size
        else { throw AttachmentFailure(.fileGone) }
        guard size <= UInt64(clamping: limit) else { throw AttachmentFailure(.tooLarge) }
        let sink = try DirectFileSink(path)
        states.show(.accepted, of: message, at: 0)
        transfer.accept(into: sink)
        let outcome = await withTaskCancellationHandler {
            var shown: Int64?
            for await step in transfer.updates() {
                let bytes = Int64(clamping: step.bytes)
                // Progress in percent is precise enough.
                let percent = size == 0 ? 100 : Int64(Double(step.bytes) / Double(size) * 100)
                if shown != percent { progress?(HTTPProgress(completed: bytes, total: Int64(clamping: size))) }
                shown = percent
            }
            return await transfer.outcome()
        } onCancel: {
            transfer.cancel()
        }
        if case .failed(let failure) = outcome { throw AttachmentFailure(receiving: failure) }
    }

    // MARK: The account's side

    /// A message shows an offer. An earlier one of the same file ends.
    func add(_ transfer: Transfer, of message: MessageID) {
        let earlier = transfers.withLock { transfers in
            defer { transfers[message] = transfer }
            return transfers[message]
        }
        earlier?.decline()
        states.show(.waiting, of: message, at: 0)
    }

    /// Returns when an offer has ended, with any result.
    func follow(_ transfer: Transfer, of message: MessageID) async {
        _ = await transfer.outcome()
        let isLast = transfers.withLock { transfers in
            guard transfers[message] === transfer else { return false }
            transfers[message] = nil
            return true
        }
        // That it was declined is shown until the program ends.
        if isLast, state(of: message) != .declined { states.show(nil, of: message, at: 0) }
    }
}
