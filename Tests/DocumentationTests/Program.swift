import Dispatch
import Foundation
import Glibc
import Synchronization

/// A script or an example, run by a test in the project's folder. It ends after two and a half minutes at the latest.
final class Program: Sendable {
    /// The timeout in seconds: no program here needs more, even under heavy load.
    private static let longestRun = "150"
    private static let pause = Duration.milliseconds(20)
    /// An exit status of 255.
    private static let unknownStatus: Int32 = 0xFF00

    private let identifier: pid_t
    private let file: URL
    private let status = Mutex<Int32?>(nil)

    /// - Parameters:
    ///   - path: below the project's folder, or absolute.
    ///   - input: the file or pipe that it reads as its standard input.
    init(
        _ path: String, _ arguments: [String] = [], environment: [String: String] = [:], input: String = "/dev/null"
    ) throws {
        file = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID().uuidString).log")
        let output = file.path(percentEncoded: false)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_EXCL | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigfillset(&signals)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))

        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let folder = ProjectFile.root.path(percentEncoded: false)
        let words = ["timeout", "--kill-after=5", Self.longestRun, "env", "--chdir=\(folder)", path] + arguments
        var argv = words.map { strdup($0) } + [nil]
        var envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in argv + envp { free(text) } }
        var started: pid_t = 0
        let failure = posix_spawnp(&started, "timeout", &actions, &attributes, &argv, &envp)
        guard failure == 0 else { throw POSIXError(POSIXErrorCode(rawValue: failure) ?? .EIO) }
        identifier = started
    }

    /// The output so far, of both streams.
    var output: String { (try? String(contentsOf: file, encoding: .utf8)) ?? "" }

    /// Waits until it has written `text`; `false` if it has ended before.
    func writes(_ text: String) async throws -> Bool {
        while !output.contains(text) {
            guard isRunning else { return output.contains(text) }
            try await Task.sleep(for: Self.pause)
        }
        return true
    }

    /// Waits for its end and returns the exit status, or 128 plus the number of the signal that ended it.
    func end() async -> Int32 {
        while isRunning { try? await Task.sleep(for: Self.pause) }
        let status = status.withLock { $0 } ?? 0
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    /// Interrupts it like Ctrl-C.
    func interrupt() { status.withLock { if $0 == nil { kill(identifier, SIGINT) } } }

    /// Kills the program itself, whose process has the timeout's as its parent; nothing of it runs after this.
    func killAtOnce() async {
        let children = "/proc/\(identifier)/task/\(identifier)/children"
        let child = try? String(contentsOfFile: children, encoding: .utf8).split(separator: " ").first.flatMap {
            pid_t($0)
        }
        if let child { kill(child, SIGKILL) }
        _ = await end()
    }

    private var isRunning: Bool {
        status.withLock { status in
            if status != nil { return false }
            var result: Int32 = 0
            switch waitpid(identifier, &result, WNOHANG) {
            case identifier: status = result
            // Who waits for any process got its status.
            case -1 where errno == ECHILD: status = Self.unknownStatus
            default: return true
            }
            return false
        }
    }

    deinit {
        if isRunning {
            // The timeout has a process group of its own, and the program is in it.
            kill(-identifier, SIGKILL)
            kill(identifier, SIGKILL)
            // A process that nobody reaps would be found again and again by those who wait for any process, as exit tests do.
            waitpid(identifier, nil, 0)
        }
        try? FileManager.default.removeItem(at: file)
    }
}
