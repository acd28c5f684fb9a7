internal import Cryptography
package import ServerFixtures
internal import Synchronization
package import XMLStreaming

/// A foreign service: a component of a real server (XEP-0114) that writes any bytes, in any name below its domain.
///
/// It stands for every server on the network: what the account's server passes on from a component it passes on from others.
package struct HostileComponent: Sendable {
    package let domain: String
    package let line: HostileLine
    /// A stranger at this domain.
    package var stranger: String { "spy@\(domain)" }

    /// The domains that ``options(_:)`` makes room for; each attacker takes one of its own.
    private static let count = 100
    private static let taken = Mutex(0)

    /// A server with room for many attackers. The same options are the same shared server.
    package static func options(_ change: (inout ServerOptions) -> Void = { _ in }) -> ServerOptions {
        ServerOptions {
            $0.componentDomains = (1...count).map { "evil\($0).test" }
            change(&$0)
        }
    }

    /// Connects as a service that nobody else is.
    package init(to server: any PrivateServer) async throws {
        let number = Self.taken.withLock { taken in
            taken += 1
            return taken
        }
        guard number <= Self.count else { throw HostileFailure("More than \(Self.count) attackers.") }
        try await self.init(domain: "evil\(number).test", to: server)
    }

    /// Connects as the service of a domain.
    package init(domain: String, to server: any PrivateServer) async throws {
        self.domain = domain
        line = try await HostileLine(port: server.componentPort)
        await line.listen()
        try await line.send(
            "<?xml version='1.0'?><stream:stream xmlns='jabber:component:accept' "
                + "xmlns:stream='http://etherx.jabber.org/streams' to='\(domain)'>")
        let digest = SHA1.hash(Array((try await line.openedID() + server.componentSecret).utf8))
        try await line.send("<handshake>\(Hex.encode(digest))</handshake>")
        try await line.next("handshake") { $0.localName == "handshake" }
    }

    package func send(_ text: String) async throws { try await line.send(text) }

    /// Returns when the server has dealt with everything that was sent; `false` when it has ended the stream for it.
    package func settles() async throws -> Bool {
        let id = "settled-\(UInt32.random(in: 0 ... .max))"
        do {
            try await send(
                "<iq type='get' from='\(stranger)' to='xmpp.test' id='\(id)'><ping xmlns='urn:xmpp:ping'/></iq>")
            try await line.next("answer of the server") { $0["id"] == id }
            return true
        } catch {
            if await line.hasEnded { return false }
            throw error
        }
    }

    /// The same service on a new connection, after the server has ended the one before.
    package func again(on server: any PrivateServer) async throws -> HostileComponent {
        await line.close()
        // The server answers `conflict` until it has noticed that the connection before is closed.
        for _ in 1..<Self.attempts {
            if let component = try? await HostileComponent(domain: domain, to: server) { return component }
            try await Task.sleep(for: .milliseconds(250))
        }
        return try await HostileComponent(domain: domain, to: server)
    }

    /// A busy server needs some seconds to notice a closed connection.
    private static let attempts = 40

    /// Everything that came from an address, or from any resource of it.
    package func received(from address: String) async -> [XMLElement] {
        await line.received.filter { ($0["from"] ?? "").hasPrefix(address) }
    }
}
