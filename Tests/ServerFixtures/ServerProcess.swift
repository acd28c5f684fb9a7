import Foundation
import Glibc
import Synchronization

/// A started program: its process id, whether it is running, and signals to it.
final class ServerProcess: Sendable {
    let id: pid_t
    /// The exit status, 128 + signal for a killed process; nil while it runs.
    private let exit = Mutex<Int32?>(nil)
    private let ended = DispatchSemaphore(value: 0)
    /// The signal of `end`.
    private let endSignal: Int32

    init(_ command: Command, endSignal: Int32 = SIGKILL) throws(FixtureError) {
        self.endSignal = endSignal
        id = try ProcessLauncher.shared.launch(command)
        Thread.detachNewThread { [self] in reap() }
    }

    /// Waits for the end without reaping the process, then reaps it under the lock: so `send` can never reach another
    /// process with the same id.
    private func reap() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) != 0, errno == EINTR {}
        exit.withLock { exit in
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            let signal = status & 0x7f
            exit = signal == 0 ? (status >> 8) & 0xff : 128 + signal
        }
        ended.signal()
    }

    var exitStatus: Int32? { exit.withLock { $0 } }
    var isRunning: Bool { exitStatus == nil }

    /// Sends a signal to the process group; does nothing after its end.
    func send(_ signal: Int32) {
        exit.withLock { exit in
            guard exit == nil else { return }
            Glibc.kill(-id, signal)
            Glibc.kill(id, signal)
        }
        if signal == SIGSTOP { waitUntilStopped() }
    }

    /// The signal stops the threads one by one; until then some still answer.
    private func waitUntilStopped() {
        for _ in 0..<5000 {
            let threads = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(id)/task")) ?? []
            let areStopped = threads.allSatisfy { thread in
                let status = try? String(contentsOfFile: "/proc/\(id)/task/\(thread)/stat", encoding: .utf8)
                return status.map { $0.split(separator: ")").last?.hasPrefix(" T") == true } ?? true
            }
            if areStopped { return }
            usleep(1000)
        }
    }

    /// Blocks until the process has ended.
    @discardableResult
    func waitForExit() -> Int32 {
        ended.wait()
        ended.signal()  // for the next caller
        return exitStatus ?? -1
    }

    /// Ends the process with its signal, and kills it after a timeout.
    func terminate(timeout: Duration, asking signal: Int32 = SIGTERM) {
        send(signal)
        if ended.wait(timeout: .now() + .milliseconds(Int(timeout / .milliseconds(1)))) == .timedOut {
            send(SIGKILL)
            ended.wait()
        }
        ended.signal()
    }

    /// Kills the process.
    func end() { terminate(timeout: .seconds(5), asking: endSignal) }

    /// Ends the process immediately, like a crash or a loss of power.
    func kill() {
        send(SIGKILL)
        waitForExit()
    }
}
