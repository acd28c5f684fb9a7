import EntityInformation
import Glibc
import MessageFeatures
import MessageHistory
import MessagePayloads
import Roster
import ServiceDiscovery
import Synchronization
import XMPPAddress
import XMPPClient
import XMPPStanzas

/// The ways of receiving that are measured.
enum ReceiveMode: String, CaseIterable {
    /// An interceptor gets each stanza.
    case handler
    /// A task gets the events in batches.
    case batches
    /// The same on the thread of the session.
    case near
    /// The handler with stream management.
    case managed
    /// The batches with stream management and the extensions of a usual client.
    case extensions
}

/// Counts the messages with a body, as an interceptor.
private final class Counting: StanzaInterceptor {
    private let count = Mutex(0)
    private let ended: AsyncStream<Int>.Continuation

    init(_ ended: AsyncStream<Int>.Continuation) { self.ended = ended }

    func decide(received stanza: AnyStanza, in session: isolated Session) -> Interception? {
        guard case .message(let message) = stanza, let body = message.body else { return .handled }
        if body == "end", message.from?.local == nil {
            ended.yield(count.withLock { $0 })
        } else {
            count.withLock { $0 += 1 }
        }
        return .handled
    }
}

/// The number of messages with a body before the end.
private func bodies(of events: SessionEvents) async -> Int {
    var count = 0
    for await batch in events {
        for case .message(let message) in batch {
            guard let body = message.body else { continue }
            if body == "end", message.from?.local == nil { return count }
            count += 1
        }
    }
    return count
}

/// Measures receiving the corpus of `loopback_server.py`.
func measureReceiving(_ mode: ReceiveMode, port: UInt16, stanzas: Int) async throws {
    let server = BenchmarkServer(port: port, authority: nil)
    var configuration = try server.configuration("juliet@capulet.example/balcony-7f3a")
    configuration.usesStreamManagement = mode == .managed || mode == .extensions
    let (ended, continuation) = AsyncStream.makeStream(of: Int.self)
    if mode == .handler || mode == .managed { configuration.interceptors = [Counting(continuation)] }
    if mode == .extensions {
        configuration.add { Roster($0) }
        configuration.add { ServiceDiscovery($0) }
        configuration.add { _ in EntityInformation() }
        configuration.add { _ in DeliveryReceipts() }
        configuration.add { _ in DisplayedMarkers() }
        configuration.add { _ in Carbons() }
        configuration.add { MessageArchive($0) }
    }
    let usesEvents = mode == .batches || mode == .near || mode == .extensions
    try await Client(configuration).run { session in
        let events = usesEvents ? session.events(.messages) : nil
        try await session.send(Presence())
        let start = usedTime()
        try await session.send(.chat(to: try JID("capulet.example"), body: "go"))
        var count = 0
        if let events {
            count =
                if mode == .near {
                    await withTaskExecutorPreference(session.taskExecutor) { await bodies(of: events) }
                } else {
                    await bodies(of: events)
                }
        } else {
            for await total in ended {
                count = total
                break
            }
        }
        let microseconds = (usedTime() - start) / Double(max(stanzas, 1)) * 1e6
        print("\(mode.rawValue) \(microseconds) us/stanza bodies=\(count)")
    }
}
