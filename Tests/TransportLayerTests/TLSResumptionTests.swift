import Foundation
import Glibc
import ServerFixtures
import Synchronization
import Testing

@testable import TransportLayer

/// TLS sessions that are resumed, and those that must not be.
@Suite(.timeLimit(.minutes(20)))
struct TLSResumptionTests {
    private func client(_ cache: TLSSessionCache, _ version: TLSVersion? = nil) async throws -> TLSConfiguration {
        var configuration = try await Loopback.client()
        configuration.sessionCache = cache
        if let version { (configuration.minimumVersion, configuration.maximumVersion) = (version, version) }
        return configuration
    }

    /// Makes a connection, up to the first bytes of the server.
    private func connect(
        _ client: TLSConfiguration, _ server: TLSServerConfiguration? = nil
    ) async throws -> (client: NegotiatedTLS, server: NegotiatedTLS) {
        let configuration = if let server { server } else { try await Loopback.server() }
        var pair = EnginePair(
            client: try TLSEngine(client: client), server: try TLSEngine(server: configuration))
        let settled = try pair.settle()
        try pair.deliver()
        return settled
    }

    @Test(
        "The second connection resumes, and both ends agree about the channel", arguments: [TLSVersion.tls12, .tls13])
    func resumption(_ version: TLSVersion) async throws {
        let client = try await client(TLSSessionCache(), version)
        let first = try await connect(client)
        #expect(!first.client.isResumed && !first.server.isResumed)
        var bindings: [[UInt8]?] = [first.client.tlsExporter]
        // TLS 1.2 has one session for all connections, TLS 1.3 new tickets each time.
        for _ in 0..<4 {
            let (own, other) = try await connect(client)
            #expect(own.isResumed && other.isResumed)
            #expect(own.version == version)
            #expect(own.tlsExporter?.count == 32)
            #expect(own.tlsExporter == other.tlsExporter)
            #expect(own.tlsServerEndPoint == first.client.tlsServerEndPoint)
            #expect(own.tlsServerEndPoint == other.tlsServerEndPoint)
            #expect((own.tlsUnique != nil) == (version == .tls12))
            #expect(own.tlsUnique == other.tlsUnique)
            #expect(own.peerCertificates == first.client.peerCertificates)
            #expect(own.overruledProblems.isEmpty)
            bindings += [own.tlsExporter, own.tlsUnique ?? own.tlsExporter]
        }
        // A binding belongs to one connection, resumed or not.
        #expect(Set(bindings).count == (version == .tls12 ? 9 : 5))
    }

    @Test("Servers that start at the same moment accept each other's tickets")
    func oneContext() async throws {
        // No other server has this one.
        var configuration = try await Loopback.server()
        configuration.applicationProtocols = ["beginning"]
        let server = configuration
        let contexts = try await withThrowingTaskGroup(of: TLSContext.self) { group in
            for _ in 0..<64 { group.addTask { try TLSContext.server(server) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(contexts.allSatisfy { $0 === contexts[0] })
    }

    @Test("Without a cache nothing is resumed")
    func noCache() async throws {
        let client = try await Loopback.client()
        _ = try await connect(client)
        let information = try await connect(client).client
        #expect(!information.isResumed)
    }

    @Test("Tickets are also stored and used over sockets; bytes are transferred on the resumed connection")
    func sockets() async throws {
        let client = try await client(TLSSessionCache())
        for isResumed in [false, true] {
            let ends = try await Loopback.securedPair(client: client)
            #expect(await ends.client.tlsInformation?.isResumed == isResumed)
            let bytes = pattern(100_000)
            try await ends.server.write(bytes)
            #expect(try await ends.client.read(count: bytes.count) == bytes)
            try await ends.client.write(bytes)
            #expect(try await ends.server.read(count: bytes.count) == bytes)
            await ends.client.close()
            await ends.server.close()
        }
    }

    @Test("A ticket of TLS 1.3 is used once, a session of TLS 1.2 repeatedly")
    func useOnce() async throws {
        let cache = TLSSessionCache()
        let new = try await client(cache, .tls13)
        _ = try await connect(new)
        let before = cache.count
        #expect((1...TLSSessionCache.sessionsPerServer).contains(before))
        // The engine consumes it, whatever happens to the connection.
        _ = try TLSEngine(client: new)
        #expect(cache.count == before - 1)
        cache.removeAll()
        let old = try await client(cache, .tls12)
        for _ in 0..<3 { _ = try await connect(old) }
        #expect(cache.count == 1)
    }

    @Test("If a server does not know the offered session, its certificate is verified as usual")
    func impostor() async throws {
        for version in [TLSVersion.tls12, .tls13] {
            let client = try await client(TLSSessionCache(), version)
            _ = try await connect(client)
            // Another server has different ticket keys, so this handshake is a full one.
            let server = try await Loopback.server(.selfSigned)
            let error = try await Loopback.refusal(client: client, server: server)
            #expect(error?.code == .certificateRefused)
        }
    }

    @Test("A session accepted by a pin is not offered under another pin or under an authority")
    func otherPolicy() async throws {
        let cache = TLSSessionCache()
        let server = try await Loopback.server(.selfSigned)
        let certificates = try await Certificates.shared
        let der = try #require(Self.der(certificates.certificateFile(.selfSigned)))
        var client = try await client(cache)
        client.trust = .pinned([try #require(Certificate(der: der)).sha256])
        _ = try await connect(client, server)
        #expect(try await connect(client, server).client.isResumed)
        // Additional pins are another policy: the handshake is a full one, and succeeds.
        var wider = client
        wider.trust = .pinned([try #require(Certificate(der: der)).sha256, [UInt8](repeating: 1, count: 32)])
        #expect(try await !connect(wider, server).client.isResumed)
        client.trust = .certificateAuthority(certificates.authorityFile)
        let refusal = try await Loopback.refusal(client: client, server: server)
        #expect(refusal?.code == .certificateRefused)
    }

    @Test("A session of a certificate that the user accepted is not resumed: the user is asked again")
    func askedAgain() async throws {
        let asked = Mutex(0)
        var client = TLSConfiguration(
            serverName: "xmpp.test",
            trust: .ask { _ in
                asked.withLock { $0 += 1 }
                return true
            })
        let cache = TLSSessionCache()
        client.sessionCache = cache
        for count in 1...2 {
            let ends = try await Loopback.securedPair(client: client, server: Loopback.server(.selfSigned))
            try await ends.server.write([1])
            _ = try await ends.client.read()
            #expect(await ends.client.tlsInformation?.isResumed == false)
            #expect(asked.withLock { $0 } == count)
        }
        #expect(cache.count == 0)
        // A valid certificate needs no decision, so its sessions are resumed.
        client.trust = .ask(anchors: .file(try await Certificates.shared.authorityFile)) { _ in false }
        _ = try await connect(client)
        #expect(try await connect(client).client.isResumed)
    }

    @Test("An authority that is not trusted any more invalidates its sessions")
    func withdrawnTrust() async throws {
        let directory = try await TestProcess.run(["true"])
        let file = "\(directory)/authority.pem"
        try FileManager.default.copyItem(atPath: try await Certificates.shared.authorityFile, toPath: file)
        var client = try await client(TLSSessionCache())
        client.trust = .certificateAuthority(file)
        _ = try await connect(client)
        #expect(try await connect(client).client.isResumed)
        let other = try await OddCertificates.shared.value.authority
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.copyItem(atPath: other, toPath: file)
        let refusal = try await Loopback.refusal(client: client, server: Loopback.server())
        #expect(refusal?.code == .certificateRefused)
    }

    @Test("Another name, another protocol or another version resumes nothing")
    func otherKey() async throws {
        let first = try await client(TLSSessionCache(), .tls13)
        let changes: [(inout TLSConfiguration) -> Void] = [
            { $0.serverName = "other.test" }, { $0.applicationProtocols = ["xmpp-client"] },
            { ($0.minimumVersion, $0.maximumVersion) = (.tls12, .tls12) },
        ]
        for change in changes {
            _ = try await connect(first)
            var other = first
            change(&other)
            #expect(try await !connect(other).client.isResumed)
        }
        #expect(try await connect(first).client.isResumed)
    }

    @Test("A session with the certificates of another, or with none, is not offered")
    func damaged() async throws {
        let cache = TLSSessionCache()
        let client = try await client(cache)
        let der = try #require(Self.der(try await OddCertificates.shared.value.certificate("good")))
        let odd = try #require(Certificate(der: der))
        let now = Int64(time(nil))
        for chain in [[], [odd]] {
            _ = try await connect(client)
            var session = try #require(cache.take(client.sessionKey, versions: .tls12 ... .tls13, now: now))
            cache.removeAll()
            session.chain = chain
            cache.insert(session, for: client.sessionKey, now: now)
            #expect(try await !connect(client).client.isResumed)
            cache.removeAll()
        }
    }

    /// Answers with tickets that it does not know later, like Prosody 0.12: each connection has keys of its own.
    private func connectToForgetful(_ client: TLSConfiguration, number: Int) async throws -> NegotiatedTLS {
        var server = try await Loopback.server()
        // Another configuration is another context.
        server.applicationProtocols = ["forgetful-\(number)"]
        return try await connect(client, server).client
    }

    @Test(
        "A server that refuses what it gave is not offered anything for a day", arguments: [TLSVersion.tls12, .tls13])
    func refusals(_ version: TLSVersion) async throws {
        let cache = TLSSessionCache()
        let client = try await client(cache, version)
        for number in 0...TLSSessionCache.refusalLimit {
            #expect(number == 0 || cache.count > 0)
            #expect(try await !connectToForgetful(client, number: number).isResumed)
        }
        #expect(cache.count == 0)
        let now = Int64(time(nil))
        #expect(!cache.wants(client.sessionKey, now: now))
        // Nothing is kept, and so nothing is offered: not even to a server that would accept it.
        for _ in 0..<2 { #expect(try await !connect(client).client.isResumed) }
        #expect(cache.count == 0)
        #expect(cache.wants(client.sessionKey, now: now + TLSSessionCache.pause + 5))
    }

    @Test("A server that has forgotten its keys once is offered the next session")
    func oneRefusal() async throws {
        let client = try await client(TLSSessionCache())
        for number in 10..<12 { #expect(try await !connectToForgetful(client, number: number).isResumed) }
        // Its tickets are kept: the server of the second one resumes them.
        #expect(try await connectToForgetful(client, number: 11).isResumed)
    }

    @Test("The cache is limited in servers, sessions and time")
    func bounds() async throws {
        let source = TLSSessionCache()
        let client = try await client(source)
        _ = try await connect(client)
        let real = try #require(source.take(client.sessionKey, versions: .tls12 ... .tls13, now: Int64(time(nil))))
        let cache = TLSSessionCache(capacity: 2)
        func key(_ name: String) -> TLSSessionCache.Key {
            TLSSessionCache.Key(serverName: name, applicationProtocols: [], trust: TrustPolicy.system.identity)
        }
        func session(expiry: Int64 = 100) -> TLSSessionCache.Session {
            TLSSessionCache.Session(version: .tls13, ticket: real.ticket, chain: [], expiry: expiry)
        }
        for number in Int64(0)..<9 { cache.insert(session(expiry: 100 + number), for: key("a"), now: 1) }
        #expect(cache.count == TLSSessionCache.sessionsPerServer)
        #expect(cache.take(key("a"), versions: .tls12 ... .tls13, now: 1)?.expiry == 108)
        cache.insert(session(), for: key("b"), now: 1)
        _ = cache.take(key("a"), versions: .tls12 ... .tls13, now: 1)
        cache.insert(session(), for: key("c"), now: 1)
        // The least recently used one was removed.
        #expect(cache.take(key("b"), versions: .tls12 ... .tls13, now: 1) == nil)
        #expect(cache.take(key("c"), versions: .tls12 ... .tls12, now: 1) == nil)
        #expect(cache.take(key("c"), versions: .tls12 ... .tls13, now: 100) == nil)
        cache.insert(session(expiry: 5), for: key("d"), now: 5)
        #expect(cache.take(key("d"), versions: .tls12 ... .tls13, now: 1) == nil)
        // Refusals in a row: an accepted offer in between counts from the beginning.
        for isResumed in [false, true, false] { cache.offerAnswered(key("e"), isResumed: isResumed, now: 1) }
        #expect(cache.wants(key("e"), now: 1))
        cache.offerAnswered(key("e"), isResumed: false, now: 1)
        #expect(!cache.wants(key("e"), now: 1))
        #expect(!cache.wants(key("e"), now: TLSSessionCache.pause))
        #expect(cache.wants(key("e"), now: 1 + TLSSessionCache.pause))
        // One more refusal after the pause is enough.
        cache.offerAnswered(key("e"), isResumed: false, now: 1 + TLSSessionCache.pause)
        #expect(!cache.wants(key("e"), now: 2 + TLSSessionCache.pause))
    }

    /// The first certificate of a PEM file.
    private static func der(_ file: String) -> [UInt8]? {
        guard let text = try? String(contentsOfFile: file, encoding: .utf8),
            let start = text.range(of: "-----BEGIN CERTIFICATE-----"),
            let end = text.range(of: "-----END CERTIFICATE-----")
        else { return nil }
        let base64 = text[start.upperBound..<end.lowerBound].filter { !$0.isWhitespace }
        return Data(base64Encoded: base64).map { [UInt8]($0) }
    }
}
