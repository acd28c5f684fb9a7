internal import ChatEngine
internal import ChatModel
internal import FileSharing
internal import Synchronization
internal import XMPPAddress

/// The files that `listen` downloads: beside the events, some at a time, one of each person, and within a budget.
final class ListenedFiles: Sendable {
    struct Job: Sendable {
        var offer: FileOffer
        var sender: JID
        /// The time of the message, the name of the sender and so on, for the line that tells of the file.
        var origin: ListenedOrigin
        var reservation: DownloadBudget.Download
    }

    /// Why a file is not downloaded.
    enum Refusal {
        /// The budget of this hour is used up.
        case overBudget
        /// Too many files wait.
        case tooMany
    }

    /// How many files are downloaded at a time.
    private static let limit = 4
    /// How many files wait at most.
    private static let waitingLimit = 256
    /// How long one download may take, in seconds: the largest file needs 115 KiB a second.
    static let timeLimit = 15 * 60

    private struct State {
        var queue = FairQueue<JID, Job>(limit: limit, groupLimit: 1, waitingLimit: waitingLimit)
        var budget = DownloadBudget()
    }

    private let state = Mutex(State())
    private let starts = AsyncStream.makeStream(of: Job.self)

    /// - Returns: why it is not downloaded; `nil` if it will be.
    func add(_ offer: FileOffer, from sender: JID, _ origin: ListenedOrigin) -> Refusal? {
        let size = offer.metadata.size.map { Int64(clamping: $0) } ?? Int64(FetchedFile.sizeLimit)
        let (start, refusal) = state.withLock { state -> (Job?, Refusal?) in
            guard let reservation = state.budget.begin(sender, bytes: size, now: .now) else {
                return (nil, .overBudget)
            }
            let job = Job(offer: offer, sender: sender, origin: origin, reservation: reservation)
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

    /// Does the jobs until the task is cancelled.
    ///
    /// - Parameter work: downloads one file; returns how many bytes it has, 0 if it failed.
    func run(_ work: @escaping @Sendable (Job) async throws -> Int64) async throws {
        try await withThrowingDiscardingTaskGroup { group in
            for await first in starts.stream {
                group.addTask {
                    // What ends one ends all; this group does not cancel its own body.
                    do {
                        try await self.work(from: first, work)
                    } catch {
                        self.starts.continuation.finish()
                        throw error
                    }
                }
            }
        }
    }

    private func work(from first: Job, _ work: @Sendable (Job) async throws -> Int64) async throws {
        var next: Job? = first
        while let job = next {
            let bytes = try await work(job)
            next = state.withLock { state in
                state.budget.finished(job.reservation, bytes: bytes)
                return state.queue.finished(job.sender.bare)
            }
        }
    }
}

/// What each line of `listen` about a message says of where it comes from.
struct ListenedOrigin: Sendable {
    /// As a line shows it.
    var name: String
    var members: [(String, JSONValue)]
}
