internal import Cryptography
internal import HongyanTesting
internal import SASLMechanisms
package import ServerFixtures
package import ServerSide
internal import Synchronization
internal import TransportLayer
package import XMLStreaming
internal import XMPPAddress
internal import XMPPClient
package import XMPPStream

/// An account's server, gone bad: a complete server over TLS on loopback, scripted in everything it says.
///
/// It logs everybody in whose password it knows, binds, manages streams, answers what a client asks at the start, and does what
/// the test makes it do beside.
package actor HostileServer {
    private final class Link {
        let number: Int
        var stream: ServerStream
        let transport: SocketTransport
        let outgoing: AsyncStream<[UInt8]>.Continuation
        var address: JID?

        init(
            _ number: Int, _ stream: consuming ServerStream, _ transport: SocketTransport,
            _ outgoing: AsyncStream<[UInt8]>.Continuation
        ) {
            self.number = number
            self.stream = stream
            self.transport = transport
            self.outgoing = outgoing
        }
    }

    /// Changes what the server writes before it is written.
    package typealias Tampering = @Sendable (String) -> String
    /// Answers a stanza with any texts; `nil` where the usual answer is good enough.
    package typealias Responder = @Sendable (XMLElement) -> [String]?

    package nonisolated let account = Account(username: "vic", password: "secret of vic", domain: "xmpp.test")
    package nonisolated let certificates: Certificates
    package nonisolated let port: UInt16
    private let listener: TCPListener
    private let configuration: ServerStreamConfiguration
    private let tamper: Tampering?
    private let responder: Responder?
    private var directory: ServerDirectory
    private var links: [Int: Link] = [:]
    private var nextToken: UInt64 = 0
    /// How often somebody has connected.
    package private(set) var connections = 0
    /// Every stanza and element of the clients.
    package private(set) var received: [XMLElement] = []
    package private(set) var ends: [ServerStreamAction.End] = []

    package init(
        _ change: (inout ServerStreamConfiguration) -> Void = { _ in }, tamper: Tampering? = nil,
        responder: Responder? = nil
    ) async throws {
        certificates = try await Certificates.shared
        var configuration = ServerStreamConfiguration(
            domain: "xmpp.test", digests: .system, nonce: "hostile0123456789nonce")
        configuration.offered = configuration.supported
        change(&configuration)
        self.configuration = configuration
        self.tamper = tamper
        self.responder = responder
        directory = ServerDirectory(passwords: [account.username: account.password])
        guard let address = SocketAddress("127.0.0.1", port: 0) else { throw HostileFailure("no address") }
        listener = try await TCPListener.listen(at: address)
        port = listener.address.port
        let listener = listener
        Task { [weak self] in
            while let transport = try? await listener.accept() { await self?.serve(transport) }
        }
    }

    /// Ends it; nobody can connect any more.
    package func stop() async {
        await listener.close()
        for link in links.values { await link.transport.close() }
    }

    private func serve(_ transport: SocketTransport) {
        connections += 1
        let number = connections
        let (stream, outgoing) = AsyncStream.makeStream(of: [UInt8].self)
        links[number] = Link(number, ServerStream(configuration: configuration), transport, outgoing)
        Task { await self.read(number, transport, stream) }
    }

    private func read(_ number: Int, _ transport: SocketTransport, _ outgoing: AsyncStream<[UInt8]>) async {
        let writer = Task {
            for await bytes in outgoing { try? await transport.write(bytes) }
            await transport.close()
        }
        while let bytes = try? await transport.read(), !bytes.isEmpty {
            guard let link = links[number] else { break }
            let actions = link.stream.bytesReceived(bytes, directory: &directory, now: .now)
            guard await perform(actions, link) else { break }
        }
        if let link = links.removeValue(forKey: number) {
            for case .ended(let end) in link.stream.transportClosed(directory: &directory) { ends.append(end) }
            link.outgoing.finish()
        }
        await writer.value
    }

    /// Returns `false` when the connection is of no use any more.
    private func perform(_ actions: [ServerStreamAction], _ link: Link) async -> Bool {
        for action in actions {
            switch action {
            case .write(let bytes): await write(bytes, link)
            case .startTLS: guard await secure(link) else { return false }
            case .closeTransport: link.outgoing.finish()
            case .bound(let address), .resumed(let address): link.address = address
            case .stanzas(let elements):
                for element in elements {
                    received.append(element)
                    await answer(element, link)
                }
                guard await perform(link.stream.stanzasHandled(elements.count), link) else { return false }
            case .element(let element): received.append(element)
            case .ended(let end): ends.append(end)
            case .registered, .authenticated, .acknowledged: break
            }
        }
        wake()
        return true
    }

    private func secure(_ link: Link) async -> Bool {
        let secured = TLSServerConfiguration(
            certificateChainFile: certificates.certificateFile(.server),
            privateKeyFile: certificates.keyFile(.server))
        guard let tls = try? await link.transport.acceptTLS(secured) else { return false }
        var bindings: [ChannelBinding] = []
        if let data = tls.tlsExporter { bindings.append(.tlsExporter(data)) }
        if let data = tls.tlsServerEndPoint { bindings.append(.tlsServerEndPoint(data)) }
        link.stream.tlsEstablished(
            XMPPStream.TLSInformation(
                version: tls.version == .tls13 ? .tls13 : .tls12, channelBindings: bindings, cipherSuite: tls.cipher))
        return true
    }

    private func write(_ bytes: [UInt8], _ link: Link) async {
        let bytes = tamper.map { Array($0(String(decoding: bytes, as: UTF8.self)).utf8) } ?? bytes
        // Before that, one answer follows another, and a handshake must find everything written. After it, a client that reads
        // slowly must not keep the server from reading.
        if link.address == nil { try? await link.transport.write(bytes) } else { link.outgoing.yield(bytes) }
    }

    // MARK: Answers

    private func answer(_ element: XMLElement, _ link: Link) async {
        if let texts = responder?(element) {
            for text in texts { await deliver(text, link) }
            return
        }
        guard element.localName == "iq", element["type"] == "get" || element["type"] == "set" else { return }
        let from = element["to"].map { " from='\($0)'" } ?? ""
        let frame = "\(from) id='\(element["id"] ?? "")'"
        switch element.firstChild?.namespace {
        case "jabber:iq:roster", "urn:xmpp:ping", "urn:xmpp:carbons:2":
            let roster = element.firstChild?.namespace == "jabber:iq:roster" ? "<query xmlns='jabber:iq:roster'/>" : ""
            await deliver("<iq type='result'\(frame)>\(roster)</iq>", link)
        default:
            await deliver(
                "<iq type='error'\(frame)><error type='cancel'>"
                    + "<service-unavailable xmlns='urn:ietf:params:xml:ns:xmpp-stanzas'/></error></iq>", link)
        }
    }

    /// Delivers a stanza, counted by stream management where the element can be read, raw where it cannot.
    private func deliver(_ text: String, _ link: Link) async {
        guard let element = try? XMLElement(parsing: "<root xmlns='jabber:client'>\(text)</root>").firstChild else {
            return await write(Array(text.utf8), link)
        }
        nextToken += 1
        for case .write(let bytes) in link.stream.send(element, token: StanzaToken(nextToken)) {
            await write(bytes, link)
        }
    }

    // MARK: What tests do

    /// Writes any bytes to everybody who is online.
    package func writeRaw(_ text: String) {
        for link in links.values where link.address != nil { link.outgoing.yield(Array(text.utf8)) }
    }

    /// Sends a stanza to everybody who is online.
    package func send(_ text: String) async {
        for link in links.values where link.address != nil { await deliver(text, link) }
    }

    /// A chat message of somebody, for a marker behind an attack.
    package func sendMarker(_ body: String, from sender: String = "friend@xmpp.test/x") async {
        await send(
            "<message from='\(sender)' to='\(account.address)' type='chat' id='\(body)'><body>\(body)</body></message>")
    }

    private var waiters: [CheckedContinuation<Void, Never>] = []

    private func wake() {
        let woken = waiters
        waiters = []
        for waiter in woken { waiter.resume() }
    }

    /// Returns when the condition holds, or throws when it takes too long.
    package func wait(
        for description: String, until condition: @Sendable (isolated HostileServer) -> Bool
    ) async throws {
        let deadline = ContinuousClock.now + HostileLine.timeout
        let bell = Task {
            try await Task.sleep(until: deadline)
            wake()
        }
        defer { bell.cancel() }
        while !condition(self) {
            guard ContinuousClock.now < deadline else { throw HostileFailure("There was no \(description).") }
            await withCheckedContinuation { waiters.append($0) }
        }
    }

    /// An account of this server, to be attacked.
    package nonisolated func victim() async throws -> Victim {
        try await Victim(account, port: port, authorityFile: certificates.authorityFile)
    }
}
