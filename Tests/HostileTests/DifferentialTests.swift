import Foundation
import HostileFixtures
import ServerFixtures
import Testing

/// The serialisers of real servers as the reference: what they forward must be read, or skipped, in the same session.
///
/// `Scripts/attack --fuzz` runs the long version.
@Suite("What servers forward", .timeLimit(.minutes(240)))
struct DifferentialTests {
    private static let environment = ProcessInfo.processInfo.environment
    /// Stanzas for each server.
    private static let count = environment["HONGYAN_FUZZ_STANZAS"].flatMap { Int($0) } ?? 500
    private static let seed = environment["HONGYAN_FUZZ_SEED"].flatMap { UInt64($0) } ?? 11
    /// The number of stanzas between two markers.
    private static let batch = 25

    /// A victim and its attacker; both are replaced when their sessions have ended.
    private struct Line {
        let server: any PrivateServer
        var victim: Victim
        var attacker: HostileComponent
        /// The server did not accept these.
        var refused = 0

        init(_ server: any PrivateServer) async throws {
            self.server = server
            victim = try await Victim(on: server)
            attacker = try await HostileComponent(to: server)
            try await victim.start()
        }

        /// Sends stanzas and then a marker; `false` if the marker does not arrive in the same session.
        mutating func survives(_ contents: [(kind: Int, content: String)], _ marker: String) async throws -> Bool {
            let connections = victim.connections
            for (number, content) in contents.enumerated() {
                try? await attacker.send(stanza(content, id: "\(marker)-\(number)"))
            }
            if try await !attacker.settles() {
                attacker = try await attacker.again(on: server)
                refused += contents.count
                // One of them ended the stream and the rest was not read.
                if contents.count > 1 {
                    for (number, content) in contents.enumerated() {
                        guard try await survives([content], "\(marker)-\(number)") else { return false }
                    }
                    return true
                }
            }
            try await attacker.send(
                Scene.message(attacker.stranger + "/r", to: victim.address.description, marker, id: marker))
            do { try await victim.gets(marker) } catch { return false }
            return victim.connections == connections
        }

        private func stanza(_ content: (kind: Int, content: String), id: String) -> String {
            let to = victim.address.description
            let frame = "from='\(attacker.stranger)/r' to='\(to)' id='\(id)'"
            return switch content.kind {
            case 0: "<message \(frame) type='headline'>\(content.content)</message>"
            case 1: "<presence \(frame)>\(content.content)</presence>"
            default: "<message \(frame) type='chat'><body>f</body>\(content.content)</message>"
            }
        }
    }

    @Test("P14: generated stanzas that expat accepts do not end the session", arguments: Server.allCases)
    func servers(server: Server) async throws {
        var payloads = WirePayloads(seed: Self.seed)
        let running = try await server.shared()
        var line = try await Line(running)
        var sent = 0
        while sent < Self.count {
            let contents = (0..<Self.batch).map { (kind: ($0 + sent) % 3, content: payloads.next()) }
            if try await !line.survives(contents, "marker-\(sent)") {
                let culprit = try await Self.culprit(of: contents, on: running)
                Issue.record("seed \(Self.seed), \(server.rawValue): \(culprit ?? "together only: \(contents)")")
                return
            }
            sent += contents.count
        }
        #expect(line.refused < sent / 2, "the servers must pass most of it on")
        await line.victim.stop()
    }

    /// The stanza that ends a session on its own.
    private static func culprit(
        of contents: [(kind: Int, content: String)], on server: any PrivateServer
    ) async throws -> String? {
        for content in contents {
            var line = try await Line(server)
            let survives = try await line.survives([content], "alone")
            await line.victim.stop()
            if !survives { return content.content }
        }
        return nil
    }
}
