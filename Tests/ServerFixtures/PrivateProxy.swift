import Foundation

/// A proxy on loopback for tests: SOCKS 5 and the method CONNECT of HTTP on one port. It notes what it was asked to connect to,
/// and takes every name for one of this machine.
public final class PrivateProxy: Sendable {
    public let port: UInt16
    private let daemon: PrivateDaemon
    private let folder: String

    /// Blocks until it is running.
    ///
    /// - Parameters:
    ///   - credentials: `user:password`, without which it lets nobody through.
    ///   - refusedPort: it does not connect to this one.
    public init(credentials: String? = nil, refusedPort: UInt16? = nil) throws(FixtureError) {
        folder = try FixtureDirectory.make("proxy")
        let words = [
            "python3", "-u", (#filePath as NSString).deletingLastPathComponent + "/proxy.py", credentials ?? "",
            refusedPort.map(String.init) ?? "",
        ]
        let command = Command(
            program: "setpriv", arguments: ["--pdeathsig", "KILL"] + words, directory: folder,
            outputFile: "\(folder)/output")
        var number: UInt16?
        daemon = try PrivateDaemon(command, name: "proxy") { output in
            number = output.split(separator: "\n").first { $0.hasPrefix("port ") }.flatMap { UInt16($0.dropFirst(5)) }
            return number != nil
        }
        port = number ?? 0
    }

    deinit {
        daemon.end()
        FixtureDirectory.remove(folder)
    }

    /// What was asked for so far: `socks5 xmpp.test:5222`, `http 127.0.0.1:5280`.
    public var targets: [String] {
        let text = (try? String(contentsOfFile: "\(folder)/output", encoding: .utf8)) ?? ""
        return text.split(separator: "\n").filter { $0.hasPrefix("to ") }.map { String($0.dropFirst(3)) }
    }
}
