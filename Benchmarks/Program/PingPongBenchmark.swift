import Glibc
import Synchronization
import Waiting
import XMPPAddress
import XMPPClient
import XMPPStanzas

/// The ways in which one message is answered by the next.
enum PingPongMode: String, CaseIterable {
    /// Interceptors answer.
    case handler
    /// Tasks answer what they get in batches.
    case batches
    /// Interceptors, with stream management.
    case managed
}

/// What both ends of the exchange know.
private final class Exchange: Sendable {
    private let received = Mutex(0)
    private let total: Int
    let isOver = Gate()

    init(total: Int) { self.total = total }

    /// A message came back; returns whether another one should be sent, and its number.
    func next(outstanding: Int) -> Int? {
        let number = received.withLock { received in
            received += 1
            return received
        }
        if number == total { isOver.open() }
        let following = number + outstanding - 1
        return following < total ? following : nil
    }

    static func text(_ number: Int) -> String {
        "message number \(number): lunch at 12 & code review <later> 你好 🚀"
    }
}

/// The first end sends messages, and the next one when one comes back; the second end sends each one back.
private final class End: StanzaInterceptor {
    private let exchange: Exchange
    private let outstanding: Int?

    /// - Parameter outstanding: `nil` for the second end.
    init(_ exchange: Exchange, outstanding: Int?) {
        self.exchange = exchange
        self.outstanding = outstanding
    }

    func answer(to message: Message) -> Message? {
        guard let body = message.body, let sender = message.from else { return nil }
        guard let outstanding else { return .chat(to: sender, body: body) }
        return exchange.next(outstanding: outstanding).map { .chat(to: sender, body: Exchange.text($0)) }
    }

    func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception? {
        guard case .message(let message) = stanza else { return .pass(stanza) }
        if let answer = answer(to: message) { _ = try? session.post(answer) }
        return .handled
    }
}

/// Measures messages there and back between two clients in this process, through a server.
///
/// - Parameter outstanding: the number of messages that are on the way at the same time.
func measurePingPong(_ mode: PingPongMode, server: BenchmarkServer, messages: Int, outstanding: Int) async throws {
    let exchange = Exchange(total: messages)
    let (first, second) = (End(exchange, outstanding: outstanding), End(exchange, outstanding: nil))
    var one = try server.configuration("juliet@capulet.example/a")
    var other = try server.configuration("romeo@capulet.example/b")
    for configuration in [0, 1] {
        let end = configuration == 0 ? first : second
        func set(_ settings: inout ClientConfiguration) {
            settings.usesStreamManagement = mode == .managed
            if mode != .batches { settings.interceptors = [end] }
        }
        if configuration == 0 { set(&one) } else { set(&other) }
    }
    let receiver = try JID("romeo@capulet.example/b")
    try await Client(other).run { echo in
        try await echo.send(Presence())
        try await Client(one).run { session in
            try await session.send(Presence())
            // What the presence brings is over.
            try await Task.sleep(for: .milliseconds(500))
            let tasks: [Task<Void, any Error>] =
                mode == .batches ? [answering(second, on: echo), answering(first, on: session)] : []
            let start = usedTime()
            for number in 0..<outstanding {
                try await session.send(.chat(to: receiver, body: Exchange.text(number)))
            }
            await exchange.isOver.wait()
            let microseconds = (usedTime() - start) / Double(2 * messages) * 1e6
            print("\(mode.rawValue) \(microseconds) us/message stanzas=\(2 * messages)")
            for task in tasks { task.cancel() }
        }
    }
}

private func answering(_ end: End, on session: Session) -> Task<Void, any Error> {
    let events = session.events(.messages)
    return Task {
        for await batch in events {
            for case .message(let message) in batch {
                if let answer = end.answer(to: message) { try await session.send(answer) }
            }
        }
    }
}
