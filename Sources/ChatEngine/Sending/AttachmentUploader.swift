public import ChatStore
internal import Synchronization
public import XMPPClient

/// Uploads the content of attachments.
public protocol AttachmentUploader: Sendable {
    /// Uploads one attachment and returns its address.
    ///
    /// - Parameter progress: called from time to time with 0 to 100, on any thread.
    /// - Throws: ``AttachmentFailure``.
    func upload(
        _ attachment: Attachment, in session: Session, progress: @escaping @Sendable (Int) -> Void
    ) async throws(AttachmentFailure) -> String
}

/// Why an attachment could not be uploaded or downloaded; `Wording` has the messages.
public struct AttachmentFailure: Error, Sendable, Hashable {
    /// The raw value is written to programs and to the store (`FailureReason.condition`).
    public enum Code: String, Sendable, CaseIterable {
        case noUploadService = "no-upload"
        case uploadFailed = "upload-failed"
        case quotaExceeded = "quota-exceeded"
        case tooLarge = "too-large"
        case fileGone = "file-gone"
        case messageGone = "message-gone"
        case wrongContent = "wrong-content"
        case notStored = "not-kept"
        case notDownloaded = "not-fetched"
        case offline
        case cancelled
        /// It could not be encrypted or decrypted; ``AttachmentFailure/protection`` is the reason.
        case notProtected = "not-sealed"
    }

    public var code: Code
    /// Whether it may succeed later: the message stays in the queue.
    public var isTemporary: Bool
    /// Why it could not be encrypted or decrypted.
    public var protection: ProtectionError.Code?

    /// The value in the store: `not-sealed:` is followed by the code of the protection.
    public var condition: String { protection.map { FailureReason.notSealed + $0.rawValue } ?? code.rawValue }

    public init(_ code: Code, isTemporary: Bool = false) {
        self.code = code
        self.isTemporary = isTemporary
    }
}

/// The progress of an account's uploads, in memory only: a step is not stored, and only reaches the observers of that
/// attachment.
///
///     for await percent in account.uploads.values(of: message, at: 0) { ring.show(percent) }
public final class UploadProgress: Sendable {
    private struct Key: Hashable {
        let message: MessageID
        let index: Int
    }

    private struct State {
        var percents: [Key: Int] = [:]
        var observers: [Key: [Int: AsyncStream<Int?>.Continuation]] = [:]
        var count = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// The percentage uploaded, 0 to 100; `nil` if no upload is in progress.
    public func percent(of message: MessageID, at index: Int) -> Int? {
        state.withLock { $0.percents[Key(message: message, index: index)] }
    }

    /// The current value and its changes until the task is cancelled; a slow observer gets the latest.
    public func values(of message: MessageID, at index: Int) -> AsyncStream<Int?> {
        let key = Key(message: message, index: index)
        return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let number = state.withLock { state in
                state.count += 1
                state.observers[key, default: [:]][state.count] = continuation
                continuation.yield(state.percents[key])
                return state.count
            }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { state in
                    state.observers[key]?[number] = nil
                    if state.observers[key]?.isEmpty == true { state.observers[key] = nil }
                }
            }
        }
    }

    /// - Parameter percent: 0 to 100; `nil` when the upload has ended, with any result.
    func show(_ percent: Int?, of message: MessageID, at index: Int) {
        let key = Key(message: message, index: index)
        state.withLock { state in
            let shown = percent.map { min(max($0, 0), 100) }
            guard state.percents[key] != shown else { return }
            state.percents[key] = shown
            for observer in (state.observers[key] ?? [:]).values { observer.yield(shown) }
        }
    }
}
