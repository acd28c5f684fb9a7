import Foundation
import Synchronization

/// The directory, ports and process of a private server: what all servers have in common.
final class ServerLifetime: Sendable {
    /// A start takes a few seconds under load; after a minute it has failed.
    private static let startLimit = Duration.seconds(60)
    /// The maximum time for an orderly end before the process is killed.
    private static let stopLimit = Duration.seconds(10)

    let name: String
    let directory: String
    /// The first port accepts XMPP before STARTTLS; the others must only be open.
    let ports: [UInt16]
    let logFile: String
    var outputFile: String { "\(directory)/output.log" }
    private let command: Command
    private let process = Mutex<ServerProcess?>(nil)

    init(name: String, directory: String, ports: [UInt16], logFile: String, command: Command) {
        self.name = name
        self.directory = directory
        self.ports = ports
        self.logFile = logFile
        self.command = command
    }

    deinit {
        end { $0.kill() }
        LoopbackPort.release(ports)
        FixtureDirectory.remove(directory)
    }

    var log: String {
        [outputFile, logFile].compactMap { try? String(contentsOfFile: $0, encoding: .utf8) }.joined()
    }

    /// Starts the program and returns when it is ready.
    func start(domain: String) throws(FixtureError) {
        guard process.withLock({ $0?.isRunning ?? false }) == false else { return }
        let started = try ServerProcess(command)
        RunningServers.add(started)
        process.withLock { $0 = started }
        try awaitReady(domain: domain)
    }

    /// Returns when the first port answers a stream header for `domain` and the others accept.
    func awaitReady(domain: String) throws(FixtureError) {
        guard let started = process.withLock({ $0 }) else { throw FixtureError(.didNotStart, "\(name) does not run.") }
        var lastError = "no attempt"
        let ready = try poll(for: Self.startLimit) { () throws(FixtureError) in
            if let status = started.exitStatus {
                guard status != Command.notFoundStatus else { throw .missing(name) }
                throw FixtureError(.didNotStart, "\(name) ended with status \(status) at start.\n\(log.suffix(4000))")
            }
            do throws(FixtureError) {
                for port in ports.dropFirst() { _ = try LoopbackConnection(port: port) }
                try Self.expectStream(domain: domain, port: ports[0])
                return true
            } catch {
                lastError = error.description
                return false
            }
        }
        guard ready else {
            end { $0.kill() }
            throw FixtureError(.didNotStart, "\(name) did not become ready: \(lastError)\n\(log.suffix(4000))")
        }
    }

    func stop() { end { $0.terminate(timeout: Self.stopLimit) } }
    func kill() { end { $0.kill() } }

    /// Suspends the process, like a machine that hangs; `SIGCONT` resumes it.
    func send(_ signal: Int32) { process.withLock { $0 }?.send(signal) }

    private func end(_ how: (ServerProcess) -> Void) {
        let running = process.withLock { process in
            defer { process = nil }
            return process
        }
        guard let running else { return }
        how(running)
        RunningServers.remove(running)
    }

    /// An open port may belong to another program; only the right server answers in the name of the domain.
    private static func expectStream(domain: String, port: UInt16) throws(FixtureError) {
        let connection = try LoopbackConnection(port: port)
        try connection.send(
            "<?xml version='1.0'?><stream:stream to='\(domain)' version='1.0' xmlns='jabber:client' "
                + "xmlns:stream='http://etherx.jabber.org/streams'>")
        let answer = try connection.receive(until: "</stream:features>")
        guard answer.contains("</stream:features>"), answer.contains(domain) else {
            throw FixtureError(.didNotStart, "Port \(port) answered \(answer.prefix(200)).")
        }
    }
}
