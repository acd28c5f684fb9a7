import Foundation
import ServerFixtures

@testable import FaultClient

/// Two clients exchange messages, each through a fault proxy, while faults occur; then their records are compared.
struct FaultRun: Sendable {
    struct Stuck: Error, CustomStringConvertible {
        var description: String
    }

    /// The result.
    struct Report: Sendable {
        var sent = [0, 0]
        /// The record of each side, in order.
        var received: [[Int]] = [[], []]
        /// How often a message was sent again without knowing whether it had arrived.
        var repetitions = 0
        var resumed = 0
        /// New sessions, including the two at the start.
        var newSessions = 0
        /// Messages that arrived a second time.
        var doubled = 0
        /// The clients' reports about lost sessions, with the lines before them.
        var notes: [Substring] = []
        var kinds: [Fault.Kind: Int] = [:]
        /// Of the client that is never killed: after its start-up and at the end.
        var before: PrivateProgram.Holdings?
        var after: PrivateProgram.Holdings?
        var time = Duration.zero
    }

    /// The longest time without any message on a side while the network works.
    private static let timeout = Duration.seconds(60)
    private static let pace = 5
    /// More messages than are possible until both clients end.
    private static let remainder = 100
    /// After so many faults the client has had all kinds and has allocated what it caches.
    private static let settling = 10

    let server: RunningServer
    let clients: [PrivateProgram]
    let proxies: [FaultProxy]

    init(on server: RunningServer) async throws {
        self.server = server
        clients = [try PrivateProgram("FaultClient"), try PrivateProgram("FaultClient")]
        proxies = [try FaultProxy(to: server.startTLSPort), try FaultProxy(to: server.directTLSPort)]
        let accounts = [try await server.newAccount("first"), try await server.newAccount("second")]
        for (number, client) in clients.enumerated() {
            let settings = Settings(
                address: "\(accounts[number].address)/phone", password: accounts[number].password,
                peer: accounts[1 - number].address, host: server.host, port: proxies[number].port,
                usesDirectTLS: number == 1, authorityFile: server.authorityFile, pace: Self.pace)
            try JSONEncoder().encode(settings).write(
                to: URL(filePath: "\(client.folder)/\(Ledger.settings)"), options: .atomic)
        }
    }

    func run(_ faults: [Fault]) async throws -> Report {
        var report = Report()
        let clock = ContinuousClock()
        let start = clock.now
        for client in clients { try client.start() }
        try await progress(by: 3, after: "the start")
        for (number, fault) in faults.enumerated() {
            if fault.messagesBefore > 0 {
                try await progress(by: fault.messagesBefore, after: number == 0 ? "the start" : "\(faults[number - 1])")
            }
            if number == Self.settling {
                try await progress(by: 20, after: "settling")
                report.before = clients[1].holdings
            }
            try await fault.happen(to: proxies[fault.victim], clients[fault.victim])
            report.kinds[fault.kind, default: 0] += 1
        }
        try await progress(by: 20, after: "the last fault")
        report.after = clients[1].holdings
        try await finish()
        report.time = clock.now - start
        for (number, client) in clients.enumerated() {
            report.sent[number] = Set(Ledger.numbers(in: client.folder, Ledger.confirmed)).max() ?? 0
            report.received[number] = Ledger.received(in: client.folder).compactMap { Int($0.body) }
            let lines = client.output.split(separator: "\n")
            report.repetitions += lines.filter { $0.contains("sent again") }.count
            report.resumed += lines.filter { $0.hasSuffix(" resumed") }.count
            report.newSessions += lines.filter { $0.hasSuffix(" new session") }.count
            report.doubled += lines.filter { $0.contains(" doubled: ") }.count
            for (position, line) in lines.enumerated()
            where position > 0 && [" new session", "sent again", "SessionLost"].contains(where: { line.contains($0) }) {
                report.notes += lines[max(0, position - 3)...position]
            }
        }
        return report
    }

    /// Waits until more messages have arrived on both sides.
    private func progress(by count: Int, after what: String) async throws {
        let before = clients.map { Ledger.count(in: $0.folder, Ledger.received) }
        try await wait(after: what) {
            zip(clients, before).allSatisfy { Ledger.count(in: $0.folder, Ledger.received) >= $1 + count }
        }
    }

    /// Tells both at which message to end, and waits until they have ended.
    private func finish() async throws {
        let confirmed = clients.flatMap { Ledger.numbers(in: $0.folder, Ledger.confirmed) }
        let end = (confirmed.max() ?? 0) + Self.remainder
        for client in clients {
            try "\(end)".write(
                toFile: "\(client.folder)/\(Ledger.end)", atomically: true, encoding: .utf8)
        }
        try await wait(after: "the end") { clients.allSatisfy { $0.exitStatus != nil } }
    }

    private func wait(after what: String, until condition: () -> Bool) async throws {
        let deadline = ContinuousClock.now + Self.timeout
        while !condition() {
            guard ContinuousClock.now < deadline else {
                let logs = clients.map { String($0.output.suffix(1500)) }.joined(separator: "\n--- second:\n")
                throw Stuck(description: "The conversation does not go on after \(what).\n--- first:\n\(logs)")
            }
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
