import Foundation
import Testing
import XMLStreaming
import XMPPAddress
import XMPPStanzas

@testable import XMPPClient

@Suite("Soak", .serialized, .timeLimit(.minutes(20)))
struct SoakTests {
    /// 100,000 if `HONGYAN_SOAK` is set; otherwise enough to detect growth.
    private static let count = ProcessInfo.processInfo.environment["HONGYAN_SOAK"] == nil ? 20_000 : 100_000

    /// Resident memory of this process, in bytes.
    private static func residentBytes() -> Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * 4096
    }

    /// In a separate process, because the memory of other tests is not relevant.
    @Test("memory does not grow with the number of messages")
    func flatMemory() async {
        await #expect(processExitsWith: .success) { try await Self.receiveMany() }
    }

    private static func receiveMany() async throws {
        let server = MemoryServer()
        let configuration = try server.account("alice") { $0.usesStreamManagement = false }
        try await Client(configuration).run { session in
            let events = session.events(.messages)
            let stanza = Array(
                "<message from='bob@xmpp.test/x' to='alice@xmpp.test' type='chat' id='1'><body>\(String(repeating: "y", count: 200))</body></message>"
                    .utf8)
            let burst = Array(repeatElement(stanza, count: 100).joined())
            func receive(_ count: Int) async throws {
                async let writing: Void = {
                    for _ in 0..<count / 100 { try await server.writeRaw(burst, to: "alice") }
                }()
                var seen = 0
                for await batch in events {
                    for case .message(let message) in batch where message.body?.count == 200 { seen += 1 }
                    if seen == count { break }
                }
                try await writing
                try #require(seen == count)
            }
            try await receive(5_000)
            let before = residentBytes()
            try await receive(count)
            let growth = residentBytes() - before
            try #require(growth < 8 * 1024 * 1024, "The process grew by \(growth) bytes.")
        }
    }
}
