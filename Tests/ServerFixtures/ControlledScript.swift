import Foundation
import Glibc

/// A script that executes commands of the tests: JSON requests and responses by HTTP on loopback.
///
/// The script prints `port NUMBER` once it listens. It ends with this object or with the test process.
public final class ControlledScript: Sendable {
    private let daemon: PrivateDaemon
    private let folder: String
    private let port: UInt16

    /// - Parameters:
    ///   - words: the program, found in `PATH`, and its arguments.
    ///   - environment: added to that of the test process.
    public init(_ words: [String], environment: [String: String]) throws(FixtureError) {
        folder = try FixtureDirectory.make("script")
        let command = Command(
            program: "setpriv", arguments: ["--pdeathsig", "KILL"] + words, environment: environment, directory: folder,
            outputFile: "\(folder)/output.log")
        var number: UInt16?
        daemon = try PrivateDaemon(command, name: words.last ?? "script") { output in
            number = output.split(separator: "\n").lazy.filter { $0.hasPrefix("port ") }.first.flatMap {
                UInt16($0.dropFirst("port ".count))
            }
            return number != nil
        }
        port = number ?? 0
    }

    deinit { FixtureDirectory.remove(folder) }

    /// Sends one command, which must be answered within 30 seconds; 200 is the status of success.
    public func perform(_ json: String) async throws(FixtureError) -> (status: Int, answer: String) {
        let port = port
        return try await onOwnThread { () throws(FixtureError) in
            let answer = try LoopbackConnection.post("/", json: json, port: port)
            return (answer.status, answer.body)
        }
    }
}
