import Dispatch
import Foundation
import Glibc
import ServerFixtures
import Synchronization

/// A built program, run as a process with its own home folders.
package final class Program: Sendable {
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    /// The result of a program that has ended.
    package struct Result: Sendable {
        package var status: Int32
        package var output: String
        package var errors: String

        /// The JSON objects of the output.
        package var objects: [[String: Any]] { Program.objects(output) }
    }

    package let process: Int32
    /// POSIX_SPAWN_SETSID, which the module of the C library does not contain.
    private static let newSession: Int16 = 0x80
    private let folder: String
    /// The controlling end of the terminal, if the program runs in one.
    private let terminal: FileHandle?
    private let written = Mutex("")
    private let ended = Mutex<Int32?>(nil)
    /// The backtrace of a program that was killed because it hung.
    private let backtrace = Mutex("")
    /// How long a program may take to end, in seconds; none of a test needs as much. Without a limit the test would hang as the program
    /// does, until the whole run is killed.
    package static let lifeLimit = 600
    /// Reads the output of the terminal.
    private let reading = DispatchGroup()

    /// Starts `name`, a program of this package or one by its path; with a size in a new terminal, otherwise with `input` as standard input.
    package init(
        _ name: String, _ arguments: [String], home: ProgramHome, environment: [String: String] = [:],
        input: String? = nil,
        size: (columns: UInt16, rows: UInt16)? = nil
    ) throws {
        folder = home.path + "/run-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let size {
            var master: Int32 = -1
            var slave: Int32 = -1
            var name = [CChar](repeating: 0, count: 128)
            var window = winsize(ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0)
            guard openpty(&master, &slave, &name, nil, &window) == 0 else {
                throw Failure(description: "openpty failed")
            }
            _ = fcntl(master, F_SETFD, FD_CLOEXEC)
            // The first terminal that a session leader opens becomes its controlling terminal.
            for descriptor: Int32 in 0...2 {
                posix_spawn_file_actions_addopen(&actions, descriptor, name, O_RDWR, 0)
            }
            close(slave)
            terminal = FileHandle(fileDescriptor: master, closeOnDealloc: true)
        } else {
            terminal = nil
            try (input ?? "").write(toFile: folder + "/input", atomically: true, encoding: .utf8)
            posix_spawn_file_actions_addopen(&actions, 0, folder + "/input", O_RDONLY, 0)
            posix_spawn_file_actions_addopen(&actions, 1, folder + "/output", O_WRONLY | O_CREAT, 0o600)
            posix_spawn_file_actions_addopen(&actions, 2, folder + "/errors", O_WRONLY | O_CREAT, 0o600)
        }
        for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
            if let descriptor = Int32(name), descriptor > 2 { posix_spawn_file_actions_addclose(&actions, descriptor) }
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigfillset(&signals)
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK) | Self.newSession)

        let path = name.hasPrefix("/") ? name : Self.folder + "/" + name
        let variables = ProcessInfo.processInfo.environment.merging(home.environment) { $1 }.merging(environment) { $1 }
        // The kernel ends the program when the test process is killed.
        let words = (["setpriv", "--pdeathsig", "KILL", path] + arguments).map { strdup($0) } + [nil]
        let settings = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in words + settings { free(text) } }
        // Only read, and by one thread while this one waits.
        nonisolated(unsafe) let given = (actions, attributes, words, settings)
        let (started, status) = SpawningThread.run {
            var (actions, attributes, words, settings) = given
            var started: pid_t = 0
            let status = posix_spawnp(&started, "setpriv", &actions, &attributes, &words, &settings)
            return (started, status)
        }
        guard status == 0 else { throw Failure(description: "\(path): \(String(cString: strerror(status)))") }
        process = started
        if terminal != nil { readTerminal() }
    }

    deinit {
        if ended.withLock({ $0 == nil }) {
            kill(process, SIGKILL)
            waitpid(process, nil, 0)
        }
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The folder of the built programs: that of `HONGYAN_TEST_PROGRAMS`, such as a package, or beside the tests.
    package static let folder: String = {
        if let chosen = ProcessInfo.processInfo.environment["HONGYAN_TEST_PROGRAMS"] { return chosen }
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        var folder = (program as NSString).deletingLastPathComponent
        while !FileManager.default.isExecutableFile(atPath: folder + "/hongyan"), folder.count > 1 {
            folder = (folder as NSString).deletingLastPathComponent
        }
        if folder.count > 1 { return folder }
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return root.deletingLastPathComponent().path + "/.build/debug"
    }()

    /// The path of an example that is a script.
    package static func example(_ name: String) -> String {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        return root.deletingLastPathComponent().path + "/Examples/" + name
    }

    /// Waits for the end. A program that does not end in time is killed; then its errors contain its backtrace.
    package func result(within seconds: Int = lifeLimit) async -> Result {
        let status = await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: self.collect(within: seconds)) }
        }
        return Result(status: status, output: text("output"), errors: text("errors") + backtrace.withLock(\.self))
    }

    private func collect(within seconds: Int) -> Int32 {
        // The last output may still be in transit when the program has ended.
        defer { _ = reading.wait(timeout: .now() + .seconds(60)) }
        return ended.withLock { ended in
            if let ended { return ended }
            let watch = DispatchWorkItem { [self] in
                let threads = Self.threads(of: process)
                backtrace.withLock { $0 = "\nIt did not end within \(seconds) seconds.\n\(threads)" }
                kill(process, SIGKILL)
            }
            DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds), execute: watch)
            defer { watch.cancel() }
            var status: Int32 = 0
            while waitpid(process, &status, 0) < 0, errno == EINTR {}
            let code = status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + status & 0x7F
            ended = code
            return code
        }
    }

    /// What the threads of a process wait for, and the calls in which they are if there is a debugger.
    private static func threads(of process: Int32) -> String {
        let command = """
            cd /proc/\(process)/task; for thread in *; do echo "$thread $(cat $thread/comm $thread/wchan | tr '\\n' ' ')"; done
            timeout 60 gdb -p \(process) -batch -ex 'thread apply all backtrace 30' 2>&1
            """
        guard let output = popen(command, "re") else { return "" }
        defer { pclose(output) }
        var text = ""
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, Int32(line.count), output) != nil {
            text += String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
        return text
    }

    private func text(_ name: String) -> String {
        (try? String(contentsOfFile: folder + "/" + name, encoding: .utf8)) ?? ""
    }

    /// The standard output so far.
    package var output: String { text("output") }
    package var errors: String { text("errors") }

    package func signal(_ number: Int32) { kill(process, number) }

    /// Whether the process has ended, whose ``result()`` is there then.
    package var hasEnded: Bool {
        var information = siginfo_t()
        let status = waitid(P_PID, id_t(process), &information, WEXITED | WNOHANG | WNOWAIT)
        return status != 0 || information.si_signo == SIGCHLD
    }

    /// How long a test waits for what a program does, in seconds: a slow machine runs other programs beside it.
    package static let timeout = 180

    /// Waits until the output fulfils a condition.
    package func waitForOutput(_ description: String, seconds: Int = timeout, _ isThere: @Sendable (String) -> Bool)
        async throws
    {
        try await poll(description, seconds: seconds) { isThere(terminal == nil ? output : screenText) }
    }

    // MARK: In a terminal

    /// Everything that the program has written to its terminal, including escape sequences.
    package var screenText: String { written.withLock { $0 } }

    package func type(_ text: String) {
        try? terminal?.write(contentsOf: Data(text.utf8))
    }

    private func readTerminal() {
        guard let descriptor = terminal?.fileDescriptor else { return }
        // This object keeps the handle open; the thread references it only for each read.
        let copy = dup(descriptor)
        reading.enter()
        Thread.detachNewThread { [weak self, reading] in
            defer { reading.leave() }
            var buffer = [UInt8](repeating: 0, count: 4096)
            var rest: [UInt8] = []
            while true {
                let count = read(copy, &buffer, buffer.count)
                guard count > 0, let self else { break }
                rest += buffer.prefix(count)
                // A character may arrive in two pieces.
                var end = rest.count
                while end > 0, rest.count - end < 4, String(validating: rest[..<end], as: UTF8.self) == nil { end -= 1 }
                let text = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeFirst(end)
                self.written.withLock { $0 += text }
            }
            close(copy)
        }
    }

    /// Polls, because nothing reports when another process has written.
    package func poll(_ description: String, seconds: Int = timeout, _ isThere: () -> Bool) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while !isThere() {
            guard ContinuousClock.now < end else {
                throw Failure(description: "not in time: \(description)\n\(output)\(screenText)\n\(errors)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    package static func objects(_ text: String) -> [[String: Any]] {
        text.split(separator: "\n").compactMap {
            (try? JSONSerialization.jsonObject(with: Data($0.utf8))) as? [String: Any]
        }
    }
}

/// The home folders of a user; removed with this object.
package final class ProgramHome: Sendable {
    package let path: String

    package init() throws {
        path = NSTemporaryDirectory() + "/hongyan-home-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    package var environment: [String: String] {
        [
            "HOME": path, "XDG_CONFIG_HOME": path + "/config", "XDG_DATA_HOME": path + "/data",
            "XDG_STATE_HOME": path + "/state", "LC_ALL": "C.UTF-8", "LANGUAGE": "", "TERM": "xterm-256color",
            "TZ": "UTC",
            "DBUS_SESSION_BUS_ADDRESS": "disabled:", "PULSE_SERVER": "unix:/nowhere",
        ]
    }

    package func write(_ name: String, _ content: [UInt8]) throws -> String {
        let file = path + "/" + name
        // Another program may read the file that this replaces.
        try Data(content).write(to: URL(fileURLWithPath: file), options: .atomic)
        return file
    }

    package func write(_ name: String, _ content: String) throws -> String {
        try write(name, Array(content.utf8))
    }
}
