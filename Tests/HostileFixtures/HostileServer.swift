package import HongyanTesting
internal import SASLMechanisms
package import ServerFixtures
package import ServerSide
internal import TransportLayer
package import XMLStreaming
internal import XMPPClient
internal import XMPPStream

/// An account's server, gone bad: a `MemoryServer` behind TLS on loopback, scripted in everything it says.
///
/// It logs everybody in whose password it knows, binds, manages streams, answers what a client asks at the start, and does what
/// the test makes it do beside.
package final class HostileServer: Sendable {
    /// Changes what the server writes before it is written.
    package typealias Tampering = @Sendable (String) -> String
    /// Answers a stanza with any texts; `nil` where the usual answer is good enough.
    package typealias Responder = @Sendable (XMLElement) -> [String]?

    package let account: Account
    package let certificates: Certificates
    package let port: UInt16
    private let listener: TCPListener
    private let server: MemoryServer

    package init(
        _ change: (inout ServerStreamConfiguration) -> Void = { _ in }, tamper: Tampering? = nil,
        responder: Responder? = nil
    ) async throws {
        account = Account(username: "vic", password: "secret of vic", domain: MemoryServer.domain)
        let certificates = try await Certificates.shared
        self.certificates = certificates
        var configuration = ServerStreamConfiguration(
            domain: MemoryServer.domain, digests: .system, nonce: "hostile0123456789nonce")
        configuration.offered = configuration.supported
        change(&configuration)
        let changed = configuration
        server = MemoryServer(users: [account.username]) { $0 = changed }
        await server.answer { responder?($0) ?? Self.usualAnswer($0) }
        guard let address = SocketAddress("127.0.0.1", port: 0) else { throw HostileFailure("no address") }
        listener = try await TCPListener.listen(at: address)
        port = listener.address.port
        let (listener, server) = (listener, server)
        let tls = TLSServerConfiguration(
            certificateChainFile: certificates.certificateFile(.server), privateKeyFile: certificates.keyFile(.server))
        Task {
            while let socket = try? await listener.accept() {
                await server.accept(TamperedTransport(base: socket, tamper: tamper)) {
                    guard let tls = try? await socket.acceptTLS(tls) else { return nil }
                    var bindings: [ChannelBinding] = []
                    if let data = tls.tlsExporter { bindings.append(.tlsExporter(data)) }
                    if let data = tls.tlsServerEndPoint { bindings.append(.tlsServerEndPoint(data)) }
                    return TLSInformation(
                        version: tls.version == .tls13 ? .tls13 : .tls12, channelBindings: bindings,
                        cipherSuite: tls.cipher)
                }
            }
        }
    }

    /// Ends it; nobody can connect any more.
    package func stop() async {
        await listener.close()
        await server.kill()
    }

    /// How often somebody has connected.
    package var connections: Int { get async { await server.connections } }

    /// Every stanza and element of the clients.
    package var received: [XMLElement] { get async { await server.received } }

    package var ends: [ServerStreamAction.End] { get async { await server.ends } }

    private static func usualAnswer(_ element: XMLElement) -> [String]? {
        guard element.localName == "iq", element["type"] == "get" || element["type"] == "set" else { return [] }
        let from = element["to"].map { " from='\($0)'" } ?? ""
        let frame = "\(from) id='\(element["id"] ?? "")'"
        switch element.firstChild?.namespace {
        case "jabber:iq:roster", "urn:xmpp:ping", "urn:xmpp:carbons:2":
            let roster = element.firstChild?.namespace == "jabber:iq:roster" ? "<query xmlns='jabber:iq:roster'/>" : ""
            return ["<iq type='result'\(frame)>\(roster)</iq>"]
        default:
            return [
                "<iq type='error'\(frame)><error type='cancel'>"
                    + "<service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>"
            ]
        }
    }

    // MARK: What tests do

    /// Writes any bytes to everybody who is online.
    package func writeRaw(_ text: String) async { await server.broadcast(text, isRaw: true) }

    /// Sends a stanza to everybody who is online.
    package func send(_ text: String) async { await server.broadcast(text, isRaw: false) }

    /// A chat message of somebody, for a marker behind an attack.
    package func sendMarker(_ body: String, from sender: String = "friend@xmpp.test/x") async {
        await send(
            "<message from='\(sender)' to='\(account.address)' type='chat' id='\(body)'><body>\(body)</body></message>")
    }

    /// Returns when the condition holds, or throws when it takes too long.
    package func wait(
        for description: String, until condition: @escaping @Sendable (isolated MemoryServer) -> Bool
    ) async throws {
        let server = server
        let isThere = await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await server.wait(until: condition)
                return !Task.isCancelled
            }
            group.addTask {
                try? await Task.sleep(for: HostileLine.timeout)
                return false
            }
            defer { group.cancelAll() }
            return await group.next() ?? false
        }
        if !isThere { throw HostileFailure("There was no \(description).") }
    }

    /// An account of this server, to be attacked.
    package func victim() async throws -> Victim {
        try await Victim(account, port: port, authorityFile: certificates.authorityFile)
    }
}

/// The server's end of a connection, which says something else than the server wanted to.
private struct TamperedTransport: Transport {
    let base: SocketTransport
    let tamper: HostileServer.Tampering?

    func write(_ bytes: [UInt8]) async throws(TransportError) {
        try await base.write(tamper.map { Array($0(String(decoding: bytes, as: UTF8.self)).utf8) } ?? bytes)
    }

    func read() async throws(TransportError) -> [UInt8] { try await base.read() }
    func startTLS(_ configuration: TLSConfiguration) async throws(TransportError) -> NegotiatedTLS {
        try await base.startTLS(configuration)
    }
    func finishWriting() async throws(TransportError) { try await base.finishWriting() }
    func close() async { await base.close() }
    func abort() { base.abort() }
    var tlsInformation: NegotiatedTLS? { get async { await base.tlsInformation } }
}
