import Foundation
import Glibc

/// A program with its arguments, environment and directory, as passed to `posix_spawn`.
struct Command: Sendable {
    /// The exit status of `env` and `setpriv` if there is no such program.
    static let notFoundStatus: Int32 = 127

    var program: String
    var arguments: [String]
    /// Added to the environment of the test process.
    var environment: [String: String] = [:]
    var directory: String
    /// The file to which standard output and error are appended.
    var outputFile: String

    /// The output of the program so far.
    var output: String { (try? String(contentsOfFile: outputFile, encoding: .utf8)) ?? "" }

    /// The same command run as another user (if the test process is root) and ended by a signal of the kernel when the
    /// test process ends.
    func confined(to user: String, endedBy signal: String = "KILL") -> Command {
        var confined = self
        confined.program = "setpriv"
        confined.arguments = ["--pdeathsig", signal]
        if geteuid() == 0 {
            confined.arguments += ["--reuid=\(user)", "--regid=\(user)", "--init-groups"]
        }
        confined.arguments += [program] + arguments
        return confined
    }

    /// Starts the program in a new process group, with empty standard input and no other open file.
    func spawn() throws(FixtureError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, outputFile, O_WRONLY | O_CREAT | O_APPEND, 0o644)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        // A socket of a test that a server inherited would stay open after the test closed it.
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            if let descriptor = Int32(name), descriptor > 2 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        }

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // A test runner may ignore or block signals; a server must not inherit that.
        var allSignals = sigset_t()
        sigfillset(&allSignals)
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigdefault(&attributes, &allSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP))

        let variables = ProcessInfo.processInfo.environment.merging(environment) { _, added in added }
        var argv = (["env", "--chdir=\(directory)", program] + arguments).map { strdup($0) } + [nil]
        var envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for pointer in argv + envp { free(pointer) } }

        var child: pid_t = 0
        let status = posix_spawnp(&child, "env", &actions, &attributes, &argv, &envp)
        guard status == 0 else { throw .system("Cannot start \(program)", errno: status) }
        return child
    }

    /// Runs the command to its end and returns its output; an exit status other than 0 is an error that contains the
    /// output.
    @discardableResult
    func run() throws(FixtureError) -> String {
        let process = try ServerProcess(self)
        let status = process.waitForExit()
        let output = output
        guard status == 0 else {
            guard status != Self.notFoundStatus else { throw .missing(program) }
            throw FixtureError(.commandFailed, "\(program) ended with status \(status): \(output.suffix(2000))")
        }
        return output
    }
}
