import ServerFixtures
import Testing

@Suite("Fault proxy", .timeLimit(.minutes(20)))
struct FaultProxyTests {
    /// A response of a real server: Prosody's answer to a stream header.
    private func greet(_ connection: borrowing LoopbackConnection) throws -> String {
        try connection.send(streamHeader(to: "xmpp.test"))
        return try connection.receive(until: "</stream:features>")
    }

    private func proxy() async throws -> FaultProxy {
        try FaultProxy(to: try await PrivateProsody.shared.port)
    }

    @Test("forwards in both directions and counts")
    func forwards() async throws {
        let proxy = try await proxy()
        let connection = try LoopbackConnection(port: proxy.port)
        let answer = try greet(connection)
        #expect(answer.contains("from='xmpp.test'"))
        let counters = try await proxy.wait { $0.downstreamBytes >= answer.utf8.count }
        #expect(counters.upstreamBytes == streamHeader(to: "xmpp.test").utf8.count)
        #expect(counters.accepted == 1)
        #expect(counters.open == 1)
    }

    @Test("one byte at a time gives the same bytes")
    func slices() async throws {
        let proxy = try await proxy()
        proxy.configure { $0.downstreamSliceSize = 1 }
        let connection = try LoopbackConnection(port: proxy.port)
        #expect(try greet(connection).contains("from='xmpp.test'"))
    }

    @Test("latency delays each direction")
    func delays() async throws {
        let proxy = try await proxy()
        proxy.configure { $0.latency = .milliseconds(100) }
        let connection = try LoopbackConnection(port: proxy.port)
        let time = try ContinuousClock().measure { _ = try greet(connection) }
        #expect(time >= .milliseconds(200))
    }

    @Test("a stall keeps the connection open and loses nothing when it ends")
    func stalls() async throws {
        let proxy = try await proxy()
        proxy.configure { $0.stallsDownstream = true }
        let connection = try LoopbackConnection(port: proxy.port, timeout: .milliseconds(200))
        #expect(throws: FixtureError.self) { try greet(connection) }
        try await proxy.wait { $0.upstreamBytes > 0 }
        #expect(proxy.counters.downstreamBytes == 0)
        proxy.heal()
        connection.wait(upTo: .seconds(120))
        #expect(try connection.receive(until: "</stream:features>").contains("from='xmpp.test'"))
    }

    @Test("a reset is an error for the client, not an end")
    func resets() async throws {
        let proxy = try await proxy()
        let connection = try LoopbackConnection(port: proxy.port)
        _ = try greet(connection)
        proxy.resetConnections()
        #expect(throws: FixtureError.self) { try connection.receive() }
        #expect(proxy.counters.open == 0)
    }

    @Test("a reset occurs after exactly the requested number of bytes")
    func resetsAfterBytes() async throws {
        let proxy = try await proxy()
        proxy.configure { $0.resetsAfterDownstreamBytes = 10 }
        let connection = try LoopbackConnection(port: proxy.port)
        #expect(throws: FixtureError.self) { try greet(connection) }
        #expect(try await proxy.wait { $0.open == 0 }.downstreamBytes == 10)
    }

    @Test("a half-close is an end of the stream for the client, which can still send")
    func halfCloses() async throws {
        let proxy = try await proxy()
        let connection = try LoopbackConnection(port: proxy.port)
        _ = try greet(connection)
        proxy.endTowardsClients()
        #expect(try connection.receive() == nil)
        let before = proxy.counters.upstreamBytes
        try connection.send(" ")
        try await proxy.wait { $0.upstreamBytes == before + 1 }
    }

    @Test("refused, silent, and forwarded again on the same port")
    func refusesAndHangs() async throws {
        let proxy = try await proxy()
        proxy.configure { $0.acceptance = .refuse }
        #expect(isRefused(proxy.port))
        proxy.configure { $0.acceptance = .hang }
        let connection = try LoopbackConnection(port: proxy.port, timeout: .milliseconds(200))
        #expect(throws: FixtureError.self) { try greet(connection) }
        proxy.heal()
        connection.wait(upTo: .seconds(120))
        #expect(try connection.receive(until: "</stream:features>").contains("from='xmpp.test'"))
    }

    @Test("a failed network answers nothing, and everything continues when it is back")
    func blackholes() async throws {
        let proxy = try await proxy()
        let old = try LoopbackConnection(port: proxy.port, timeout: .milliseconds(200))
        try await proxy.wait { $0.accepted == 1 }
        proxy.blackhole()
        #expect(throws: FixtureError.self) { try greet(old) }
        #expect(throws: FixtureError.self) {
            _ = try LoopbackConnection(port: proxy.port, timeout: .milliseconds(200))
        }
        #expect(proxy.counters.accepted == 1)
        proxy.heal()
        old.wait(upTo: .seconds(120))
        #expect(try old.receive(until: "</stream:features>").contains("from='xmpp.test'"))
        let new = try LoopbackConnection(port: proxy.port)
        #expect(try greet(new).contains("from='xmpp.test'"))
    }

    @Test("counts round trips, not pieces")
    func countsRoundTrips() async throws {
        let proxy = try await proxy()
        proxy.configure { $0.latency = .milliseconds(100) }
        let connection = try LoopbackConnection(port: proxy.port)
        for piece in streamHeader(to: "xmpp.test").split(separator: " ") { try connection.send("\(piece) ") }
        #expect(try connection.receive(until: "</stream:features>").contains("from='xmpp.test'"))
        #expect(proxy.counters.roundTrips == 1)
        try connection.send("<starttls xmlns='urn:ietf:params:xml:ns:xmpp-tls'/>")
        #expect(try connection.receive(until: "/>").contains("proceed"))
        #expect(proxy.counters.roundTrips == 2)
    }

    @Test("a missing server resets the client")
    func passesOnThatNobodyListens() async throws {
        let server = try await PrivateProsody.shared
        let refused = try FaultProxy(to: server.port)
        refused.configure { $0.acceptance = .refuse }
        let proxy = try FaultProxy(to: refused.port)
        let connection = try LoopbackConnection(port: proxy.port)
        #expect(throws: FixtureError.self) { try greet(connection) }
    }

    @Test("a command to a stopped proxy does not block")
    func stops() async throws {
        let proxy = try await proxy()
        proxy.stop()
        proxy.resetConnections()
        #expect(isRefused(proxy.port))
    }

    /// Whether connections are refused, now or in a moment: a program that another test is starting has copies of all
    /// sockets until it executes.
    private func isRefused(_ port: UInt16) -> Bool {
        let end = ContinuousClock.now + .seconds(60)
        while ContinuousClock.now < end {
            do { _ = try LoopbackConnection(port: port) } catch { return true }
        }
        return false
    }
}
