import ServerFixtures
import Testing
import TransportLayer
import XMPPAddress
import XMPPClient
import XMPPStanzas

@Suite("A service with several servers", .timeLimit(.minutes(20)))
struct FailoverTests {
    /// The maximum delay that dead servers may cause for a login.
    private static let limit = Duration.seconds(3)

    /// How the second server hangs.
    enum Silence: String, Sendable, CaseIterable {
        /// TCP does not connect.
        case dead
        /// It accepts the connection and sends nothing.
        case mute
    }

    @Test(
        "the first refuses, the second hangs: the third is connected within three seconds",
        arguments: [
            (Silence.dead, "_xmpp-client._tcp"), (.dead, "_xmpps-client._tcp"), (.mute, "_xmpps-client._tcp"),
        ])
    func failsOver(silence: Silence, service: String) async throws {
        let server = try await ServerKind.prosody13.shared()
        let account = try await server.newAccount("failover")
        let refusing = try FaultProxy(to: server.port)
        refusing.configure { $0.acceptance = .refuse }
        let hanging = try FaultProxy(to: server.port)
        hanging.configure { $0.acceptance = silence == .dead ? .ignore : .hang }
        let port = service.hasPrefix("_xmpps") ? server.directTLSPort : server.startTLSPort

        let names = try await PrivateDNS([
            .service(service, domain: server.domain, target: "a.\(server.domain)", port: refusing.port, priority: 5),
            .service(service, domain: server.domain, target: "b.\(server.domain)", port: hanging.port, priority: 10),
            .service(service, domain: server.domain, target: "c.\(server.domain)", port: port, priority: 15),
            .address("a.\(server.domain)", "127.0.0.1"), .address("b.\(server.domain)", "127.0.0.1"),
            .address("c.\(server.domain)", "127.0.0.1"),
        ])
        let healthyNames = try await PrivateDNS([
            .service(service, domain: server.domain, target: "c.\(server.domain)", port: port, priority: 15),
            .address("c.\(server.domain)", "127.0.0.1"),
        ])
        // The time of a login without a dead server is subtracted; and the fastest of some attempts counts, as the
        // machine may be under load.
        var shortest = Duration.seconds(1000)
        for _ in 0..<5 where shortest > Self.limit {
            let undisturbed = try await loginTime(server, account, healthyNames)
            shortest = min(shortest, try await loginTime(server, account, names) - undisturbed)
        }
        #expect(shortest <= Self.limit)
        #expect(silence == .dead || hanging.counters.accepted >= 1)
    }

    @Test("a service that is explicitly not offered is not searched elsewhere")
    func decidedlyAbsent() async throws {
        let server = try await ServerKind.prosody13.shared()
        let account = try await server.newAccount("failover")
        let names = try await PrivateDNS([
            .service("_xmpp-client._tcp", domain: server.domain, target: ".", port: 0),
            .service("_xmpps-client._tcp", domain: server.domain, target: ".", port: 0),
            .address(server.domain, "127.0.0.1"),
        ])
        let error = await #expect(throws: ClientError.self) { _ = try await loginTime(server, account, names) }
        #expect(error?.message.contains("does not offer") == true, "\(error?.message ?? "")")
    }

    private func loginTime(_ server: RunningServer, _ account: Account, _ names: PrivateDNS) async throws -> Duration {
        let configuration = try server.configuration(account, foundBy: names)
        let clock = ContinuousClock()
        let start = clock.now
        return try await Client(configuration).run { _ in clock.now - start }
    }
}
