import Foundation
import Synchronization
import TransportLayer
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas
import XMPPStream

/// One side of a conversation that continues whatever happens to the network and to this process.
///
/// It sends the numbers from 1 on, one per message, and records what it receives.
struct Conversation: Sendable {
    /// The maximum number of unacknowledged messages.
    private static let window = 8
    /// How far one side may be ahead of the other. A disk may be slower than a network.
    private static let lead = 30

    let folder: String
    let settings: Settings
    let store: LedgerStore
    let received: LineFile
    let peer: JID
    /// The highest number of the other side.
    let heard = Counter()

    init(folder: String) throws {
        self.folder = folder
        settings = try JSONDecoder().decode(
            Settings.self, from: Data(contentsOf: URL(filePath: "\(folder)/\(Ledger.settings)")))
        store = LedgerStore(
            file: try FileSessionStore(path: "\(folder)/\(Ledger.session)", keeping: Self.isPart),
            confirmed: try LineFile(path: "\(folder)/\(Ledger.confirmed)"))
        received = try LineFile(path: "\(folder)/\(Ledger.received)")
        peer = try JID(settings.peer)
        heard.count = Ledger.received(in: folder).last.flatMap { Int($0.body) } ?? 0
    }

    private static func isPart(_ element: XMLElement) -> Bool {
        (try? Message(from: element))?.body != nil
    }

    private var configuration: ClientConfiguration {
        get throws {
            var configuration = ClientConfiguration(address: try JID(settings.address), password: settings.password)
            configuration.host = settings.host
            configuration.port = settings.port
            configuration.encryption = settings.usesDirectTLS ? .directTLS : .required
            configuration.trust = .certificateAuthority(settings.authorityFile)
            configuration.store = store
            configuration.keepAlive = .probe(silence: .milliseconds(500), timeout: .milliseconds(700))
            configuration.loginTimeout = .seconds(4)
            configuration.reconnection = ReconnectionPolicy(
                attempts: nil, backoff: Backoff(first: .milliseconds(20), longest: .milliseconds(500)))
            configuration.reconnection.retriesFirstLogin = true
            return configuration
        }
    }

    struct SessionLost: Error {}

    func run() async throws {
        var isOver = false
        while !isOver {
            do {
                isOver = try await Client(try configuration).run(from: .connecting) { session in
                    let events = session.events(.connection)
                    return try await withThrowingTaskGroup(of: Void.self) { group in
                        group.addTask { try await watch(session, events) }
                        try await session.waitUntilOnline()
                        group.addTask { try await speak(in: session) }
                        group.addTask { try await listen() }
                        // Sends and receives; the watch runs until it is cancelled.
                        try await group.next()
                        try await group.next()
                        group.cancelAll()
                        return true
                    }
                }
            } catch {
                say("the session ended: \(error)")
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        say("over")
    }

    private func say(_ text: String) {
        let time = Date.now.timeIntervalSince1970
        // Not `print`, whose buffer is lost when the process is killed.
        try? FileHandle.standardOutput.write(contentsOf: Data((String(format: "%.3f ", time) + text + "\n").utf8))
    }

    /// Sends presence in a new session, and records the connections. Throws when the session is lost.
    private func watch(_ session: Session, _ events: SessionEvents) async throws {
        var isFirst = true
        for await batch in events {
            for case .connection(let event) in batch {
                switch event {
                case .online(_, let isResumed):
                    say(isResumed ? "resumed" : "new session")
                    guard isResumed || isFirst else { throw SessionLost() }
                    isFirst = false
                    if !isResumed { _ = try await session.send(Presence()) }
                case .disconnected(let error, _): say("disconnected: \(error?.message ?? "as wished")")
                default: break
                }
            }
        }
        guard Task.isCancelled else { throw SessionLost() }
    }

    // MARK: Speaking

    /// Sends numbers until the last one is confirmed.
    private func speak(in session: Session) async throws {
        // In this order: the session is running, and the messages that it sends from now on are recorded already.
        let waiting = Set(try await store.loadSession()?.resumption.unacknowledged.compactMap(\.number) ?? [])
        // Messages of lost sessions, which may or may not have arrived.
        let lost = Set(store.file.unacknowledged.compactMap(\.number))
        let confirmed = Set(Ledger.numbers(in: folder, Ledger.confirmed))
        var again = lost.subtracting(confirmed).subtracting(waiting).sorted()
        if !again.isEmpty { say("sent again: \(again), left by an earlier session") }
        var next = (confirmed.union(waiting).union(again).max() ?? 0) + 1
        var inFlight: [(number: Int, token: SendToken)] = []
        while true {
            while inFlight.count < Self.window, let number = again.first ?? (isPast(next) ? nil : next) {
                guard number <= heard.count + Self.lead else {
                    try await Task.sleep(for: .milliseconds(settings.pace))
                    continue
                }
                do throws(ClientError) {
                    let token = try await session.send(.chat(to: peer, body: "\(number)", id: "\(number)"))
                    inFlight.append((number, token))
                    if again.isEmpty { next += 1 } else { again.removeFirst() }
                } catch {
                    guard error.code == .notConnected || error.code == .queueFull else { throw error }
                    try await Task.sleep(for: .milliseconds(20))
                }
                try await Task.sleep(for: .milliseconds(settings.pace))
            }
            guard !inFlight.isEmpty else { break }
            if let error = await failure(of: inFlight[0].token) { throw error }
            inFlight.removeFirst()
        }
        while Set(Ledger.numbers(in: folder, Ledger.confirmed)).count < next - 1 {
            try await Task.sleep(for: .milliseconds(50))
        }
        say("all said: \(next - 1)")
    }

    /// `nil` once the server has acknowledged the message. A lost session ends this run: the next one starts from the
    /// files.
    private func failure(of token: SendToken) async -> ClientError? {
        do throws(ClientError) {
            try await token.reached(.acknowledged)
            return nil
        } catch {
            return error
        }
    }

    private func isPast(_ number: Int) -> Bool {
        Ledger.end(in: folder).map { number > $0 } ?? false
    }

    // MARK: Listening

    /// Records received messages until the last one.
    private func listen() async throws {
        var seen = Ledger.received(in: folder).last?.position ?? 0
        while !isComplete {
            let inbox = store.file.inbox
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    // The report of the end may arrive after the last message.
                    while !isComplete { try await Task.sleep(for: .milliseconds(50)) }
                }
                group.addTask { [seen] in
                    var seen = seen
                    for await message in inbox {
                        if message.number > seen {
                            try note(message)
                            seen = message.number
                        }
                        try await store.file.finish(message)
                    }
                    throw CancellationError()
                }
                try await group.next()
                group.cancelAll()
            }
            seen = Ledger.received(in: folder).last?.position ?? 0
        }
        say("all heard")
    }

    /// After a session that could not be resumed, received messages may arrive again; their numbers identify them.
    private func note(_ message: FileSessionStore.Received) throws {
        let body = try Message(from: message.stanza).body ?? ""
        guard let number = Int(body), number > heard.count else { return say("doubled: \(body)") }
        try received.append("\(message.number) \(body)")
        heard.count = number
    }

    private var isComplete: Bool {
        guard let end = Ledger.end(in: folder) else { return false }
        return Ledger.received(in: folder).contains { $0.body == "\(end)" }
    }
}
