import Dispatch
import Foundation
import Glibc
import Synchronization

/// A program started by a test.
///
/// Foundation's Process mistakes a child that closes its inherited descriptors, as sound servers do, for an ended one
/// and then waits forever; so this type uses the system calls.
final class ChildProcess: Sendable {
    let identifier: pid_t
    /// The exit status once the process was reaped.
    private let status = Mutex<Int32?>(nil)

    /// Standard output goes to the file `output`, standard error to the file `errors`.
    init(_ arguments: [String], environment: [String: String] = [:], output: String, errors: String) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_addopen(&actions, 2, errors, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        var words: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
        var settings: [UnsafeMutablePointer<CChar>?] = variables.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + settings { free(text) } }
        var started: pid_t = 0
        let failure = posix_spawnp(&started, arguments[0], &actions, nil, &words, &settings)
        guard failure == 0 else {
            throw ProgramFailure(description: "\(arguments[0]): \(String(cString: strerror(failure)))")
        }
        identifier = started
    }

    var isRunning: Bool {
        status.withLock { status in
            if status != nil { return false }
            var result: Int32 = 0
            guard waitpid(identifier, &result, WNOHANG) == identifier else { return true }
            status = result
            return false
        }
    }

    /// Waits for the end on a separate thread.
    func waitForEnd() async -> Int32 {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.collect()) }
        }
    }

    /// Ends the program and reaps it.
    func terminate() {
        guard isRunning else { return }
        kill(identifier, SIGKILL)
        _ = collect()
    }

    private func collect() -> Int32 {
        status.withLock { status in
            if let status { return status }
            var result: Int32 = 0
            while waitpid(identifier, &result, 0) < 0, errno == EINTR {}
            status = result
            return result
        }
    }
}

struct ProgramFailure: Error, CustomStringConvertible {
    let description: String
}

/// Runs a program to its end and returns its output; throws with its error output if it fails.
@discardableResult
func run(_ arguments: [String], environment: [String: String] = [:]) async throws -> [UInt8] {
    let folder = try TemporaryFolder()
    let child = try ChildProcess(
        arguments, environment: environment, output: folder.path + "/output", errors: folder.path + "/errors")
    guard await child.waitForEnd() == 0 else {
        let words = (try? String(contentsOfFile: folder.path + "/errors", encoding: .utf8)) ?? ""
        throw ProgramFailure(description: "\(arguments[0]): \(words)")
    }
    return Array(try Data(contentsOf: URL(filePath: folder.path + "/output")))
}
