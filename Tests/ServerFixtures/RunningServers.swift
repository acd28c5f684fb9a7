import Glibc
import Synchronization

/// Every server process of this test process, so that they are ended before their directory is removed.
enum RunningServers {
    private static let all = Mutex<[pid_t: ServerProcess]>([:])

    static func add(_ process: ServerProcess) {
        all.withLock { $0[process.id] = process }
    }

    static func remove(_ process: ServerProcess) {
        _ = all.withLock { $0.removeValue(forKey: process.id) }
    }

    static func killAll() {
        let running = all.withLock { $0 }
        for process in running.values { process.end() }
    }
}
