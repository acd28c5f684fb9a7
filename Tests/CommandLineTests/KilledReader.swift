import Foundation
import Glibc
import ProgramFixtures
import ServerFixtures
import Synchronization
import TransportLayer
import XMPPAddress
import XMPPClient
import XMPPStanzas

@testable import ChatStore

/// The example that writes each message into a database, in processes that are killed one after the other.
final class KilledReader: Sendable {
    struct Stalled: Error, CustomStringConvertible {
        let description: String
    }

    /// About as many lines of the example run until it is subscribed, and for one event.
    static let (linesOfStart, linesOfEvent) = (25, 14)
    /// What takes longer is not busy.
    private static let timeout = Duration.seconds(120)

    private let home: ProgramHome
    private let profile: String
    private let wrapper: String
    /// In memory, because every event is a transaction.
    private let database = "/dev/shm/hongyan-events-\(UUID().uuidString).db"

    init(of person: Person) throws {
        home = person.home
        profile = person.profile.folder
        wrapper = try home.write(
            "kill-at-line.py",
            """
            import os, runpy, signal, sys
            # Runs a program, and kills this process before the line with this number that runs.
            left, script = int(sys.argv[1]), sys.argv[2]
            def trace(frame, event, argument):
                global left
                if frame.f_code.co_filename != script: return None
                left -= event == "line"
                if left <= 0: os.kill(os.getpid(), signal.SIGKILL)
                return trace
            sys.argv = sys.argv[2:]
            sys.settrace(trace)
            runpy.run_path(script, run_name="__main__")
            """)
    }

    deinit { for suffix in ["", "-wal", "-shm"] { unlink(database + suffix) } }

    /// - Parameter line: the number of lines after which it kills itself; `nil` for a process that the test kills.
    func start(endingAtLine line: Int? = nil) throws -> Program {
        let words = [Program.example("Automation/messages.py"), database, profile]
        return try Program(
            "/usr/bin/env", ["python3"] + (line.map { [wrapper, String($0)] } ?? []) + words, home: home)
    }

    /// The number of messages in the database: the last row, which needs no count of all.
    var handled: Int {
        guard let connection = try? SQLiteConnection(path: database, mode: .readOnly) else { return 0 }
        return Int((try? connection.integer("SELECT max(rowid) FROM messages")) ?? 0)
    }

    func bodies() throws -> [String] {
        try SQLiteConnection(path: database, mode: .readOnly).rows("SELECT body FROM messages ORDER BY rowid") {
            row throws(StoreError) in row.text(0)
        }
    }

    /// Waits for a condition, and throws if nothing is handled for a long time.
    func wait(_ flow: EventFlow, _ description: @autoclosure () -> String, until isThere: () throws -> Bool)
        async throws
    {
        var (last, since) = (handled, ContinuousClock.now)
        while try !isThere() {
            try await Task.sleep(for: .milliseconds(5))
            let now = handled
            flow.handled(now)
            if now > last { (last, since) = (now, .now) }
            guard since.duration(to: .now) < Self.timeout else {
                throw Stalled(description: "nothing after \(last) of \(flow.sent) messages: \(description())")
            }
        }
    }
}

/// What was sent and handled: senders wait where the reader is far behind.
final class EventFlow: Sendable {
    private let counts = Mutex((sent: 0, handled: 0))
    private let limit: Int

    init(limit: Int) { self.limit = limit }

    var sent: Int { counts.withLock(\.sent) }
    var isFull: Bool { counts.withLock { $0.sent - $0.handled >= limit } }

    func sent(_ count: Int) { counts.withLock { $0.sent += count } }
    func handled(_ count: Int) { counts.withLock { $0.handled = count } }
}

/// A session that sends numbered messages.
struct EventSender: Sendable {
    /// The number of messages with one acknowledgement of the server.
    private static let batch = 25

    let number: Int
    let account: ServerFixtures.Account
    let server: any PrivateServer
    let receiver: JID

    func send(_ range: Range<Int>, _ flow: EventFlow) async throws {
        var configuration = ClientConfiguration(address: try JID(account.address), password: account.password)
        configuration.host = server.host
        configuration.port = server.port
        configuration.trust = .certificateAuthority(server.authorityFile)
        try await Client(configuration).run { session in
            for start in stride(from: range.lowerBound, to: range.upperBound, by: Self.batch) {
                while flow.isFull { try await Task.sleep(for: .milliseconds(20)) }
                let numbers = start..<min(start + Self.batch, range.upperBound)
                let messages = numbers.map { Message.chat(to: receiver, body: "\(number) \($0)", id: "event-\($0)") }
                let tokens = try await session.send(contentsOf: messages)
                flow.sent(numbers.count)
                try await tokens.last?.reached(.acknowledged)
            }
        }
    }
}
