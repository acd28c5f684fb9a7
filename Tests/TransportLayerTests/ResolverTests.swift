import Glibc
import Testing

@testable import TransportLayer

@Suite(.timeLimit(.minutes(20)))
struct ResolverTests {
    private static let records = [
        "srv-host=_xmpp-client._tcp.xmpp.test,b.xmpp.test,5222,20,50",
        "srv-host=_xmpps-client._tcp.xmpp.test,a.xmpp.test,5223,10,70",
        "srv-host=_xmpps-client._tcp.xmpp.test,c.xmpp.test,443,10,30",
        "srv-host=_xmpp-client._tcp.none.test", "srv-host=_xmpps-client._tcp.half.test",
        "srv-host=_xmpps-client._tcp.plain.test", "srv-host=_xmpp-client._tcp.plain.test,b.xmpp.test,5222,0,0",
        "srv-host=_xmpp-client._tcp.direct.test", "srv-host=_xmpps-client._tcp.direct.test,a.xmpp.test,5223,0,0",
        "host-record=a.xmpp.test,127.0.0.1,::1", "host-record=four.xmpp.test,127.0.0.1",
        "host-record=six.xmpp.test,::1",
        "cname=alias.xmpp.test,four.xmpp.test",
    ]
    private static let server = Task { try await NameServer(records) }

    private func resolver() async throws -> Resolver {
        Resolver(configuration: try await Self.server.value.configuration)
    }

    @Test("S3-13: both kinds of SRV records are found")
    func services() async throws {
        let records = try await resolver().services(of: "xmpp.test")
        #expect(
            Set(records) == [
                ServiceRecord(kind: .startTLS, priority: 20, weight: 50, host: "b.xmpp.test", port: 5222),
                ServiceRecord(kind: .directTLS, priority: 10, weight: 70, host: "a.xmpp.test", port: 5223),
                ServiceRecord(kind: .directTLS, priority: 10, weight: 30, host: "c.xmpp.test", port: 443),
            ])
    }

    @Test("A target of \".\" means that the service is not offered (RFC 2782)")
    func notOffered() async throws {
        let error = await #expect(throws: TransportError.self) { _ = try await resolver().services(of: "none.test") }
        #expect(error?.code == .serviceNotOffered)
        #expect(error?.description.contains("none.test") == true)
        // One of the two may be rejected.
        #expect(try await resolver().services(of: "half.test") == [])
        #expect(try await resolver().services(of: "direct.test").map(\.kind) == [.directTLS])
        #expect(try await resolver().services(of: "plain.test").map(\.kind) == [.startTLS])
    }

    @Test("S3-14: a domain without records has an empty result, not an error")
    func absent() async throws {
        #expect(try await resolver().services(of: "nowhere.test") == [])
    }

    @Test(
        "Addresses of both families, aliases and literals",
        arguments: [
            ("a.xmpp.test", ["127.0.0.1", "::1"]), ("four.xmpp.test", ["127.0.0.1"]), ("six.xmpp.test", ["::1"]),
            ("alias.xmpp.test", ["127.0.0.1"]), ("192.0.2.7", ["192.0.2.7"]), ("localhost", ["127.0.0.1", "::1"]),
            ("[2001:db8::1]", ["2001:db8::1"]),
        ] as [(String, Set<String>)])
    func addresses(_ host: String, _ expected: Set<String>) async throws {
        let addresses = try await resolver().addresses(of: host, port: 5222)
        #expect(Set(addresses.map(\.address)) == expected)
        #expect(addresses.allSatisfy { $0.port == 5222 })
    }

    @Test("A host without addresses is a specific error")
    func noHost() async throws {
        let error = await #expect(throws: TransportError.self) {
            _ = try await resolver().addresses(of: "no.test", port: 1)
        }
        #expect(error?.code == .hostNotFound)
    }

    /// A resolver whose server receives queries and never answers, and that server's socket.
    private func silent(deadline: Duration) throws -> (Resolver, Int32) {
        let descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        _ = try Loopback.address().withSockaddr { bind(descriptor, $0, $1) }
        var configuration = ResolverConfiguration()
        configuration.servers = ["127.0.0.1:\(try #require(SocketAddress(of: descriptor, getsockname)).port)"]
        configuration.deadline = deadline
        return (Resolver(configuration: configuration), descriptor)
    }

    @Test("With a silent server the look-up ends at its deadline")
    func deadline() async throws {
        let (resolver, descriptor) = try silent(deadline: .milliseconds(200))
        defer { close(descriptor) }
        let error = await #expect(throws: TransportError.self) { _ = try await resolver.services(of: "xmpp.test") }
        #expect(error?.code == .resolutionFailed)
        #expect(error?.description.contains("within") == true)
    }

    @Test("Cancelling ends a look-up")
    func cancellation() async throws {
        let (resolver, descriptor) = try silent(deadline: .seconds(50))
        defer { close(descriptor) }
        let lookup = Task {
            await Result { () async throws(TransportError) in try await resolver.addresses(of: "a.test", port: 1) }
        }
        // The query has arrived, so the look-up is in progress.
        while recv(descriptor, nil, 0, Int32(MSG_PEEK | MSG_DONTWAIT)) < 0 {
            try await Task.sleep(for: .milliseconds(2))
        }
        lookup.cancel()
        guard case .failure(let error) = await lookup.value else {
            Issue.record("it must not succeed")
            return
        }
        #expect(error.code == .cancelled)
    }

    @Test("An invalid server address is an invalid configuration")
    func invalid() async throws {
        var configuration = ResolverConfiguration()
        configuration.servers = ["not an address"]
        let error = await #expect(throws: TransportError.self) {
            _ = try await Resolver(configuration: configuration).services(of: "xmpp.test")
        }
        #expect(error?.code == .invalidConfiguration)
    }
}
