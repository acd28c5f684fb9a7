import Foundation
import Glibc
import Synchronization

/// A temporary directory of one test process; removed when the process ends, or by the next test process if this one
/// was killed.
enum FixtureDirectory {
    private static let prefix = "hongyan-fixtures."
    /// Open and locked while the process runs; a directory that is not locked is abandoned.
    private static let lockName = "lock"

    private static let root: Result<String, FixtureError> = Result { () throws(FixtureError) in try makeRoot() }
    private static let count = Atomic<Int>(0)

    /// Creates an empty directory; it belongs to `owner` (a user name) if the test process is root.
    static func make(_ name: String, owner: String? = nil) throws(FixtureError) -> String {
        let number = count.add(1, ordering: .relaxed).newValue
        let path = "\(try root.get())/\(number)-\(name)"
        guard mkdir(path, 0o755) == 0 else { throw .system("Cannot make \(path)", errno: errno) }
        if let owner { try give(path, to: owner) }
        return path
    }

    /// Writes a file that the servers can read.
    static func write(_ text: String, to path: String, owner: String? = nil) throws(FixtureError) {
        guard
            FileManager.default.createFile(
                atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o644])
        else { throw FixtureError(.system, "Cannot write \(path).") }
        if let owner { try give(path, to: owner) }
    }

    static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }

    private static func give(_ path: String, to user: String) throws(FixtureError) {
        guard geteuid() == 0 else { return }
        // Not getpwnam: its result is shared by all threads, and servers of different users are started at the same
        // time.
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var strings = [CChar](repeating: 0, count: 4096)
        guard getpwnam_r(user, &entry, &strings, strings.count, &found) == 0, found != nil else {
            throw FixtureError(
                .missingProgram, "There is no user \(user); `Scripts/packages test` installs the server.")
        }
        guard chown(path, entry.pw_uid, entry.pw_gid) == 0 else {
            throw .system("Cannot give \(path) to \(user)", errno: errno)
        }
    }

    private static func makeRoot() throws(FixtureError) -> String {
        // A server started by root runs as its own user and must have access; only /tmp surely allows that.
        let base = geteuid() == 0 ? "/tmp" : ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
        removeAbandoned(in: base)
        // Under a hidden name until it is locked: an unlocked directory would be removed by another process as abandoned.
        var template = Array("\(base)/.\(prefix)XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let made else { throw .system("Cannot make a directory in \(base)", errno: errno) }
        chmod(made, 0o755)
        let lock = open("\(made)/\(lockName)", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0, flock(lock, LOCK_EX | LOCK_NB) == 0 else {
            throw .system("Cannot lock \(made)", errno: errno)
        }
        let path = "\(base)/\((made as NSString).lastPathComponent.dropFirst())"
        guard rename(made, path) == 0 else { throw .system("Cannot rename \(made)", errno: errno) }
        atexit { FixtureDirectory.removeRootAtExit() }
        return path
    }

    /// The kernel kills the servers a moment later; files that they still write are removed by the next test process.
    private static func removeRootAtExit() {
        RunningServers.killAll()
        if case .success(let path) = root { remove(path) }
    }

    private static func removeAbandoned(in base: String) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
        for name in names where name.hasPrefix(prefix) {
            let path = "\(base)/\(name)"
            let lock = open("\(path)/\(lockName)", O_RDWR | O_CLOEXEC | O_NOFOLLOW)
            guard lock >= 0 else { continue }
            if flock(lock, LOCK_EX | LOCK_NB) == 0 { remove(path) }
            close(lock)
        }
    }
}
