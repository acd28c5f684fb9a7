/// Schedules jobs with a limit in total and per group, so that one slow server or contact does not delay the others.
package struct FairQueue<Group: Hashable & Sendable, Job: Sendable>: Sendable {
    package enum Admission {
        /// Start now.
        case start(Job)
        /// Wait for ``finished(_:)``.
        case waiting
        /// Too many jobs are waiting.
        case refused
    }

    private let limit: Int
    private let groupLimit: Int
    private let waitingLimit: Int
    private var running: [Group: Int] = [:]
    private var runningCount = 0
    private var waiting: [(group: Group, job: Job)] = []

    /// - Parameters:
    ///   - limit: the number of parallel jobs.
    ///   - groupLimit: the number of parallel jobs per group.
    ///   - waitingLimit: the maximum number of waiting jobs.
    package init(limit: Int, groupLimit: Int, waitingLimit: Int) {
        self.limit = limit
        self.groupLimit = groupLimit
        self.waitingLimit = waitingLimit
    }

    package var waitingCount: Int { waiting.count }

    package mutating func add(_ job: Job, of group: Group) -> Admission {
        if runningCount < limit, running[group, default: 0] < groupLimit {
            begin(group)
            return .start(job)
        }
        guard waiting.count < waitingLimit else { return .refused }
        waiting.append((group, job))
        return .waiting
    }

    /// - Returns: the job to start next.
    package mutating func finished(_ group: Group) -> Job? {
        runningCount -= 1
        let left = running[group, default: 1] - 1
        running[group] = left > 0 ? left : nil
        guard let index = waiting.firstIndex(where: { running[$0.group, default: 0] < groupLimit }) else { return nil }
        let next = waiting.remove(at: index)
        begin(next.group)
        return next.job
    }

    private mutating func begin(_ group: Group) {
        runningCount += 1
        running[group, default: 0] += 1
    }
}
