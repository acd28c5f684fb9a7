import Foundation

/// A session bus for this process only, with empty home folders.
///
/// With a keyring the bus starts gnome-keyring, whose keyring has an empty password, on the first request, as a desktop
/// does; without one it starts nothing.
final class PrivateSession {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    let data: String
    private let folder: TemporaryFolder
    private let bus: SpawnedProcess
    private let busDaemon: pid_t

    init(withKeyring: Bool) throws {
        folder = try TemporaryFolder()
        data = folder.path + "/data"
        for name in ["data", "run", "config", "cache", "services"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: false,
                attributes: [.posixPermissions: 0o700])
        }
        try folder.write(
            """
            <!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
             "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
            <busconfig>
              <type>session</type>
              <listen>unix:dir=\(folder.path)/run</listen>
              <servicedir>\(folder.path)/services</servicedir>
              <policy context="default">
                <allow send_destination="*" eavesdrop="true"/>
                <allow eavesdrop="true"/>
                <allow own="*"/>
              </policy>
            </busconfig>
            """, to: "bus.conf")
        if withKeyring {
            try folder.write(
                """
                [D-BUS Service]
                Name=org.freedesktop.secrets
                Exec=/bin/sh -c "echo | exec gnome-keyring-daemon --foreground --unlock --components=secrets"
                """, to: "services/org.freedesktop.secrets.service")
        }
        setenv("HOME", folder.path, 1)
        setenv("XDG_DATA_HOME", data, 1)
        setenv("XDG_RUNTIME_DIR", folder.path + "/run", 1)
        setenv("XDG_CONFIG_HOME", folder.path + "/config", 1)
        setenv("XDG_CACHE_HOME", folder.path + "/cache", 1)
        for name in ["DISPLAY", "WAYLAND_DISPLAY", "GNOME_KEYRING_CONTROL", "SECRET_BACKEND"] { unsetenv(name) }

        // `timeout` ends the bus if this process dies first.
        bus = try SpawnedProcess(
            "/usr/bin/timeout", "--signal=KILL", "120", "/usr/bin/dbus-daemon", "--config-file=\(folder.path)/bus.conf",
            "--nofork", "--nopidfile", "--print-address=1", "--print-pid=1")
        guard let address = bus.readLine(), let pid = bus.readLine().flatMap({ pid_t($0) }) else {
            throw Failure(description: "dbus-daemon gave no address.")
        }
        busDaemon = pid
        setenv("DBUS_SESSION_BUS_ADDRESS", address, 1)
    }

    /// Stops the bus while its socket remains open.
    func freezeBus() { kill(busDaemon, SIGSTOP) }

    /// Ends the bus and everything that runs on it.
    func end() {
        kill(busDaemon, SIGKILL)
        bus.wait()
    }
}

/// A child process. Foundation's `Process` waits until every descendant has closed the inherited files, which the
/// daemon of a keyring never does.
final class SpawnedProcess {
    private let pid: pid_t
    private let output: FileHandle

    init(_ arguments: String...) throws {
        let output = Pipe()
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output.fileHandleForWriting.fileDescriptor, 1)
        posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
        posix_spawn_file_actions_addclose(&actions, output.fileHandleForReading.fileDescriptor)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))

        let words = arguments.map { strdup($0) }
        defer { words.forEach { free($0) } }
        var pid: pid_t = 0
        let error = posix_spawn(&pid, arguments[0], &actions, &attributes, words + [nil], environ)
        guard error == 0 else {
            throw PrivateSession.Failure(description: "\(arguments[0]): \(String(cString: strerror(error)))")
        }
        try output.fileHandleForWriting.close()
        self.pid = pid
        self.output = output.fileHandleForReading
    }

    /// The next line of the output, or `nil` at its end.
    func readLine() -> String? {
        var line: [UInt8] = []
        while let byte = try? output.read(upToCount: 1)?.first {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }

    /// Waits for the process itself; 0 means success.
    @discardableResult
    func wait() -> Int32 {
        var status: Int32 = 0
        while waitpid(pid, &status, 0) < 0, errno == EINTR {}
        return status
    }
}

/// A socket that accepts connections and never answers.
final class SilentListener {
    private let number: Int32

    init(path: String) throws {
        number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0, listen(number, 8) == 0 else {
            throw PrivateSession.Failure(description: "The socket \(path) cannot be made.")
        }
    }

    func close() { Foundation.close(number) }
}
