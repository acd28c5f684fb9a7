internal import ChatEngine
internal import ChatModel
internal import ChatStore
internal import JSONRPC
internal import Synchronization
internal import XMPPAddress

/// The files that `listen` downloads: concurrently with the events, a few at a time, one of each sender, and within a
/// budget.
final class ListenedFiles: Sendable {
    /// A file of a stored message.
    struct File: Sendable {
        var message: MessageID
        var attachment: Attachment
    }

    struct Job: Sendable {
        var file: File
        var sender: JID
        var origin: ListenedOrigin
        fileprivate var reservation: DownloadBudget.Download
    }

    /// Why a file is not downloaded.
    enum Refusal {
        /// The budget of this hour is used up.
        case overBudget
        /// Too many files wait.
        case tooMany
    }

    /// The maximum number of parallel downloads.
    private static let limit = 4
    /// The maximum number of waiting files.
    private static let waitingLimit = 256
    /// The timeout of one download, in seconds: the largest file needs 115 KiB per second.
    static let timeLimit = 15 * 60

    private struct State {
        var queue = FairQueue<JID, Job>(limit: limit, groupLimit: 1, waitingLimit: waitingLimit)
        var budget = DownloadBudget()
    }

    private let state = Mutex(State())
    private let starts = AsyncStream.makeStream(of: Job.self)

    /// - Returns: the reason why it is not downloaded; `nil` if it will be.
    func add(_ file: File, from sender: JID, _ origin: ListenedOrigin) -> Refusal? {
        let size = file.attachment.size ?? AttachmentFetcher.sizeLimit
        let (start, refusal) = state.withLock { state -> (Job?, Refusal?) in
            guard let reservation = state.budget.begin(sender, bytes: size, now: .now) else {
                return (nil, .overBudget)
            }
            let job = Job(file: file, sender: sender, origin: origin, reservation: reservation)
            switch state.queue.add(job, of: sender.bare) {
            case .start(let job): return (job, nil)
            case .waiting: return (nil, nil)
            case .refused:
                state.budget.finished(reservation, bytes: 0)
                return (nil, .tooMany)
            }
        }
        if let start { starts.continuation.yield(start) }
        return refusal
    }

    /// Performs the downloads until the task is cancelled.
    ///
    /// - Parameter work: downloads one file; returns its size in bytes, 0 if it failed.
    func run(_ work: @escaping @Sendable (Job) async -> Int64) async {
        await withDiscardingTaskGroup { group in
            for await first in starts.stream {
                group.addTask {
                    var next: Job? = first
                    while let job = next {
                        let bytes = await work(job)
                        next = self.state.withLock { state in
                            state.budget.finished(job.reservation, bytes: bytes)
                            return state.queue.finished(job.sender.bare)
                        }
                    }
                }
            }
            group.cancelAll()
        }
    }
}

/// The origin of a message, as each line of `listen` states it.
struct ListenedOrigin: Sendable {
    /// The name in a line.
    var name: String
    var members: [(String, JSONValue)]
    var isInRoom = false
}
