import Foundation
import Glibc

/// A private ejabberd for one test or for many: the second server with which clients are tested.
///
/// A start takes one to three seconds: use `shared` unless the test ends the server or needs other options. Outside of
/// an ``EjabberdCluster`` the Erlang node has no name and no distribution, so it uses neither a port mapper nor a
/// cookie.
public final class PrivateEjabberd: PrivateServer {
    public let release: ServerRelease
    public let options: ServerOptions
    public let certificates: Certificates
    public let port: UInt16
    public let directTLSPort: UInt16
    public let httpsPort: UInt16
    public let componentPort: UInt16
    /// Plain HTTP, loopback only; the administration interface listens here.
    public let httpPort: UInt16
    private let lifetime: ServerLifetime

    /// The shared server with the usual options. Never stop, kill or restart it.
    public static var shared: PrivateEjabberd {
        get async throws(FixtureError) { try await shared(ServerOptions()) }
    }

    /// The shared server with these options; the first caller starts it.
    public static func shared(
        _ options: ServerOptions, release: ServerRelease = .debian12
    ) async throws(FixtureError) -> PrivateEjabberd {
        try await everybodys.server(ServerOrder(options: options, release: release))
    }

    private static let everybodys = SharedServers { (order: ServerOrder) async throws(FixtureError) in
        try await PrivateEjabberd(order.options, release: order.release)
    }

    /// Starts a server for this test only.
    public convenience init(
        _ options: ServerOptions = ServerOptions(), release: ServerRelease = .debian12
    ) async throws(FixtureError) {
        try await self.init(options, release: release, node: nil)
    }

    /// Starts a server, with a node as part of a cluster.
    init(_ options: ServerOptions, release: ServerRelease, node: EjabberdNode?) async throws(FixtureError) {
        let (certificates, lifetime) = try await onOwnThread { () throws(FixtureError) in
            try Self.prepare(options, release, node)
        }
        self.release = release
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

    private static func prepare(
        _ options: ServerOptions, _ release: ServerRelease, _ node: EjabberdNode?
    ) throws(FixtureError) -> (Certificates, ServerLifetime) {
        let user = "ejabberd"
        let certificates = try Certificates.made()
        let directory = try FixtureDirectory.make("ejabberd", owner: user)
        let ports = try LoopbackPort.claim(options.offersFileProxy ? 6 : 5)
        let configuration = EjabberdConfiguration(
            release: release, options: options, directory: directory, certificates: certificates, ports: ports,
            node: node)
        try FixtureDirectory.write(configuration.text, to: "\(directory)/ejabberd.yml")
        // Otherwise Erlang's schedulers spin while they wait, which slows everything else on a small machine.
        var arguments = ["+sbwt", "none", "+sbwtdcpu", "none", "+sbwtdio", "none", "+S", "2", "+K", "true"]
        var libraries = ""
        switch release {
        case .debian12: libraries = try librariesDirectory()
        case .backports: arguments += try Backports.erlangCode().flatMap { ["-pa", $0] }
        }
        arguments += try node?.arguments(home: directory, owner: user) ?? []
        arguments += ["-mnesia", "dir", "\"\(directory)\"", "-s", "ejabberd", "-noinput"]
        var environment = [
            "HOME": directory,
            "ERL_LIBS": libraries,
            "ERL_CRASH_DUMP_BYTES": "0",
            "EJABBERD_CONFIG_PATH": "\(directory)/ejabberd.yml",
            "EJABBERD_LOG_PATH": "\(directory)/ejabberd.log",
            "EJABBERD_PID_PATH": "\(directory)/ejabberd.pid",
        ]
        environment.merge(node?.environment ?? [:]) { _, own in own }
        let command = Command(
            program: "erl", arguments: arguments, environment: environment, directory: directory,
            outputFile: "\(directory)/output.log"
        ).confined(to: user)
        return (
            certificates,
            ServerLifetime(
                name: "ejabberd", directory: directory, ports: ports, logFile: "\(directory)/ejabberd.log",
                command: command)
        )
    }

    /// Debian installs ejabberd's Erlang application in the directory of the architecture, which `erl` does not search.
    private static func librariesDirectory() throws(FixtureError) -> String {
        let files = FileManager.default
        for name in (try? files.contentsOfDirectory(atPath: "/usr/lib")) ?? [] where name.hasSuffix("-linux-gnu") {
            let entries = (try? files.contentsOfDirectory(atPath: "/usr/lib/\(name)")) ?? []
            if entries.contains(where: { $0.hasPrefix("ejabberd-") }) { return "/usr/lib/\(name)" }
        }
        throw .missing("ejabberd")
    }

    public var kind: ServerKind { release == .backports ? .ejabberd2412 : .ejabberd2301 }
    public var webSocketURL: String { "wss://localhost:\(httpsPort)/ws" }

    public func start() async throws(FixtureError) {
        let domain = domain
        try await onOwnThread { [lifetime] () throws(FixtureError) in try lifetime.start(domain: domain) }
    }

    /// Waits until it answers on all ports.
    func awaitReady() async throws(FixtureError) {
        let domain = domain
        try await onOwnThread { [lifetime] () throws(FixtureError) in try lifetime.awaitReady(domain: domain) }
    }

    public func stop() async { try? await onOwnThread { [lifetime] in lifetime.stop() } }
    public func kill() async { try? await onOwnThread { [lifetime] in lifetime.kill() } }

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

    /// Runs an administration command of ejabberd and returns its JSON result.
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
