import Foundation
import Glibc

/// A private Prosody for one test or for many.
///
/// ```swift
/// let server = try await PrivateProsody.shared
/// let alice = try await server.newAccount("alice")
/// ```
/// A start takes 0.2 to 0.5 seconds: take `shared` unless the test ends the server or needs other options.
public final class PrivateProsody: PrivateServer {
    public let release: ServerRelease
    public let options: ServerOptions
    public let certificates: Certificates
    public let port: UInt16
    public let directTLSPort: UInt16
    public let httpsPort: UInt16
    public let componentPort: UInt16
    /// Plain HTTP, loopback only; the control module listens here.
    public let httpPort: UInt16
    private let lifetime: ServerLifetime

    /// The shared server with the usual options. Never stop, kill or restart it.
    public static var shared: PrivateProsody {
        get async throws(FixtureError) { try await shared(ServerOptions()) }
    }

    /// The shared server with these options; the first caller starts it.
    public static func shared(
        _ options: ServerOptions, release: ServerRelease = .debian12
    ) async throws(FixtureError) -> PrivateProsody {
        try await everybodys.server(ServerOrder(options: options, release: release))
    }

    private static let everybodys = SharedServers { (order: ServerOrder) async throws(FixtureError) in
        try await PrivateProsody(order.options, release: order.release)
    }

    /// Starts a server for this test only.
    public init(
        _ options: ServerOptions = ServerOptions(), release: ServerRelease = .debian12
    ) async throws(FixtureError) {
        let (certificates, lifetime) = try await onOwnThread { () throws(FixtureError) in
            try Self.prepare(options, release)
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
        _ options: ServerOptions, _ release: ServerRelease
    ) throws(FixtureError) -> (Certificates, ServerLifetime) {
        let certificates = try Certificates.made()
        let directory = try FixtureDirectory.make("prosody", owner: "prosody")
        let ports = try LoopbackPort.claim(options.offersFileProxy ? 6 : 5)
        let configuration = ProsodyConfiguration(
            release: release, options: options, directory: directory, certificates: certificates, ports: ports)
        try FixtureDirectory.write(configuration.text, to: "\(directory)/prosody.cfg.lua")
        try FixtureDirectory.write(ProsodyConfiguration.controlModule, to: "\(directory)/mod_fixture_control.lua")
        try FixtureDirectory.write(ProsodyConfiguration.hostMetaModule, to: "\(directory)/mod_fixture_host_meta.lua")
        try FixtureDirectory.write(ProsodyConfiguration.lossModule, to: "\(directory)/mod_fixture_loss.lua")
        let command = Command(
            program: release == .backports ? try Backports.path("prosody/start") : "prosody",
            arguments: ["-F", "--config", "\(directory)/prosody.cfg.lua"], directory: directory,
            outputFile: "\(directory)/output.log"
        ).confined(to: "prosody")
        return (
            certificates,
            ServerLifetime(
                name: "Prosody", directory: directory, ports: ports, logFile: "\(directory)/prosody.log",
                command: command)
        )
    }

    public var kind: ServerKind { release == .backports ? .prosody13 : .prosody012 }
    public var webSocketURL: String { "wss://localhost:\(httpsPort)/xmpp-websocket" }

    public func start() async throws(FixtureError) {
        let domain = domain
        try await onOwnThread { [lifetime] () throws(FixtureError) in try lifetime.start(domain: domain) }
    }

    public func stop() async { try? await onOwnThread { [lifetime] in lifetime.stop() } }
    public func kill() async { try? await onOwnThread { [lifetime] in lifetime.kill() } }

    public func freeze() { lifetime.send(SIGSTOP) }
    public func thaw() { lifetime.send(SIGCONT) }

    public var log: String { lifetime.log }

    /// Whether a file of the server, such as its archive, contains a text.
    public func hasStored(_ text: String) -> Bool {
        let folder = "\(lifetime.directory)/data"
        let part = Data(text.utf8)
        let files = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return files.contains { FileManager.default.contents(atPath: "\(folder)/\($0)")?.range(of: part) != nil }
    }

    public func register(_ user: String, password: String, domain: String) async throws(FixtureError) {
        try await control(["do": "register", "user": user, "host": domain, "password": password])
    }

    /// An invitation link for a new account (XEP-0401); needs the modules `invites` and `invites_register`.
    ///
    /// - Parameters:
    ///   - user: the reserved user name; `nil` for any.
    ///   - contact: the inviter, who becomes a contact as well.
    public func invitation(user: String? = nil, contact: String? = nil) async throws(FixtureError) -> String {
        var request = ["do": "invite", "host": domain]
        request["user"] = user
        request["contact"] = contact
        return try await control(request)
    }

    /// Removes an account with all its data.
    public func unregister(_ user: String) async throws(FixtureError) {
        try await control(["do": "unregister", "user": user, "host": domain])
    }

    /// Closes the TCP connections of all sessions of a user without a closing tag, like a broken network.
    public func cutConnections(of user: String) async throws(FixtureError) {
        try await control(["do": "cut", "user": user, "host": domain])
    }

    /// Sends raw XML to all sessions of a user in the server's name, like a hostile or broken server.
    public func inject(_ xml: String, to user: String) async throws(FixtureError) {
        try await control(["do": "inject", "user": user, "host": domain, "xml": xml])
    }

    /// The number of sessions of a user, including those that can be resumed.
    public func sessionCount(of user: String) async throws(FixtureError) -> Int {
        Int(try await control(["do": "sessions", "user": user, "host": domain])) ?? 0
    }

    @discardableResult
    private func control(_ request: [String: String]) async throws(FixtureError) -> String {
        let port = httpPort
        return try await onOwnThread { () throws(FixtureError) in
            let json = (try? JSONEncoder().encode(request)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
            let answer = try LoopbackConnection.post("/fixture_control", json: json, port: port)
            guard answer.status == 200 else {
                throw FixtureError(.controlRefused, "Prosody's control answered \(answer.status): \(answer.body)")
            }
            return answer.body
        }
    }
}
