import HongyanTesting
import ServerFixtures
import Synchronization
import Testing

@testable import TransportLayer

/// The discovery of a domain's WebSocket if TCP is blocked.
@Suite(.timeLimit(.minutes(20)))
struct WebSocketFallbackTests {
    /// A domain with only a web server.
    private final class Domain: Sendable {
        let names: NameServer
        let web: HTTPServer
        let connector: Connector

        /// - Parameter files: the files under `/.well-known/`.
        init(
            _ files: [String: String], records: [String], certificate: Certificates.Kind = .server,
            policy: WebSocketPolicy = .whenBlocked
        ) async throws {
            names = try await NameServer(
                records + ["host-record=xmpp.test,127.0.0.1", "host-record=localhost,127.0.0.1"])
            web = try await HTTPServer(certificate)
            var configuration = Connector.Configuration()
            configuration.resolver = names.configuration
            configuration.hostMetaPort = web.port
            configuration.webSocket = policy
            connector = Connector(configuration: configuration)
            let trust: TrustPolicy = .ask { _ in true }
            let client = HTTPClient(configuration: .init(trust: trust))
            for (name, text) in files {
                _ = try await client.upload(Array(text.utf8), to: web.url("/.well-known/\(name)"))
            }
        }

        deinit {
            names.stop()
            web.stop()
        }
    }

    private func xml(_ urls: String...) -> String {
        "<XRD xmlns='http://docs.oasis-open.org/ns/xri/xrd-1.0'>"
            + urls.map { "<Link rel='\(HostMeta.webSocketRelation)' href='\($0)'/>" }.joined() + "</XRD>"
    }

    private func json(_ url: String) -> String {
        #"{"links":[{"rel":"\#(HostMeta.webSocketRelation)","href":"\#(url)"}]}"#
    }

    /// A WebSocket server that accepts one connection and echoes everything.
    private func echo(
        _ listener: TCPListener, _ kind: Certificates.Kind = .server
    ) async throws -> Task<[Substring], any Error> {
        let configuration = try await Loopback.server(kind)
        return Task {
            let transport = try await listener.accept()
            _ = try await transport.acceptTLS(configuration)
            var end = try await WebSocketServerEnd(transport)
            let request = end.request
            try await end.echo()
            return request
        }
    }

    @Test(
        "If every TCP candidate fails, the WebSocket is discovered by host-meta, as XML or JSON",
        arguments: [true, false])
    func fallback(_ isXML: Bool) async throws {
        let dead = try DeadPort()
        let listener = try await TCPListener.listen(at: Loopback.address())
        let url = "wss://localhost:\(listener.address.port)/ws"
        let domain = try await Domain(
            isXML ? ["host-meta": xml(url)] : ["host-meta.json": json(url)],
            records: ["srv-host=_xmpp-client._tcp.xmpp.test,xmpp.test,\(dead.address.port),5,0"])
        let server = try await echo(listener)
        let events = Mutex<[ConnectionProgress]>([])
        let connection = try await domain.connector.connect(to: .domain("xmpp.test"), tls: Loopback.client()) { event in
            events.withLock { $0.append(event) }
        }
        #expect(connection.transport.isMessageBased)
        #expect(connection.candidate.webSocketURL?.description == url)
        #expect(connection.tls != nil)
        try await connection.transport.write(Array("<open/>".utf8))
        #expect(try await connection.transport.read() == Array("<open/>".utf8))
        await connection.transport.close()
        #expect(try await server.value.first == "GET /ws HTTP/1.1")
        let seen = events.withLock { $0 }
        #expect(seen.contains(.lookingForWebSocket("xmpp.test")))
        #expect(seen.contains { if case .failed = $0 { true } else { false } })
    }

    @Test("Several URLs are tried concurrently; the certificate may be for the URL's host or for the domain")
    func severalURLs() async throws {
        let dead = try DeadPort()
        let listener = try await TCPListener.listen(at: Loopback.address())
        // The certificates are for xmpp.test, not for this name.
        let url = "wss://web.elsewhere.test:\(listener.address.port)/ws"
        let domain = try await Domain(
            ["host-meta": xml("wss://localhost:\(dead.address.port)/", url)],
            records: [
                "srv-host=_xmpp-client._tcp.xmpp.test,xmpp.test,\(dead.address.port),5,0",
                "host-record=web.elsewhere.test,127.0.0.1",
            ])
        let server = try await echo(listener)
        let connection = try await domain.connector.connect(to: .domain("xmpp.test"), tls: Loopback.client())
        #expect(connection.candidate.host == "web.elsewhere.test")
        await connection.transport.close()
        #expect(try await server.value.contains("Host: web.elsewhere.test:\(listener.address.port)"))
    }

    @Test("After a rejected certificate no other way is tried")
    func refusedCertificate() async throws {
        let secured = try await TCPListener.listen(at: Loopback.address())
        let domain = try await Domain(
            ["host-meta": xml("wss://localhost:1/")],
            records: ["srv-host=_xmpps-client._tcp.xmpp.test,xmpp.test,\(secured.address.port),5,0"])
        let server = try await Loopback.server(.selfSigned)
        async let accepted = Result { () async throws(TransportError) in try await secured.accept().acceptTLS(server) }
        let tls = try await Loopback.client()
        let connector = domain.connector
        let error = await #expect(throws: TransportError.self) {
            _ = try await connector.connect(to: .domain("xmpp.test"), tls: tls)
        }
        _ = await accepted
        #expect(error?.code == .certificateRefused)
        #expect(error?.attempts.count == 1)
    }

    @Test("The error contains everything that was tried")
    func nothingWorks() async throws {
        let dead = try DeadPort()
        let domain = try await Domain(
            ["host-meta.json": json("wss://127.0.0.1:\(dead.address.port)/ws")],
            records: ["srv-host=_xmpp-client._tcp.xmpp.test,xmpp.test,\(dead.address.port),5,0"])
        let tls = try await Loopback.client()
        let connector = domain.connector
        let error = await #expect(throws: TransportError.self) {
            _ = try await connector.connect(to: .domain("xmpp.test"), tls: tls)
        }
        #expect(error?.code == .allCandidatesFailed)
        #expect(
            error?.attempts.map(\.target) == [
                "xmpp.test:\(dead.address.port)", "https://xmpp.test:\(domain.web.port)/.well-known/host-meta",
                "wss://127.0.0.1:\(dead.address.port)/ws",
            ])
        #expect(error?.description.contains("status 404") == true)
    }

    @Test("A web server with an invalid certificate is ignored without asking the user")
    func badWebServer() async throws {
        let dead = try DeadPort()
        let domain = try await Domain(
            ["host-meta": xml("wss://localhost:\(dead.address.port)/ws")],
            records: ["srv-host=_xmpp-client._tcp.xmpp.test,xmpp.test,\(dead.address.port),5,0"],
            certificate: .selfSigned)
        let tls = TLSConfiguration(
            serverName: "xmpp.test",
            trust: .ask { _ in
                Issue.record("the user must not be asked")
                return true
            })
        let connector = domain.connector
        let error = await #expect(throws: TransportError.self) {
            _ = try await connector.connect(to: .domain("xmpp.test"), tls: tls)
        }
        #expect(error?.code == .allCandidatesFailed)
        #expect(error?.attempts.count == 2)
        #expect(error?.attempts.last?.outcome.contains("not trusted") == true)
    }

    @Test("The policy: `never` makes no query, `only` tries nothing else")
    func policies() async throws {
        let dead = try DeadPort()
        let listener = try await TCPListener.listen(at: Loopback.address())
        let url = "wss://localhost:\(listener.address.port)/ws"
        let records = ["srv-host=_xmpp-client._tcp.xmpp.test,xmpp.test,\(dead.address.port),5,0"]
        let tls = try await Loopback.client()
        let never = try await Domain(["host-meta": xml(url)], records: records, policy: .never)
        let connector = never.connector
        let error = await #expect(throws: TransportError.self) {
            _ = try await connector.connect(to: .domain("xmpp.test"), tls: tls)
        }
        #expect(error?.code == .connectionRefused)
        let only = try await Domain(["host-meta": xml(url)], records: records, policy: .only)
        let server = try await echo(listener)
        let events = Mutex<[ConnectionProgress]>([])
        let connection = try await only.connector.connect(to: .domain("xmpp.test"), tls: tls) { event in
            events.withLock { $0.append(event) }
        }
        #expect(events.withLock { $0 }.first == .lookingForWebSocket("xmpp.test"))
        await connection.transport.close()
        _ = try await server.value
        let strict = only.connector
        let refused = await #expect(throws: TransportError.self) {
            _ = try await strict.connect(to: .host("127.0.0.1", port: 1), tls: tls)
        }
        #expect(refused?.code == .invalidConfiguration)
        let reset = [TransportError(.connectionReset, ""), TransportError(.timedOut, "")]
        #expect(WebSocketPolicy.whenBlocked.isAllowed(after: reset))
        #expect(!WebSocketPolicy.whenBlocked.isAllowed(after: reset + [TransportError(.tlsFailed, "")]))
        #expect(!WebSocketPolicy.whenBlocked.isAllowed(after: [TransportError(.resolutionFailed, "")]))
        #expect(!WebSocketPolicy.whenBlocked.isAllowed(after: []))
    }

    @Test("A configured URL needs neither SRV nor host-meta; unencrypted only where that is allowed")
    func explicitURL() async throws {
        let listener = try await TCPListener.listen(at: Loopback.address())
        let tls = try await Loopback.client()
        let server = try await echo(listener)
        let connection = try await Connector().connect(
            to: .webSocket("wss://127.0.0.1:\(listener.address.port)/x"), tls: tls)
        await connection.transport.close()
        #expect(try await server.value.first == "GET /x HTTP/1.1")

        let plain = ConnectionTarget.webSocket("ws://127.0.0.1:\(listener.address.port)/y")
        let error = await #expect(throws: TransportError.self) {
            _ = try await Connector().connect(to: plain, tls: tls)
        }
        #expect(error?.code == .invalidConfiguration)
        var configuration = Connector.Configuration()
        configuration.allowsPlaintextWebSocket = true
        let end = Task { try await WebSocketServerEnd(listener.accept()).request.first }
        let clear = try await Connector(configuration: configuration).connect(to: plain, tls: tls)
        #expect(clear.tls == nil && clear.transport.isMessageBased)
        #expect(try await end.value == "GET /y HTTP/1.1")
        clear.transport.abort()
    }

    @Test("A server that does not upgrade to WebSocket is given up after a timeout")
    func mute() async throws {
        let listener = try await TCPListener.listen(at: Loopback.address())
        let server = try await Loopback.server()
        let accepted = Task { () async throws(TransportError) -> SocketTransport in
            let transport = try await listener.accept()
            _ = try await transport.acceptTLS(server)
            return transport
        }
        var configuration = Connector.Configuration()
        configuration.candidateTimeout = .seconds(2)
        let tls = try await Loopback.client()
        let connector = Connector(configuration: configuration)
        let target = ConnectionTarget.webSocket("wss://127.0.0.1:\(listener.address.port)/")
        let error = await #expect(throws: TransportError.self) { _ = try await connector.connect(to: target, tls: tls) }
        #expect(error?.code == .timedOut)
        accepted.cancel()
        _ = await accepted.result
    }

    @Test("From the host-meta file to a real server that speaks XMPP over WebSocket")
    func prosody() async throws {
        let prosody = try await PrivateProsody.shared(ServerOptions { $0.addedModules = ["websocket"] })
        let dead = try DeadPort()
        let domain = try await Domain(
            ["host-meta": xml("wss://localhost:\(prosody.httpsPort)/xmpp-websocket")],
            records: ["srv-host=_xmpp-client._tcp.xmpp.test,xmpp.test,\(dead.address.port),5,0"])
        let connection = try await domain.connector.connect(to: .domain("xmpp.test"), tls: Loopback.client())
        let open = "<open xmlns='urn:ietf:params:xml:ns:xmpp-framing' to='xmpp.test' version='1.0'/>"
        try await connection.transport.write(Array(open.utf8))
        #expect(String(decoding: try await connection.transport.read(), as: UTF8.self).hasPrefix("<open"))
        await connection.transport.close()
    }
}
