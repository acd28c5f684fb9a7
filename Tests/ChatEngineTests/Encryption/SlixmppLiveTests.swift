import ChatFixtures
import ChatStore
import Foundation
import ServerFixtures
import Synchronization
import Testing
import XMPPAddress
import XMPPClient

@testable import ChatEngine

/// slixmpp-omemo is not in Debian: `HONGYAN_SLIXMPP` names a Python that has it.
@Suite(
    "OMEMO with another implementation", .timeLimit(.minutes(5)),
    .enabled(if: ProcessInfo.processInfo.environment["HONGYAN_SLIXMPP"] != nil))
struct SlixmppLiveTests {
    /// The other program, in a process of its own.
    private final class Peer: Sendable {
        private let process: Process
        private let input = Pipe()
        private let lines: AsyncStream<String>

        init(_ account: ServerFixtures.Account, on server: RunningServer, _ generations: String) throws {
            let process = Process()
            let python = ProcessInfo.processInfo.environment["HONGYAN_SLIXMPP"] ?? "python3"
            process.executableURL = URL(filePath: python)
            let script = URL(filePath: #filePath).deletingLastPathComponent().path + "/peer.py"
            process.arguments = [
                script, account.address, account.password, server.host, String(server.port), server.authorityFile,
                generations,
            ]
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

        func stop() {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
    }

    @Test("both read each message of the other, in each generation", arguments: ["both", "legacy", "current"])
    func talk(generations: String) async throws {
        let server = try await ServerKind.prosody13.shared()
        let names = [try await server.newAccount("romeo"), try await server.newAccount("juliet")]
        let scheme = generations == "legacy" ? "eu.siacs.conversations.axolotl" : "urn:xmpp:omemo:2"
        let peer = try Peer(names[1], on: server, generations)
        defer { peer.stop() }
        _ = await peer.next("ready")
        let romeo = try await EncryptionLiveTests.person(names[0], on: server)
        let juliet = try JID(names[1].address)
        try await romeo.whileRunning {
            try await EncryptionLiveTests.waitUntilAnnounced([romeo])
            for number in 0..<4 {
                _ = try await romeo.account.send(.text(MessageText("number \(number)")), in: romeo.key(juliet))
                let seen = await peer.next("answered")
                #expect(
                    seen.contains { $0.contains("\"number \(number)\"") && $0.contains(scheme) }, "\(seen)")
                try await romeo.wait(in: romeo.key(juliet), within: .seconds(30)) { messages in
                    messages.contains { $0.text.body == "NUMBER \(number)" }
                }
            }
        }
        let answers = try await romeo.timeline(with: juliet).filter { !$0.isOutgoing }
        #expect(answers.count == 4)
        for answer in answers {
            guard case .encrypted(scheme, _, .trusted) = answer.protection else {
                Issue.record("\(answer.protection)")
                continue
            }
        }
    }
}
