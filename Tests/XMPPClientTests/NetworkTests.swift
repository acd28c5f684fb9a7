import HongyanTesting
import Synchronization
import Testing
import TransportLayer
import Waiting
import XMPPAddress
import XMPPStanzas
import XMPPStream

@testable import XMPPClient

/// A network that a test changes.
private final class PretendedNetwork: NetworkMonitor {
    private let watchers = Mutex<[AsyncStream<NetworkChange>.Continuation]>([])

    func changes() -> AsyncStream<NetworkChange> {
        let (stream, continuation) = AsyncStream.makeStream(of: NetworkChange.self)
        watchers.withLock { $0.append(continuation) }
        return stream
    }

    /// Notifies all observers; a session starts observing in a separate task.
    func change(_ change: NetworkChange) async {
        while watchers.withLock(\.isEmpty) { await Task.yield() }
        for watcher in watchers.withLock(\.self) { watcher.yield(change) }
    }
}

/// A connection whose peer takes nothing more from some moment on, and that breaks when a test says so.
private final class StuckTransport: Transport {
    private let base: any Transport
    private let isStuck = Atomic(false)
    private let broken = Gate()

    init(_ base: any Transport) { self.base = base }

    func stick() { isStuck.store(true, ordering: .sequentiallyConsistent) }

    func breakOff() {
        broken.open()
        base.abort()
    }

    func read() async throws(TransportError) -> [UInt8] { try await base.read() }

    func write(_ bytes: [UInt8]) async throws(TransportError) {
        guard isStuck.load(ordering: .sequentiallyConsistent) else { return try await base.write(bytes) }
        await broken.wait()
        throw TransportError(.connectionReset, "The line is broken.")
    }

    func startTLS(_ configuration: TLSConfiguration) async throws(TransportError) -> NegotiatedTLS {
        try await base.startTLS(configuration)
    }
    func finishWriting() async throws(TransportError) { try await base.finishWriting() }
    func close() async { await base.close() }
    func abort() { base.abort() }
    var tlsInformation: NegotiatedTLS? { get async { await base.tlsInformation } }
}

@Suite("Changes of the network", .timeLimit(.minutes(20)))
struct NetworkTests {
    private let server = MemoryServer()
    private let network = PretendedNetwork()
    private let line = LineFaults()

    private func configuration() throws -> ClientConfiguration {
        try server.account("alice") { [line, network] configuration in
            configuration.networkMonitor = network
            configuration.reconnection = ReconnectionPolicy(
                attempts: nil, backoff: Backoff(first: .seconds(3600), longest: .seconds(3600)))
            line.apply(to: &configuration)
        }
    }

    private func state(_ events: SessionEvents, where condition: (ConnectionState) -> Bool) async -> ConnectionState? {
        await events.first { event -> ConnectionState? in
            guard case .stateChanged(let state) = event, condition(state) else { return nil }
            return state
        }
    }

    @Test("W-27, #101, #889: offline, the session connects immediately when the network changes")
    func immediately() async throws {
        try await Client(configuration()).run { session in
            let events = session.events(.connection)
            await server.cut("alice")
            _ = await state(events) { if case .offline = $0 { true } else { false } }
            await network.change(.changed)
            #expect(await state(events, where: \.isOnline) == .online(isResumed: true))
        }
        #expect(await server.connections == 2)
    }

    @Test("without a network it waits, without making attempts, and reports that")
    func waiting() async throws {
        try await Client(configuration()).run { session in
            let events = session.events(.connection)
            line.refuse()
            await network.change(.unavailable)
            await server.cut("alice")
            let waiting = await state(events) { if case .offline(_, nil) = $0 { true } else { false } }
            guard case .offline(let reason?, nil)? = waiting else {
                Issue.record("\(String(describing: waiting))")
                return
            }
            #expect(reason.code == .connectionFailed)
            line.refuse(false)
            await network.change(.available)
            #expect(await state(events, where: \.isOnline) != nil)
        }
    }

    @Test("online, it checks the connection and keeps one that is alive")
    func probes() async throws {
        try await Client(configuration()).run { session in
            let before = await session.traffic.keepAlives
            await network.change(.changed)
            while await session.traffic.keepAlives == before { await Task.yield() }
            _ = try await session.request(Ping())
            #expect(await session.isOnline)
        }
        #expect(await server.connections == 1)
    }

    @Test("online on a dead connection, it is online again after the timeout")
    func deadConnection() async throws {
        let manual = ManualClock()
        var configuration = try configuration()
        configuration.clock = manual.clock
        // The clock runs fast while the connection is replaced.
        configuration.loginTimeout = .seconds(3600)
        try await Client(configuration).run { session in
            let events = session.events(.connection)
            await server.freeze("alice")
            let before = await session.traffic.keepAlives
            await network.change(.changed)
            while await session.traffic.keepAlives == before { await Task.yield() }
            let start = manual.clock.now()
            let online = try await manual.run(.milliseconds(100)) { await state(events, where: \.isOnline) }
            #expect(online != nil)
            #expect(start.duration(to: manual.clock.now()) < .seconds(3600))
        }
    }

    @Test("a connection that breaks while nothing is read because too much waits to be written is noticed at once")
    func brokenWhileFull() async throws {
        let opened = Mutex<[StuckTransport]>([])
        let configuration = try server.account("alice") {
            // The clock stands still: a timeout does not help.
            VirtualClock().drive(&$0)
            $0.reconnection = ReconnectionPolicy(attempts: nil, backoff: Backoff(first: .zero))
            let connect = $0.transports.connect
            $0.transports = TransportFactory { target throws(TransportError) in
                let transport = StuckTransport(try await connect(target))
                opened.withLock { $0.append(transport) }
                return transport
            }
        }
        try await Client(configuration).run { session in
            let events = session.events(.connection)
            let first = opened.withLock { $0.first }
            let transport = try #require(first)
            transport.stick()
            // Each is answered with its identifier, until four megabytes of answers wait.
            let id = String(repeating: "i", count: 1000)
            let request = "<iq type='get' id='\(id)'><question xmlns='urn:example:question'/></iq>"
            let requests = String(repeating: request, count: 500)
            for _ in 0..<10 { try await server.send(requests, to: "alice") }
            while await !session.isOutboxOverflowing { await Task.yield() }
            transport.breakOff()
            #expect(await state(events) { if case .offline = $0 { true } else { false } } != nil)
            #expect(await state(events, where: \.isOnline) != nil)
        }
    }
}

extension Session {
    fileprivate var isOutboxOverflowing: Bool { connection.writer.outbox.isOverflowing }
}
