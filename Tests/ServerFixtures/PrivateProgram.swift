import Foundation
import Glibc
import Synchronization

/// A program of this package as a process, with a folder that outlives it: to be killed and started again.
public final class PrivateProgram: Sendable {
    /// The resources of a process, from `/proc`.
    public struct Holdings: Sendable, Equatable {
        public var descriptors: Int
        public var threads: Int
        /// Resident memory in KiB.
        public var memory: Int

        public init?(of process: Int32) {
            guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
                let descriptors = try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count
            else { return nil }
            func number(_ key: String) -> Int? {
                status.split(separator: "\n").first { $0.hasPrefix(key + ":") }.flatMap {
                    Int($0.dropFirst(key.count + 1).filter(\.isNumber))
                }
            }
            guard let threads = number("Threads"), let memory = number("VmRSS") else { return nil }
            (self.descriptors, self.threads, self.memory) = (descriptors, threads, memory)
        }
    }

    private let command: Command
    private let process = Mutex<ServerProcess?>(nil)
    /// The first of its arguments; empty at first.
    public let folder: String

    /// - Parameters:
    ///   - name: the name of the product, which is built beside the tests. Another build of it, for example an
    ///     optimised one for a long run, is taken from the folder in `HONGYAN_TEST_PROGRAMS`.
    ///     taken from the folder that `HONGYAN_TEST_PROGRAMS` names.
    ///   - environment: added to that of the test process.
    public init(_ name: String, environment: [String: String] = [:]) throws(FixtureError) {
        folder = try FixtureDirectory.make(name)
        command = Command(
            program: "setpriv", arguments: ["--pdeathsig", "KILL", try Self.builtProgram(name), folder],
            environment: environment, directory: folder, outputFile: "\(folder)/output.log")
    }

    /// A program whose files are where its environment says, and that gets its arguments at each start.
    ///
    /// - Parameter environment: creates the variables from the folder; added to those of the test process.
    public init(_ name: String, environment: (_ folder: String) -> [String: String]) throws(FixtureError) {
        folder = try FixtureDirectory.make(name)
        command = Command(
            program: "setpriv", arguments: ["--pdeathsig", "KILL", try Self.builtProgram(name)],
            environment: environment(folder), directory: folder, outputFile: "\(folder)/output.log")
    }

    deinit {
        kill()
        FixtureDirectory.remove(folder)
    }

    /// Everything that its processes have written so far.
    public var output: String { command.output }
    public var isRunning: Bool { process.withLock { $0?.isRunning ?? false } }
    /// 128 + signal for a killed process; nil while it runs.
    public var exitStatus: Int32? { process.withLock { $0?.exitStatus } }

    /// Its process id; `nil` before the first start.
    public var id: Int32? { process.withLock { $0?.id } }

    /// - Parameters:
    ///   - arguments: added to the fixed ones.
    ///   - environment: added to the fixed one for this start.
    public func start(
        _ arguments: [String] = [], environment: [String: String] = [:]
    ) throws(FixtureError) {
        var command = command
        command.arguments += arguments
        command.environment.merge(environment) { $1 }
        let started = try ServerProcess(command)
        RunningServers.add(started)
        process.withLock { $0 = started }
    }

    /// Ends the process like a crash (SIGKILL), and returns when it has ended.
    public func kill() {
        guard let running = process.withLock({ $0 }) else { return }
        running.kill()
        RunningServers.remove(running)
    }

    /// Suspends it, like a machine that sleeps.
    public func freeze() { process.withLock { $0 }?.send(SIGSTOP) }
    public func thaw() { process.withLock { $0 }?.send(SIGCONT) }

    public var holdings: Holdings? { id.flatMap { Holdings(of: $0) } }

    private static func builtProgram(_ name: String) throws(FixtureError) -> String {
        let tests = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        var folder = (tests as NSString).deletingLastPathComponent
        let root = ((#filePath as NSString).deletingLastPathComponent as NSString).appendingPathComponent("../..")
        let chosen = ProcessInfo.processInfo.environment["HONGYAN_TEST_PROGRAMS"]
        for candidate in [chosen, folder, "\(root)/.build/debug"].compactMap(\.self) {
            folder = candidate
            while folder.count > 1 {
                if FileManager.default.isExecutableFile(atPath: "\(folder)/\(name)") { return "\(folder)/\(name)" }
                folder = (folder as NSString).deletingLastPathComponent
            }
        }
        throw FixtureError(.missingProgram, "\(name) is not built; `swift build --build-tests` builds it.")
    }
}
