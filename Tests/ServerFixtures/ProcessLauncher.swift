import Foundation
import Glibc
import Synchronization

/// Starts every program from one thread that runs as long as the test process.
///
/// Servers are started under `setpriv --pdeathsig KILL`, and the kernel sends that signal when the *thread* that
/// started them ends, not the process. A thread of a pool may end at any time and would end its servers.
final class ProcessLauncher: Sendable {
    static let shared = ProcessLauncher()

    /// A program to start, on whose process id the caller waits.
    private final class Job: Sendable {
        let command: Command
        let result = Mutex<Result<pid_t, FixtureError>?>(nil)
        let done = DispatchSemaphore(value: 0)

        init(_ command: Command) { self.command = command }
    }

    private let jobs = Mutex<[Job]>([])
    private let arrived = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread { [self] in
            while true {
                arrived.wait()
                guard let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { continue }
                job.result.withLock { result in
                    result = Result { () throws(FixtureError) in try job.command.spawn() }
                }
                job.done.signal()
            }
        }
    }

    /// Starts a program and returns its process id; blocks for the few milliseconds that takes.
    func launch(_ command: Command) throws(FixtureError) -> pid_t {
        let job = Job(command)
        jobs.withLock { $0.append(job) }
        arrived.signal()
        job.done.wait()
        guard let result = job.result.withLock({ $0 }) else {
            throw FixtureError(.system, "The launcher gave no answer for \(command.program).")
        }
        return try result.get()
    }
}
