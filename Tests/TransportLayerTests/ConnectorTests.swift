import Glibc
import HongyanTesting
import ServerFixtures
import Synchronization
import Testing

@testable import TransportLayer

@Suite(.timeLimit(.minutes(20)))
struct ConnectorTests {
    private func connector(_ names: NameServer, delay: Duration? = nil) -> Connector {
        var configuration = Connector.Configuration()
        configuration.resolver = names.configuration
        if let delay { configuration.candidateDelay = delay }
        return Connector(configuration: configuration)
    }

    @Test("S0-20: without a host the domain's SRV records are used; if the first target refuses, the second is tried")
    func failover() async throws {
        let dead = try DeadPort()
        let listener = try await TCPListener.listen(at: Loopback.address())
        let names = try await NameServer([
            "srv-host=_xmpps-client._tcp.xmpp.test,dead.xmpp.test,\(dead.address.port),5,0",
            "srv-host=_xmpp-client._tcp.xmpp.test,gone.xmpp.test,5222,7,0",
            "srv-host=_xmpp-client._tcp.xmpp.test,live.xmpp.test,\(listener.address.port),10,0",
            "host-record=dead.xmpp.test,127.0.0.1", "host-record=live.xmpp.test,127.0.0.1",
        ])
        defer { names.stop() }
        let events = Mutex<[ConnectionProgress]>([])
        // Longer than a failed attempt takes under load: each failure starts the next attempt, not the time.
        let connector = connector(names, delay: .seconds(30))
        let connection = try await connector.connect(to: .domain("xmpp.test"), tls: Loopback.client()) { event in
            events.withLock { $0.append(event) }
        }
        #expect(connection.candidate.host == "live.xmpp.test")
        #expect(connection.tls == nil)
        _ = try await listener.accept()
        let seen = events.withLock { $0 }
        #expect(seen.first == .resolving("xmpp.test"))
        #expect(seen.count { if case .failed = $0 { true } else { false } } == 2)
        // S0-26: TCP is connected.
        #expect(seen.last == .connected(connection.candidate, listener.address))
    }

    @Test("S0-30: direct TLS is secured immediately, for the name of the domain and not of the host (W-7)")
    func directTLS() async throws {
        let listener = try await TCPListener.listen(at: Loopback.address())
        let names = try await NameServer([
            "srv-host=_xmpps-client._tcp.xmpp.test,elsewhere.test,\(listener.address.port),5,0",
            "host-record=elsewhere.test,127.0.0.1",
        ])
        defer { names.stop() }
        var server = try await Loopback.server()
        server.applicationProtocols = ["xmpp-client"]
        async let accepted = listener.accept().acceptTLS(server)
        let connection = try await connector(names).connect(to: .domain("xmpp.test"), tls: Loopback.client())
        #expect(connection.candidate.security == .directTLS)
        #expect(connection.tls?.applicationProtocol == "xmpp-client")
        #expect(try await accepted.applicationProtocol == "xmpp-client")
    }

    @Test("S3-32: a bad certificate is the error, however many targets there were")
    func badCertificate() async throws {
        let dead = try DeadPort()
        let listener = try await TCPListener.listen(at: Loopback.address())
        let names = try await NameServer([
            "srv-host=_xmpps-client._tcp.xmpp.test,live.xmpp.test,\(listener.address.port),5,0",
            "srv-host=_xmpp-client._tcp.xmpp.test,live.xmpp.test,\(dead.address.port),10,0",
            "host-record=live.xmpp.test,127.0.0.1",
        ])
        defer { names.stop() }
        let server = try await Loopback.server(.expired)
        async let accepted = Result { () async throws(TransportError) in try await listener.accept().acceptTLS(server) }
        let client = try await Loopback.client()
        let error = await #expect(throws: TransportError.self) {
            _ = try await connector(names).connect(to: .domain("xmpp.test"), tls: client)
        }
        _ = await accepted
        #expect(error?.code == .certificateRefused)
        #expect(error?.attempts.count == 2)
    }

    @Test("S3-14: without SRV records the domain itself is tried, at port 5222 (S0-21, S3-16)")
    func fallback() async throws {
        // An address of the test network range: it has no route or does not answer; only the attempt matters.
        let names = try await NameServer(["host-record=plain.test,127.0.0.99"])
        defer { names.stop() }
        let tls = try await Loopback.client()
        let events = Mutex<[ConnectionProgress]>([])
        _ = try? await connector(names).connect(to: .domain("plain.test"), tls: tls) { event in
            events.withLock { $0.append(event) }
        }
        let expected = ConnectionCandidate(host: "plain.test", port: 5222, security: .startTLS)
        #expect(events.withLock { $0 }.contains(.connecting(expected)))
    }

    @Test("S3-14: if DNS does not answer for SRV, the domain is tried, and the error contains both")
    func brokenServer() async throws {
        var configuration = Connector.Configuration()
        configuration.resolver.servers = ["127.0.0.1:\(try NameServer.freePort())"]
        configuration.resolver.deadline = .milliseconds(300)
        configuration.resolver.attempt = .milliseconds(100)
        let tls = try await Loopback.client()
        let connector = Connector(configuration: configuration)
        let error = await #expect(throws: TransportError.self) {
            _ = try await connector.connect(to: .domain("broken.test"), tls: tls)
        }
        #expect(error?.attempts.map(\.target) == ["SRV of broken.test", "broken.test:5222"])
        #expect(error?.description.contains("broken.test") == true)
    }

    @Test("A domain that does not offer XMPP is not connected to at all")
    func notOffered() async throws {
        let names = try await NameServer(["srv-host=_xmpp-client._tcp.none.test", "host-record=none.test,127.0.0.1"])
        defer { names.stop() }
        let tls = try await Loopback.client()
        let error = await #expect(throws: TransportError.self) {
            _ = try await connector(names).connect(to: .domain("none.test"), tls: tls)
        }
        #expect(error?.code == .serviceNotOffered)
    }

    @Test("S3-15: a configured host skips SRV and DNS", arguments: ["127.0.0.1", "::1"])
    func explicitHost(_ host: String) async throws {
        let listener = try await TCPListener.listen(at: Loopback.address(host))
        var configuration = Connector.Configuration()
        // No query is made: this server does not exist.
        configuration.resolver.servers = ["127.0.0.1:1"]
        let connection = try await Connector(configuration: configuration).connect(
            to: .host(host, port: listener.address.port), tls: Loopback.client())
        #expect(connection.candidate.port == listener.address.port)
        _ = try await listener.accept()
    }

    @Test("S0-21: a port of 0 or none is 5222; the error contains what was tried", arguments: [nil, 0] as [UInt16?])
    func defaultPort(_ port: UInt16?) async throws {
        var configuration = Connector.Configuration()
        configuration.candidateTimeout = .milliseconds(500)
        let tls = try await Loopback.client()
        let events = Mutex<[ConnectionProgress]>([])
        _ = try? await Connector(configuration: configuration).connect(to: .host("127.0.0.98", port: port), tls: tls) {
            event in
            events.withLock { $0.append(event) }
        }
        #expect(
            events.withLock { $0 }.first
                == .connecting(ConnectionCandidate(host: "127.0.0.98", port: 5222, security: .startTLS)))
    }

    @Test("The whole attempt ends at the deadline; cancelling ends it sooner (W-9)")
    func deadline() async throws {
        let silent = try SilentListener()
        defer { silent.close() }
        var configuration = Connector.Configuration()
        configuration.deadline = .milliseconds(200)
        let tls = try await Loopback.client()
        let target = ConnectionTarget.host("127.0.0.1", port: silent.address.port)
        let connector = Connector(configuration: configuration)
        let error = await #expect(throws: TransportError.self) {
            _ = try await connector.connect(to: target, tls: tls)
        }
        #expect(error?.code == .timedOut)
        let attempt = Task {
            await Result { () async throws(TransportError) in try await Connector().connect(to: target, tls: tls) }
        }
        attempt.cancel()
        guard case .failure(let failure) = await attempt.value else {
            Issue.record("it must not connect")
            return
        }
        #expect(failure.code == .cancelled)
    }

    @Test("A silent address does not delay the next one of the host")
    func race() async throws {
        let silent = try SilentListener()
        defer { silent.close() }
        let listener = try await TCPListener.listen(at: Loopback.address("::1", port: silent.address.port))
        let race = AddressRace(
            addresses: [silent.address, listener.address], delay: .milliseconds(20), deadline: .now + .seconds(30),
            limits: TransportLimits(), loop: .shared)
        let (winner, _) = await race.run()
        #expect(await winner?.remoteAddress == listener.address)
    }
}
