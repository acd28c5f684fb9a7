import Foundation
import Synchronization
import TransportLayer
import XMLStreaming
import XMPPAddress
import XMPPClient
import XMPPStanzas
import XMPPStream

/// One side of a conversation that goes on whatever happens to the network and to this process.
///
/// It sends the numbers from 1 on, one message each, and writes down what comes.
struct Conversation: Sendable {
    /// How many messages may wait for the server's confirmation.
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
            configuration.keepAlive = .probe(silence: .milliseconds(500), patience: .milliseconds(700))
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
                        // Speaking and listening; the watch goes on until it is ended.
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
        // Not print, which keeps what is in its buffer when the process is killed.
        try? FileHandle.standardOutput.write(contentsOf: Data((String(format: "%.3f ", time) + text + "\n").utf8))
    }

    /// Makes itself available in a new session, and notes how connections come and go. Throws when the session is lost.
    private func watch(_ session: Session, _ events: SessionEvents) async throws {
        var isFirst = true
        for await batch in events {
            for case .connection(let event) in batch {
                switch event {
                case .online(_, let isResumed):
                    say(isResumed ? "resumed" : "anew")
                    guard isResumed || isFirst else { throw SessionLost() }
                    isFirst = false
                    if !isResumed { _ = try await session.send(Presence()) }
                case .disconnected(let error, _): say("disconnected: \(error?.sentence ?? "as wished")")
                default: break
                }
            }
        }
        guard Task.isCancelled else { throw SessionLost() }
    }

    // MARK: Speaking

    /// Sends numbers until the last one is confirmed.
    private func speak(in session: Session) async throws {
        // In this order: the session is at work, and what it takes from here stands there already.
        let waiting = Set(try await store.loadSession()?.resumption.unacknowledged.compactMap(\.number) ?? [])
        // Of sessions that are gone: nobody knows whether they arrived.
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

    /// Nil when the server has confirmed the message. A session that is lost ends this run: the next one begins with what the
    /// files say.
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

    /// Writes down what comes until the last one.
    private func listen() async throws {
        var seen = Ledger.received(in: folder).last?.position ?? 0
        while !isComplete {
            let inbox = store.file.inbox
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask {
                    // The word that the end has come may come after the last message.
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

    /// A session that could not be resumed may bring again what had come before it was lost, which is known by its number.
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
