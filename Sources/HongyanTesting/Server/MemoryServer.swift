public import ServerSide
package import TransportLayer
import Waiting
public import XMLStreaming
import XMPPAddress
public import XMPPClient
public import XMPPStanzas
package import XMPPStream

/// A small server in memory for tests: it logs in sessions over in-memory transports with the server side of the state
/// machines, and passes stanzas between them and the scripted peers of the test (``peer(_:)``).
///
///     let server = MemoryServer(users: ["bot", "alice"])
///     let bot = Task { try await Client(server.account("bot")).run(echo) }
///
/// An IQ to the server itself is answered with `service-unavailable`, a ping with a result. It has no contact lists, no presence
/// subscriptions and no archive: a test sends what it needs with ``send(_:to:)`` or replies itself with ``answer(_:)``.
public final actor MemoryServer {
    /// The next actions on the connection, in this order.
    private enum Output: Sendable {
        case write([UInt8])
        /// Open the gate when everything before it was written.
        case flush(Gate)
    }

    /// One connection of a client.
    private final class Link {
        let number: Int
        var stream: ServerStream
        let transport: any Transport
        let outgoing: AsyncStream<Output>.Continuation
        /// Whether the TLS handshake comes next, over a real transport.
        var isSecuring = false
        var address: JID?
        var isOpen = true
        /// Whether the connection is dead: nothing arrives any more, in either direction.
        var isFrozen = false
        /// Whether nothing sent by the server arrives any more.
        var isMuted = false

        init(
            number: Int, stream: consuming ServerStream, transport: any Transport,
            outgoing: AsyncStream<Output>.Continuation
        ) {
            self.number = number
            self.stream = stream
            self.transport = transport
            self.outgoing = outgoing
        }
    }

    /// The domain of the server.
    public static let domain = "xmpp.test"

    private let configuration: ServerStreamConfiguration
    private var directory: ServerDirectory
    private var links: [Int: Link] = [:]
    private var linkCount = 0
    private var nextToken: UInt64 = 0
    private var journal: [(from: JID?, element: XMLElement)] = []
    private var looked = 0
    private let changes = Broadcast()
    private var silence: [@Sendable (XMLElement) -> Bool] = []
    private var refusals: [XMLName: StanzaError] = [:]
    private var peers: [String: PeerInbox] = [:]
    private var rule: (@Sendable (XMLElement) -> [String]?)?
    private var isDown = false
    /// How the streams ended so far.
    public private(set) var ends: [ServerStreamAction.End] = []
    /// The number of connections so far.
    public private(set) var connections = 0
    private let capacity: Int
    private let readLimit: Int

    /// - Parameters:
    ///   - users: the local parts of the accounts; the password of `alice` is `secret of alice`.
    ///   - capacity: the number of bytes buffered in one direction before the writer waits.
    ///   - readLimit: the maximum number of bytes that the client gets with one read.
    ///   - change: changes the features of the server, for tests of servers that offer too little or the wrong
    ///     features.
    public init(
        users: [String] = ["alice", "bob"], capacity: Int = 64 * 1024, readLimit: Int = .max,
        _ change: (inout ServerStreamConfiguration) -> Void = { _ in }
    ) {
        var configuration = ServerStreamConfiguration(
            domain: Self.domain, digests: .system, nonce: "server0123456789nonce")
        configuration.channelBindingTypes = ["tls-exporter"]
        configuration.offered = configuration.supported
        change(&configuration)
        self.configuration = configuration
        self.capacity = capacity
        self.readLimit = readLimit
        directory = ServerDirectory(passwords: Dictionary(uniqueKeysWithValues: users.map { ($0, "secret of \($0)") }))
    }

    // MARK: Connecting

    /// Connects a session to this server.
    public nonisolated var transports: TransportFactory {
        TransportFactory { [self] _ throws(TransportError) in try await connect() }
    }

    /// A configuration for one of the accounts.
    public nonisolated func account(
        _ user: String, resource: String? = nil, _ change: (inout ClientConfiguration) -> Void = { _ in }
    ) throws -> ClientConfiguration {
        var configuration = ClientConfiguration(
            address: try JID(local: user, domain: Self.domain, resource: resource), password: "secret of \(user)")
        configuration.transports = transports
        configuration.networkMonitor = nil
        configuration.reconnection = ReconnectionPolicy(attempts: 3, backoff: Backoff(first: .milliseconds(1)))
        // Tests do not measure the speed of a machine that runs other tests at the same time.
        configuration.loginTimeout = .seconds(120)
        configuration.resumptionTimeout = .seconds(60)
        change(&configuration)
        return configuration
    }

    private func connect() async throws(TransportError) -> any Transport {
        // A client that comes back finds its session suspended, and not a connection whose end was not read yet. A server would
        // replace that one (XEP-0198 §5).
        while links.values.contains(where: { ($0.transport as? InMemoryTransport)?.isPeerGone == true }),
            !Task.isCancelled
        {
            await changes.next.wait()
        }
        if isDown { throw TransportError(.connectionRefused, "The server was killed.") }
        let (client, server) = InMemoryTransport.pair(capacity: capacity, readLimit: readLimit)
        accept(server)
        return client
    }

    /// Serves a connection from elsewhere.
    ///
    /// - Parameter secure: the TLS handshake over a real transport; `nil` pretends one.
    package func accept(
        _ transport: any Transport, secure: (@Sendable () async -> TLSInformation?)? = nil
    ) {
        let (stream, outgoing) = AsyncStream.makeStream(of: Output.self)
        linkCount += 1
        connections += 1
        let number = linkCount
        links[number] = Link(
            number: number, stream: ServerStream(configuration: configuration), transport: transport,
            outgoing: outgoing)
        Task { await serve(number, transport, secure) }
        Task {
            for await output in stream {
                switch output {
                case .write(let bytes): try? await transport.write(bytes)
                case .flush(let gate): gate.open()
                }
            }
            await transport.close()
        }
    }

    private func serve(
        _ number: Int, _ transport: any Transport, _ secure: (@Sendable () async -> TLSInformation?)?
    ) async {
        while let bytes = try? await transport.read(), !bytes.isEmpty {
            guard let link = links[number], link.isOpen else { break }
            if link.isFrozen { continue }
            perform(link.stream.bytesReceived(bytes, directory: &directory, now: .now), link)
            guard link.isSecuring else { continue }
            link.isSecuring = false
            var tls: TLSInformation? = TLSInformation(NegotiatedTLS.pretended)
            if let secure {
                let gate = Gate()
                link.outgoing.yield(.flush(gate))
                await gate.wait()
                tls = await secure()
            }
            guard let tls, links[number] != nil else { break }
            link.stream.tlsEstablished(tls)
        }
        if let link = links[number] { drop(link) }
    }

    private func drop(_ link: Link) {
        links[link.number] = nil
        perform(link.stream.transportClosed(directory: &directory), link)
        link.outgoing.finish()
        changes.send()
    }

    /// Breaks a connection, and records it at once: the client could be back before the task that reads from it
    /// continues.
    private func breakOff(_ link: Link) {
        link.transport.abort()
        drop(link)
    }

    private func perform(_ actions: [ServerStreamAction], _ link: Link) {
        for action in actions {
            switch action {
            case .write(let bytes): if !link.isFrozen, !link.isMuted { link.outgoing.yield(.write(bytes)) }
            case .startTLS: link.isSecuring = true
            case .closeTransport: link.outgoing.finish()
            case .registered, .authenticated, .acknowledged: break
            case .bound(let address), .resumed(let address): link.address = address
            case .stanzas(let elements):
                for element in elements {
                    journal.append((link.address, element))
                    if let texts = rule?(element) {
                        for text in texts { reply(text, to: link) }
                    } else {
                        route(element, from: link)
                    }
                }
                perform(link.stream.stanzasHandled(elements.count), link)
            case .element(let element): journal.append((link.address, element))
            case .ended(let end):
                ends.append(end)
                link.isOpen = false
            }
        }
        changes.send()
    }

    /// The error of this server for an address without a client, with a text of its own, as some servers add.
    public static let absence = StanzaError(.serviceUnavailable, text: LocalizedText("User session not found"))

    private func route(_ element: XMLElement, from link: Link) {
        guard let address = link.address, var stanza = try? AnyStanza(element) else { return }
        stanza.from = address
        if let payload = element.firstChild {
            if silence.contains(where: { $0(payload) }) { return }
            if let error = refusals[payload.name], case .iq(let iq) = stanza, iq.requiresResponse {
                var reply = IQ.error(for: iq, error)
                reply.from = stanza.to
                return deliver(reply, to: link)
            }
        }
        guard let receiver = stanza.to, receiver != address.bare, receiver != address.domainJID else {
            if case .iq(let iq) = stanza, iq.requiresResponse {
                var reply = IQ.result(for: iq)
                if iq.payload?.name.namespace != "urn:xmpp:ping" {
                    reply = .error(for: iq, StanzaError(.serviceUnavailable))
                }
                reply.from = stanza.to
                deliver(reply, to: link)
            }
            return
        }
        let isAbsent = !links.values.contains { $0.address == receiver || $0.address?.bare == receiver }
        if isAbsent, receiver.bare == address.bare, case .iq(let iq) = stanza, iq.requiresResponse {
            deliver(IQ.error(for: iq, Self.absence), to: link)
        }
        pass(stanza, to: receiver)
    }

    /// Passes a stanza to the sessions and the peer of its receiver.
    private func pass(_ stanza: AnyStanza, to receiver: JID) {
        for other in links.values where other.address == receiver || other.address?.bare == receiver {
            deliver(stanza, to: other)
        }
        nextToken += 1
        directory.keep(stanza, for: receiver, token: StanzaToken(nextToken))
        guard let name = receiver.local, receiver.domain == Self.domain, let peer = peers[name] else { return }
        peers[name]?.stanzas.append(stanza)
        for var answer in peer.rule?(stanza) ?? [] {
            answer.from = peer.address
            if let receiver = answer.to { pass(answer, to: receiver) }
        }
        changes.send()
    }

    private func deliver(_ stanza: some XMLEncodable, to link: Link) {
        nextToken += 1
        perform(link.stream.send(stanza, token: StanzaToken(nextToken)), link)
    }

    /// Sends a stanza unchanged, counted by stream management if it is readable.
    private func reply(_ text: String, to link: Link) {
        if let element = try? XMLElement(parsing: "<root xmlns='jabber:client'>\(text)</root>").firstChild {
            deliver(element, to: link)
        } else {
            link.outgoing.yield(.write(Array(text.utf8)))
        }
    }

    private func link(_ user: String) -> Link? {
        links.values.first { $0.address?.local == user && !$0.isFrozen }
    }

    // MARK: Actions of tests

    /// Sends a stanza unchanged on behalf of the server.
    ///
    /// - Returns: Whether the user was online to receive it.
    @discardableResult
    public func send(_ text: String, to user: String) throws -> Bool {
        guard let link = link(user) else { return false }
        let root = try XMLElement(parsing: "<root xmlns='jabber:client'>\(text)</root>")
        for child in root.children { deliver(child, to: link) }
        return true
    }

    /// Sends an element other than a stanza.
    public func sendElement(_ text: String, to user: String) throws {
        guard let link = link(user) else { return }
        perform(link.stream.sendElement(try XMLElement(parsing: text)), link)
    }

    /// Writes bytes without the state machine, as fast as the client reads them.
    public func writeRaw(_ bytes: [UInt8], to user: String) async throws {
        guard let transport = link(user)?.transport else { return }
        try await transport.write(bytes)
    }

    /// Breaks the connection without closing the stream.
    public func cut(_ user: String) {
        if let link = link(user) { breakOff(link) }
    }

    /// Ends the server like a power failure: every connection breaks, sessions cannot be resumed, and no client can
    /// connect until ``restart()``. Accounts remain.
    public func kill() {
        isDown = true
        for link in links.values { breakOff(link) }
        expireSuspended(remembersCount: false)
    }

    /// Starts a killed server again.
    public func restart() { isDown = false }

    /// Makes the connection of the user dead without ending it.
    public func freeze(_ user: String) { link(user)?.isFrozen = true }

    /// Stops the data from the server to the user.
    public func mute(_ user: String) { link(user)?.isMuted = true }

    /// Makes the server notice that the connections of the user are dead.
    public func abandon(_ user: String) {
        for link in links.values where link.address?.local == user {
            breakOff(link)
        }
    }

    /// Closes the stream of the user, optionally with an error.
    public func close(_ user: String, _ error: StreamError? = nil) {
        guard let link = link(user) else { return }
        perform(link.stream.close(error, directory: &directory), link)
    }

    /// Forgets the sessions that wait for resumption, optionally also how many stanzas they had handled.
    public func expireSuspended(remembersCount: Bool = true) {
        for id in directory.suspended.keys { directory.expire(id, remembersCount: remembersCount) }
    }

    /// Replies to stanzas of sessions instead of the server: with the texts returned by the rule, which need not be
    /// well-formed, or as usual if it returns `nil`.
    public func answer(_ rule: @escaping @Sendable (XMLElement) -> [String]?) { self.rule = rule }

    /// Sends a text to every session unchanged.
    package func broadcast(_ text: String, isRaw: Bool) {
        for link in links.values where link.address != nil {
            if isRaw { link.outgoing.yield(.write(Array(text.utf8))) } else { reply(text, to: link) }
        }
    }

    /// Leaves requests with this payload unanswered.
    public func ignore(_ name: XMLName) { ignore { $0.name == name } }

    /// Leaves requests unanswered whose payload satisfies the condition.
    public func ignore(where condition: @escaping @Sendable (_ payload: XMLElement) -> Bool) {
        silence.append(condition)
    }

    /// Refuses requests with this payload.
    public func refuse(_ name: XMLName, _ error: StanzaError) { refusals[name] = error }

    /// Forgets the tokens of a user for fast logins, so that the next login needs the password.
    public func revokeTokens(_ user: String) { directory.revokeTokens(of: user) }

    /// Whether the account exists, also after a registration.
    public func hasAccount(_ user: String) -> Bool { directory.passwords[user] != nil }

    /// Whether a session of the user is bound to a resource.
    public func isOnline(_ user: String) -> Bool { link(user) != nil }

    /// The number of sessions that wait for resumption.
    public var suspendedCount: Int { directory.suspended.count }

    // MARK: Scripted peers

    /// An account that a test operates without a session. It answers nothing unless configured by
    /// ``ScriptedPeer/answer(_:)``.
    public func peer(_ user: String) throws -> ScriptedPeer {
        let address = try JID(local: user, domain: Self.domain, resource: "script")
        peers[user] = PeerInbox(address: address)
        return ScriptedPeer(address: address, server: self)
    }

    func send(_ stanza: AnyStanza, from peer: ScriptedPeer) {
        var stanza = stanza
        stanza.from = peer.address
        if let receiver = stanza.to { pass(stanza, to: receiver) }
    }

    func setRule(_ rule: @escaping @Sendable (AnyStanza) -> [AnyStanza], of peer: ScriptedPeer) {
        peers[peer.name]?.rule = rule
    }

    /// The next stanza for a peer; `nil` when the task is cancelled.
    func nextStanza(for peer: ScriptedPeer) async -> AnyStanza? {
        while !Task.isCancelled {
            if let stanza = peers[peer.name]?.take() { return stanza }
            await changes.next.wait()
        }
        return nil
    }

    // MARK: Observations of tests

    /// Every stanza and element so far.
    public var received: [XMLElement] { journal.map(\.element) }

    /// The first stanza from now on, or not yet consumed, that satisfies the condition; an element named `cancelled` if
    /// the task is cancelled before.
    @discardableResult
    public func next(where condition: @Sendable (XMLElement) -> Bool) async -> XMLElement {
        while !Task.isCancelled {
            while looked < journal.count {
                looked += 1
                if condition(journal[looked - 1].element) { return journal[looked - 1].element }
            }
            await changes.next.wait()
        }
        return XMLElement(XMLName("cancelled", ""))
    }

    /// The next stanza with this local name.
    @discardableResult
    public func next(_ localName: String) async -> XMLElement { await next { $0.name.local == localName } }

    /// Returns when the condition is true, which is checked after each event, or when the task is cancelled.
    public func wait(until condition: @Sendable (isolated MemoryServer) -> Bool) async {
        while !condition(self), !Task.isCancelled { await changes.next.wait() }
    }
}
