internal import ChatStore
internal import Foundation
internal import Glibc
internal import Localization
internal import TerminalApp

/// What a program does that the service manager of the system has started (systemd): it reports when it is ready, that it
/// is alive and that it ends, and reads credentials from where the manager has put them.
///
/// Without a service manager nothing of this happens.
struct SystemService: Sendable {
    /// The environment variables of the manager.
    private let environment: [String: String]

    init(_ environment: [String: String] = ProcessInfo.processInfo.environment) { self.environment = environment }

    /// Whether the manager wants to be notified.
    var isManaged: Bool { environment["NOTIFY_SOCKET"]?.isEmpty == false }

    // MARK: Notifications (sd_notify(3))

    func ready(_ status: String) { notify("READY=1\nSTATUS=\(Self.oneLine(status))") }
    func status(_ status: String) { notify("STATUS=\(Self.oneLine(status))") }
    func stopping() { notify("STOPPING=1") }

    private static func oneLine(_ text: String) -> String { TerminalText.harmless(text) }

    /// Sends one datagram; a manager that is not there is no problem of the program.
    private func notify(_ text: String) {
        guard let path = environment["NOTIFY_SOCKET"], path.hasPrefix("/") || path.hasPrefix("@") else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let capacity = MemoryLayout.size(ofValue: address.sun_path)
        guard path.utf8.count < capacity else { return }
        withUnsafeMutableBytes(of: &address.sun_path) { bytes in
            bytes.copyBytes(from: path.utf8)
            // The name of a socket without a file begins with a zero byte (unix(7)).
            if path.hasPrefix("@") { bytes[0] = 0 }
        }
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size - capacity + path.utf8.count)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                _ = Array(text.utf8).withUnsafeBytes {
                    sendto(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL), address, size)
                }
            }
        }
    }

    /// How often the manager expects a notification; `nil` if it does not watch this process (`WatchdogSec=`).
    var watchdogInterval: Duration? {
        guard isManaged, let microseconds = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), microseconds > 0 else {
            return nil
        }
        if let process = environment["WATCHDOG_PID"], process != String(getpid()) { return nil }
        return .microseconds(microseconds)
    }

    /// Reports regularly that the program works, until the task is cancelled.
    ///
    /// - Parameter store: is read each time: everything waits for it. If it does not answer, the manager restarts the
    ///   program.
    func watch(_ store: any LocalStore) async {
        // Twice as often as needed, as recommended in sd_watchdog_enabled(3).
        let pause = watchdogInterval.map { $0 / 2 } ?? .seconds(3600)
        while (try? await Task.sleep(for: pause)) != nil {
            guard watchdogInterval != nil else { continue }
            let accounts = try? await store.read { store throws(StoreError) in try store.accounts() }
            if accounts != nil { notify("WATCHDOG=1") }
        }
    }

    // MARK: Credentials

    /// The name of the credential with the password of an account: `hongyan.password.juliet@example.org`, or
    /// `hongyan.password` for any.
    private static let passwordName = "hongyan.password"

    /// The file with the password of an account (`LoadCredential=`); `nil` if there is none.
    func passwordFile(of account: String) -> String? {
        guard let folder = environment["CREDENTIALS_DIRECTORY"], folder.hasPrefix("/") else { return nil }
        // A local part may contain characters that a file system forbids.
        let names = account.contains("/") ? [] : [Self.passwordName + "." + account]
        return (names + [Self.passwordName]).map { folder + "/" + $0 }.first { access($0, R_OK) == 0 }
    }
}
