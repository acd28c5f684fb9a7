import Foundation
import Glibc
import Synchronization

/// A started program: its process id, whether it still runs, and the signals it can be sent.
final class ServerProcess: Sendable {
    let id: pid_t
    /// The exit status, 128 + signal for a killed process; nil while it runs.
    private let exit = Mutex<Int32?>(nil)
    private let ended = DispatchSemaphore(value: 0)
    /// What `end` sends.
    private let endSignal: Int32

    init(_ command: Command, endSignal: Int32 = SIGKILL) throws(FixtureError) {
        self.endSignal = endSignal
        id = try ProcessLauncher.shared.launch(command)
        Thread.detachNewThread { [self] in reap() }
    }

    /// Waits for the end first without taking the process id away, then takes it under the lock: so `send` can never hit
    /// another process that was given the same id.
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

    /// Sends a signal to the process and to what it started; nothing happens when it has ended.
    func send(_ signal: Int32) {
        exit.withLock { exit in
            guard exit == nil else { return }
            Glibc.kill(-id, signal)
            Glibc.kill(id, signal)
        }
        if signal == SIGSTOP { waitUntilStopped() }
    }

    /// The signal stops one thread after the other; until then some still answer.
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
        ended.signal()  // for the next one who asks
        return exitStatus ?? -1
    }

    /// Asks politely, and kills after `patience`.
    func terminate(patience: Duration, asking signal: Int32 = SIGTERM) {
        send(signal)
        if ended.wait(timeout: .now() + .milliseconds(Int(patience / .milliseconds(1)))) == .timedOut {
            send(SIGKILL)
            ended.wait()
        }
        ended.signal()
    }

    /// Ends the process in its own way, without telling anybody.
    func end() { terminate(patience: .seconds(5), asking: endSignal) }

    /// Ends the process at once, as a crash or a power cut would.
    func kill() {
        send(SIGKILL)
        waitForExit()
    }
}
