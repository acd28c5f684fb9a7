public import XMPPAddress
public import XMPPStanzas

/// An external component of a server (XEP-0114 Jabber Component Protocol): a program that serves a whole domain, such
/// as a gateway or a bot with many addresses.
///
///     let configuration = ComponentConfiguration(domain: try JID("bots.example.com"), secret: secret)
///     try await Component(configuration).run { session in
///         for await batch in session.events(.messages) {
///             for case .message(let message) in batch where message.isChatMessageWithBody {
///                 guard let sender = message.from, let body = message.body else { continue }
///                 var echo = Message.chat(to: sender, body: body)
///                 echo.from = message.to
///                 try await session.send(echo)
///             }
///         }
///     }
///
/// The session is that of a ``Client``, with these differences:
///
/// * Every address of the domain belongs to it, with and without local part and resource. Each stanza is received with
///   the address that it is for in `to`, and sent from the address in `from`, by default the domain. A `from` outside
///   of the domain and a missing `to` are refused before anything is sent (§3).
/// * The handlers of requests serve all addresses; `to` shows which one was asked. A request without a handler gets
///   `service-unavailable` from the address that was asked. ``Session/request(_:from:to:timeout:)`` sends requests
///   from any address; only a response to that address counts.
/// * The server stores no contacts, presence or messages for the addresses. Everybody may know that they are online.
/// * Nothing is acknowledged (XEP-0198) and no session is resumed: what was sent when a connection broke may be lost,
///   and a new session begins by the same rules as that of clients (``ComponentConfiguration/reconnection``).
///
/// The connection is **not encrypted**: use it on the machine of the server (``ComponentConfiguration/host``).
/// Extensions about one account, such as the contact list on the server and carbons, are for clients. For components
/// there are `ServiceDiscovery`, `ComponentRoster`, `EntityInformation`, `DeliveryReceipts` and `AdHocCommands`.
public final class Component: Sendable {
    public let configuration: ComponentConfiguration
    private let client: Client

    /// - Parameter program: What ``run()`` does in the session; by default it stays online until the session ends.
    public init(_ configuration: ComponentConfiguration, program: @escaping Client.Program = Client.staysOnline) {
        self.configuration = configuration
        client = Client(configuration.session, program: program)
    }

    /// The session that runs now; `nil` outside of ``run(from:_:)``.
    public var session: Session? { client.session }

    /// Runs the program of the component; everything is as for ``Client/run()``.
    public func run() async throws {
        try await untilShutdown { try await self.run(self.client.program) }
    }

    /// Connects, runs the closure of the program, closes the session, and returns the result of the closure; everything
    /// else is as for ``Client/run(from:_:)``.
    ///
    /// - Throws: the error of the closure; ``ClientError`` if the connection failed or the session was lost. A refusal
    ///   of the server is ``ClientError/streamFailure`` with the code `componentRefused`, whose `streamError` is
    ///   `not-authorized` for a wrong secret, `conflict` if the component is connected already, or `host-unknown`.
    @discardableResult
    public nonisolated(nonsending) func run<Result>(
        from beginning: Client.Beginning = .online, _ body: (Session) async throws -> Result
    ) async throws -> Result {
        try configuration.validate()
        return try await client.run(
            Session(configuration: client.configuration, purpose: .component), beginning, body)
    }
}

extension Session {
    /// Whether the session is that of a component, so that extensions answer from the address that was written to.
    package nonisolated var isComponent: Bool { purpose == .component }

    /// Sends a request from an address of the component and returns the response, which only counts if it is from the
    /// receiver and for the sender of the request (RFC 6120 §8.1.2.1).
    ///
    /// - Throws: ``ClientError`` as for ``request(_:to:timeout:)``.
    public func request<Request: IQRequest>(
        _ request: Request, from sender: JID, to receiver: JID, timeout: Duration? = nil
    ) async throws(ClientError) -> Request.Response {
        var iq = IQ(request, to: receiver)
        iq.from = sender
        return try await response(to: iq, of: Request.self, timeout: timeout)
    }

    /// Checks that a stanza of a component is from one of its addresses and has a receiver (XEP-0114 §3): servers end
    /// the stream otherwise, or drop the stanza.
    func requireComponentAddresses(of stanza: AnyStanza) throws(ClientError) {
        guard stanza.from?.domain == configuration.address.domain else {
            throw ClientError(.invalidConfiguration, "A component sends only from addresses of its domain.")
        }
        guard stanza.to != nil else {
            throw ClientError(.invalidConfiguration, "A component must say for whom a stanza is.")
        }
    }
}
