import Foundation
import Glibc

/// A private name server on a loopback port (UDP and TCP): it serves the given records and forwards nothing.
///
/// ```swift
/// let dns = try await PrivateDNS([
///     .service("_xmpp-client._tcp", domain: "xmpp.test", target: "a.xmpp.test", port: server.port, priority: 10),
///     .address("a.xmpp.test", "127.0.0.1"),
/// ])
/// resolver.servers = [dns.server]
/// ```
public final class PrivateDNS: Sendable {
    public enum Record: Sendable, Hashable {
        /// SRV; the target `.` means that the service is explicitly not available (RFC 2782).
        case service(
            _ name: String, domain: String, target: String, port: UInt16, priority: Int = 0, weight: Int = 0)
        /// A or AAAA.
        case address(String, String)
        case text(String, String)

        var option: String {
            switch self {
            case .service(let name, let domain, ".", _, _, _): "--srv-host=\(name).\(domain)"
            case .service(let name, let domain, let target, let port, let priority, let weight):
                "--srv-host=\(name).\(domain),\(target),\(port),\(priority),\(weight)"
            case .address(let name, let address): "--host-record=\(name),\(address)"
            case .text(let name, let text): "--txt-record=\(name),\(text)"
            }
        }
    }

    public let port: UInt16
    /// The address in the format of resolvers: `127.0.0.1:PORT`.
    public var server: String { "127.0.0.1:\(port)" }
    private let daemon: PrivateDaemon
    private let directory: String

    /// Every other name below `test` does not exist.
    public init(_ records: [Record]) async throws(FixtureError) {
        (port, daemon, directory) = try await onOwnThread { () throws(FixtureError) in try Self.start(records) }
    }

    deinit {
        daemon.end()
        LoopbackPort.release([port])
        FixtureDirectory.remove(directory)
    }

    /// Suspends it: queries are not answered until `thaw`.
    public func freeze() { daemon.send(SIGSTOP) }
    public func thaw() { daemon.send(SIGCONT) }
    /// Ends it: the system refuses queries.
    public func stop() { daemon.end() }

    private static func start(_ records: [Record]) throws(FixtureError) -> (UInt16, PrivateDaemon, String) {
        let port = try LoopbackPort.claim()
        let directory = try FixtureDirectory.make("dns")
        let command = Command(
            program: "setpriv",
            arguments: [
                "--pdeathsig", "KILL", "dnsmasq", "--conf-file=/dev/null", "--keep-in-foreground", "--port=\(port)",
                "--listen-address=127.0.0.1", "--bind-interfaces", "--no-resolv", "--no-hosts", "--no-poll",
                "--local=/test/", "--user=", "--group=", "--pid-file=", "--log-facility=-",
            ] + records.map(\.option),
            // Debian installs it in a directory for administrators, which may not be in `PATH`.
            environment: ["PATH": (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin") + ":/usr/sbin"],
            directory: directory, outputFile: "\(directory)/output.log")
        let daemon = try PrivateDaemon(command, name: "dnsmasq") { $0.contains("started, version") }
        return (port, daemon, directory)
    }
}
