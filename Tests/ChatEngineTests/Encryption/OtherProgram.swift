import Foundation
import ServerFixtures
import Synchronization

/// A person with another program, which a Python script of this folder operates in a process of its own.
final class OtherProgram: Sendable {
    private let process: Process
    private let input = Pipe()
    private let lines: AsyncStream<String>

    /// - Parameters:
    ///   - arguments: added to address, password, host and port.
    ///   - environment: added to this process's.
    init(
        _ script: String, _ account: ServerFixtures.Account, on server: RunningServer, _ arguments: [String],
        environment: [String: String] = [:]
    ) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/python3")
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let script = URL(filePath: #filePath).deletingLastPathComponent().path + "/" + script
        process.arguments = [script, account.address, account.password, server.host, String(server.port)] + arguments
        let output = Pipe()
        process.standardOutput = output
        // It ends with this process, whose end closes the pipe.
        process.standardInput = input
        let (lines, more) = AsyncStream.makeStream(of: String.self)
        self.lines = lines
        let rest = Mutex<[UInt8]>([])
        output.fileHandleForReading.readabilityHandler = { handle in
            let bytes = handle.availableData
            guard !bytes.isEmpty else { return more.finish() }
            rest.withLock { rest in
                rest += bytes
                while let end = rest.firstIndex(of: 10) {
                    more.yield(String(decoding: rest[..<end], as: UTF8.self))
                    rest.removeSubrange(...end)
                }
            }
        }
        try process.run()
        self.process = process
    }

    /// The lines up to one that contains this.
    func next(_ text: String) async -> [String] {
        var seen: [String] = []
        for await line in lines {
            seen.append(line)
            if line.contains(text) { break }
        }
        return seen
    }

    func type(_ line: String) throws { try input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8)) }

    /// The program ends at the end of its input. It is not waited for: Foundation sometimes misses the end of a program.
    func stop() { try? input.fileHandleForWriting.close() }
}
