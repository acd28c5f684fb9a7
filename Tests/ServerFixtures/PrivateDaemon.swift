import Glibc
import Synchronization

/// A program that the test servers need, with a check for being ready: a database, a name server.
final class PrivateDaemon: Sendable {
    private static let startLimit = Duration.seconds(60)

    private let process: ServerProcess

    /// Starts the program and returns when `isReady` is true; blocks.
    ///
    /// - Parameter endSignal: the signal that ends it; it is killed after a timeout.
    init(
        _ command: Command, name: String, endSignal: Int32 = SIGKILL, isReady: (_ output: String) -> Bool
    ) throws(FixtureError) {
        let process = try ServerProcess(command, endSignal: endSignal)
        RunningServers.add(process)
        self.process = process
        var output = ""
        let ready = try poll(for: Self.startLimit) { () throws(FixtureError) in
            let status = process.exitStatus
            output = command.output
            guard let status else { return isReady(output) }
            guard status != Command.notFoundStatus else { throw .missing(name) }
            throw FixtureError(.didNotStart, "\(name) ended with status \(status) at start.\n\(output.suffix(4000))")
        }
        guard ready else {
            end()
            throw FixtureError(.didNotStart, "\(name) did not become ready.\n\(output.suffix(4000))")
        }
    }

    deinit { end() }

    /// Ends the program and returns when it has ended.
    func end() {
        process.end()
        RunningServers.remove(process)
    }

    func send(_ signal: Int32) { process.send(signal) }
}
