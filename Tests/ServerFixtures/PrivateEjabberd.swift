import Foundation
import Glibc

/// An ejabberd of its own for one test, or shared by many: the second opinion on everything a client does.
///
/// A start takes one to three seconds: take `shared` unless the test ends the server or needs other options.
/// The Erlang node has no name and no distribution, so neither a port mapper nor a cookie is involved.
public final class PrivateEjabberd: PrivateServer {
    public let options: ServerOptions
    public let certificates: Certificates
    public let port: UInt16
    public let directTLSPort: UInt16
    public let httpsPort: UInt16
    public let componentPort: UInt16
    /// Plain HTTP, loopback only; the administration interface listens here.
    public let httpPort: UInt16
    private let lifetime: ServerLifetime

    /// The one for everybody with the usual options. Never stop, kill or restart it.
    public static var shared: PrivateEjabberd {
        get async throws(FixtureError) { try await shared(ServerOptions()) }
    }

    /// The one for everybody with these options; started by the first who asks.
    public static func shared(_ options: ServerOptions) async throws(FixtureError) -> PrivateEjabberd {
        try await SharedServers.ejabberd.server(options)
    }

    /// Starts a server for this test alone.
    public init(_ options: ServerOptions = ServerOptions()) async throws(FixtureError) {
        let (certificates, lifetime) = try await onOwnThread { () throws(FixtureError) in
            try Self.prepare(options)
        }
        self.options = options
        self.certificates = certificates
        self.lifetime = lifetime
        port = lifetime.ports[0]
        directTLSPort = lifetime.ports[1]
        httpPort = lifetime.ports[2]
        httpsPort = lifetime.ports[3]
        componentPort = lifetime.ports[4]
        try await start()
    }

    private static func prepare(_ options: ServerOptions) throws(FixtureError) -> (Certificates, ServerLifetime) {
        let user = "ejabberd"
        let certificates = try Certificates.made()
        let directory = try FixtureDirectory.make("ejabberd", owner: user)
        let ports = try LoopbackPort.claim(5)
        let configuration = EjabberdConfiguration(
            options: options, directory: directory, certificates: certificates, ports: ports)
        try FixtureDirectory.write(configuration.text, to: "\(directory)/ejabberd.yml")
        let command = Command(
            program: "erl",
            // Erlang's schedulers otherwise spin while they wait, at the cost of everything else on a small machine.
            arguments: [
                "+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none", "-mnesia", "dir", "\"\(directory)\"", "-s",
                "ejabberd", "-noinput",
            ],
            environment: [
                "HOME": directory,
                "ERL_LIBS": try librariesDirectory(),
                "ERL_CRASH_DUMP_BYTES": "0",
                "EJABBERD_CONFIG_PATH": "\(directory)/ejabberd.yml",
                "EJABBERD_LOG_PATH": "\(directory)/ejabberd.log",
                "EJABBERD_PID_PATH": "\(directory)/ejabberd.pid",
            ],
            directory: directory, outputFile: "\(directory)/output.log"
        ).confined(to: user)
        return (
            certificates,
            ServerLifetime(
                name: "ejabberd", directory: directory, ports: ports, logFile: "\(directory)/ejabberd.log",
                command: command)
        )
    }

    /// Debian keeps ejabberd's Erlang application below the directory of the machine's architecture, which `erl` does not search.
    private static func librariesDirectory() throws(FixtureError) -> String {
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: "/usr/lib")) ?? [] where name.hasSuffix("-linux-gnu") {
            let entries = (try? files.contentsOfDirectory(atPath: "/usr/lib/\(name)")) ?? []
            if entries.contains(where: { $0.hasPrefix("ejabberd-") }) { return "/usr/lib/\(name)" }
        }
        throw .missing("ejabberd")
    }

    public func start() async throws(FixtureError) {
        let domain = domain
        try await onOwnThread { [lifetime] () throws(FixtureError) in try lifetime.start(domain: domain) }
    }

    public func stop() async { try? await onOwnThread { [lifetime] in lifetime.stop() } }
    public func kill() async { try? await onOwnThread { [lifetime] in lifetime.kill() } }

    /// Stops it without ending it, as a machine that hangs: connections stay open and nothing is answered until `thaw`.
    public func freeze() { lifetime.send(SIGSTOP) }
    public func thaw() { lifetime.send(SIGCONT) }

    public var log: String { lifetime.log }

    public func register(_ user: String, password: String, domain: String) async throws(FixtureError) {
        try await command("register", ["user": user, "host": domain, "password": password])
    }

    /// Removes an account with all its data.
    public func unregister(_ user: String) async throws(FixtureError) {
        try await command("unregister", ["user": user, "host": domain])
    }

    /// Runs an administration command of ejabberd by its own name and returns its JSON answer.
    @discardableResult
    public func command(_ name: String, _ arguments: [String: String]) async throws(FixtureError) -> String {
        let port = httpPort
        return try await onOwnThread { () throws(FixtureError) in
            let json = (try? JSONEncoder().encode(arguments)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
            let answer = try LoopbackConnection.post("/api/\(name)", json: json, port: port)
            guard answer.status == 200 else {
                throw FixtureError(.controlRefused, "ejabberd answered \(answer.status) to \(name): \(answer.body)")
            }
            return answer.body
        }
    }
}

extension SharedServers<PrivateEjabberd> {
    static let ejabberd = SharedServers { options in
        do throws(FixtureError) {
            return .success(try await PrivateEjabberd(options))
        } catch {
            return .failure(error)
        }
    }
}
