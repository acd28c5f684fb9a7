import Foundation
import Testing

@testable import ServerFixtures

/// A program that a test starts and ends; it also ends with the test process.
final class TestProcess: Sendable {
    private let process: ServerProcess
    private let output: String
    /// The maximum time until a program is ready; the machine may be under load.
    private static let timeout = Duration.seconds(60)

    /// Starts a program; its output is written to a file that ``line(containing:)`` reads.
    init(_ arguments: [String]) async throws {
        let (process, output) = try await onOwnThread { () throws(FixtureError) in
            let directory = try FixtureDirectory.make("program")
            let output = "\(directory)/output"
            let command = Command(
                program: "setpriv", arguments: ["--pdeathsig", "KILL"] + arguments,
                environment: ["PATH": "\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"):/usr/sbin"],
                directory: directory, outputFile: output)
            return (try ServerProcess(command), output)
        }
        self.process = process
        self.output = output
    }

    /// The first line of its output that contains `text`.
    func line(containing text: String) async throws -> String {
        try await onOwnThread { [self] () throws(FixtureError) in
            var found: String?
            _ = try poll(for: Self.timeout) {
                let all = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
                // Complete lines only: the last one may be incomplete.
                found = all.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
                    .first { $0.contains(text) }.map(String.init)
                return found != nil || !process.isRunning
            }
            guard let found else {
                let all = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
                throw FixtureError(.commandFailed, "The program did not say \(text): \(all.suffix(1000))")
            }
            return found
        }
    }

    /// Runs a program in a new directory to its end; returns the directory.
    static func run(_ arguments: [String]) async throws -> String {
        try await onOwnThread { () throws(FixtureError) in
            let directory = try FixtureDirectory.make("program")
            try Command(
                program: arguments[0], arguments: Array(arguments.dropFirst()), directory: directory,
                outputFile: "\(directory)/output"
            ).run()
            return directory
        }
    }

    func stop() {
        process.send(SIGKILL)
    }

    deinit { stop() }
}
