import Synchronization
import Testing
import XMPPAddress
import XMPPClient
import XMPPStanzas

/// An extension of a program outside of this package: it counts the messages and notifies its observers.
private final class Counter: SessionExtension, StanzaInterceptor {
    private let channel = EventChannel<Int>()
    private let count = Mutex(0)

    var interceptors: [any StanzaInterceptor] { [self] }

    func events() -> AsyncStream<Int> { channel.stream() }

    func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        if case .message = stanza {
            channel.post(
                count.withLock { count in
                    count += 1
                    return count
                })
        }
        return .pass(stanza)
    }

    func sessionEnded(_ session: Session) { channel.finish() }
}

/// The state of a window.
@MainActor
private final class Screen {
    var numbers: [Int] = []

    func show(_ events: AsyncStream<Int>) async {
        for await number in events {
            MainActor.assertIsolated()
            numbers.append(number)
        }
    }
}

@Suite("Custom events", .timeLimit(.minutes(20)))
struct OwnEventsTests {
    @Test(
        "S2-13, S3-20, S3-21: a custom extension notifies several observers, one of them on the main actor, until the session ends"
    )
    func several() async throws {
        let server = MemoryServer()
        var configuration = try server.account("alice")
        configuration.add { _ in Counter() }
        let screen = Screen()
        let (own, other) = try await Client(configuration).run { session in
            let counter = try #require(session[Counter.self])
            let (first, second) = (counter.events(), counter.events())
            let shown = Task { await screen.show(first) }
            for number in 0..<3 {
                try await server.send("<message from='bob@xmpp.test'><body>\(number)</body></message>", to: "alice")
            }
            var seen: [Int] = []
            for await number in second {
                seen.append(number)
                if number == 3 { break }
            }
            return (shown, seen)
        }
        await own.value
        #expect(other == [1, 2, 3])
        #expect(await screen.numbers == [1, 2, 3])
    }
}
