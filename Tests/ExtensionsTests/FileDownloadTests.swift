import Cryptography
import Foundation
import MessagePayloads
import Synchronization
import Testing
import TransportLayer

@testable import FileSharing

@Suite("Downloads of offered files")
struct FileDownloadTests {
    /// The requested addresses, and the failures of some of them.
    private final class Web: Sendable {
        private let requested = Mutex<[String]>([])
        private let failures: [String: TransportError.Code]
        var requests: [String] { requested.withLock(\.self) }

        init(_ failures: [String: TransportError.Code] = [:]) { self.failures = failures }

        var download: FileDownload {
            FileDownload { url, path, limit, _ throws(TransportError) in
                self.requested.withLock { $0.append("\(url) \(limit)") }
                if let code = self.failures[url] { throw TransportError(code, "no") }
                _ = FileManager.default.createFile(atPath: path, contents: Data(url.utf8))
            }
        }
    }

    private let folder = NSTemporaryDirectory() + "download-" + UUID().uuidString

    @Test("the first address that works is used; what it fails with does not matter")
    func severalAddresses() async throws {
        let web = Web(["a": .httpStatus, "b": .tooLarge])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await web.download.run(["a", "b", "c", "d"], to: folder + "/x", size: nil, limit: 10)
        #expect(web.requests == ["a 10", "b 10", "c 10"])
        #expect(try String(contentsOf: URL(filePath: folder + "/x"), encoding: .utf8) == "c")
    }

    @Test("a file that is announced as too large is not requested; encryption may exceed the limit")
    func limit() async throws {
        let web = Web(["a": .timedOut])
        await #expect(throws: TransportError.self) {
            try await web.download.run(["a"], to: folder + "/x", size: 11, limit: 10)
        }
        #expect(web.requests.isEmpty)
        await #expect(throws: TransportError.self) {
            try await web.download.run(["a"], to: folder + "/x", size: 10, limit: 10, overhead: 16)
        }
        #expect(web.requests == ["a 26"])
        await #expect(throws: TransportError.self) {
            try await web.download.run(["a"], to: folder + "/x", size: .max, limit: .max, overhead: 16)
        }
        #expect(web.requests.last == "a \(Int.max)")
    }

    @Test("no other address is tried after a cancellation; without an address the error says so")
    func cancelled() async throws {
        let web = Web(["a": .cancelled])
        let error = await #expect(throws: TransportError.self) {
            try await web.download.run(["a", "b"], to: folder + "/x", size: nil, limit: 10)
        }
        #expect(error?.code == .cancelled && web.requests == ["a 10"])
        let none = await #expect(throws: TransportError.self) {
            try await web.download.run([], to: folder + "/x", size: nil, limit: 10)
        }
        #expect(none?.description.contains("no URL") == true)
    }

    @Test("a file without a name is removed; one with a name replaces none")
    func names() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func save(_ text: String, _ name: String?) throws -> String? {
            let file = UnfinishedFile(in: folder)
            try Data(text.utf8).write(to: URL(filePath: file.path))
            guard let name else { return nil }
            return try file.finish(as: SafeFileName(name, fallback: "file"))
        }
        #expect(try save("0", nil) == nil)
        #expect(try save("1", "a.tar.gz") == folder + "/a.tar.gz")
        #expect(try save("2", "a.tar.gz") == folder + "/a.tar (2).gz")
        #expect(try save("3", "README") == folder + "/README")
        #expect(try save("4", "README") == folder + "/README (2)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
        #expect(names == ["README", "README (2)", "a.tar (2).gz", "a.tar.gz"])
        #expect(try String(contentsOf: URL(filePath: folder + "/a.tar.gz"), encoding: .utf8) == "1")
    }

    @Test("what cannot be read is an error, not an empty file")
    func unreadable() throws {
        let error = #expect(throws: FileSharingError.self) { try FileContents(of: NSTemporaryDirectory()) }
        #expect(error?.code == .unreadable)
    }
}
