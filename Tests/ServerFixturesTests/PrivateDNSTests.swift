import Foundation
import ServerFixtures
import Testing

@Suite("Private name server", .timeLimit(.minutes(20)))
struct PrivateDNSTests {
    /// The answer to the `dig` program, as an independent reference.
    private func dig(_ dns: PrivateDNS, _ type: String, _ name: String) async throws -> String {
        let words = ["dig", "@127.0.0.1", "-p", "\(dns.port)", "+norecurse", "+comments", type, name]
        return try await OutsideProgram.run(words).output.replacing("\t", with: " ")
    }

    @Test("serves its records and nothing else")
    func answers() async throws {
        let dns = try await PrivateDNS([
            .service(
                "_xmpp-client._tcp", domain: "xmpp.test", target: "a.xmpp.test", port: 15222, priority: 5, weight: 7),
            .service("_xmpps-client._tcp", domain: "xmpp.test", target: ".", port: 0),
            .address("a.xmpp.test", "127.0.0.1"), .address("a.xmpp.test", "::1"),
        ])
        #expect(try await dig(dns, "SRV", "_xmpp-client._tcp.xmpp.test").contains("SRV 5 7 15222 a.xmpp.test."))
        #expect(try await dig(dns, "SRV", "_xmpps-client._tcp.xmpp.test").contains("SRV 0 0 1 ."))
        #expect(try await dig(dns, "A", "a.xmpp.test").contains("A 127.0.0.1"))
        #expect(try await dig(dns, "AAAA", "a.xmpp.test").contains("AAAA ::1"))
        #expect(try await dig(dns, "A", "b.xmpp.test").contains("NXDOMAIN"))
    }
}
