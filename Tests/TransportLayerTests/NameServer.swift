import Foundation
import Glibc
import Testing

@testable import TransportLayer

/// A private dnsmasq on its own port.
struct NameServer: Sendable {
    let port: UInt16
    private let process: TestProcess

    /// - Parameter records: options of dnsmasq, such as `srv-host=_xmpp-client._tcp.a.test,b.a.test,5222,10,50`.
    init(_ records: [String]) async throws {
        var failure: (any Error)?
        // Another process may take the port between its selection and its use.
        for _ in 0..<5 {
            let port = try Self.freePort()
            let process = try await TestProcess(
                [
                    "dnsmasq", "--conf-file=/dev/null", "--keep-in-foreground", "--port=\(port)",
                    "--listen-address=127.0.0.1",
                    "--bind-interfaces", "--no-resolv", "--no-hosts", "--no-poll", "--local=/test/", "--user=",
                    "--group=",
                    "--pid-file=", "--log-facility=-",
                ] + records.map { "--" + $0 })
            do {
                _ = try await process.line(containing: "started, version")
                self.port = port
                self.process = process
                return
            } catch { failure = error }
        }
        throw try #require(failure)
    }

    var configuration: ResolverConfiguration {
        var configuration = ResolverConfiguration()
        configuration.servers = ["127.0.0.1:\(port)"]
        configuration.usesHostsFile = false
        return configuration
    }

    func stop() { process.stop() }

    /// A UDP port that is also free for TCP.
    static func freePort() throws -> UInt16 {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        _ = try Loopback.address().withSockaddr { bind(descriptor, $0, $1) }
        return try #require(SocketAddress(of: descriptor, getsockname)).port
    }
}
