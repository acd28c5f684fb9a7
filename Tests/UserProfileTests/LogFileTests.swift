import Foundation
import Testing

@testable import UserProfile

@Suite("The file of a log")
struct LogFileTests {
    private let path = FileManager.default.temporaryDirectory.appending(path: "log-\(UUID().uuidString)").path

    private var text: String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }

    private func remove() {
        for name in [path, path + ".1"] { try? FileManager.default.removeItem(atPath: name) }
    }

    @Test("lines are appended in their order, with their time")
    func lines() async throws {
        defer { remove() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 1...2 {
                group.addTask {
                    let log = try LogFile(path: path)
                    for number in 1...100 { log.write("line \(number)") }
                    await log.flush()
                }
            }
            try await group.waitForAll()
        }
        let lines = text.split(separator: "\n")
        #expect(lines.count == 200)
        #expect(lines.allSatisfy { $0.contains(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z line \d+$/) })
    }

    @Test("a file that is large enough is renamed, and the next one begins")
    func rotation() async throws {
        defer { remove() }
        let log = try LogFile(path: path)
        try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: UInt64(LogFile.sizeLimit))
        log.write("after")
        log.write("and more")
        await log.flush()
        #expect(text.split(separator: "\n").count == 2)
        let old = try FileManager.default.attributesOfItem(atPath: path + ".1")[.size] as? Int
        #expect(old == LogFile.sizeLimit)
    }

    @Test("a link, an unknown level and a folder are refused")
    func refused() throws {
        defer { remove() }
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "/dev/null")
        #expect(throws: LogFileError.self) { try LogFile(path: path) }
        #expect(throws: LogFileError.self) { try LogFile(path: "/tmp") }
        #expect(throws: LogFileError.self) { try LogFile(path: path + ".other", level: "loud") }
    }
}
