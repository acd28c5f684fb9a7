internal import Synchronization
public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// Answers requests in place of a server (XEP-0355 Namespace Delegation): those to its accounts, in the namespaces that it
/// has delegated to this component.
///
///     configuration.add {
///         Delegation($0, of: [try JID("capulet.lit")]) { iq in
///             guard let request = iq.payload else { throw StanzaError(.badRequest) }
///             return try await store.answer(request, of: iq.from, for: iq.to)
///         }
///     }
///
/// Needs the extension `ServiceDiscovery`, because servers ask for the features of each namespace first. Only the servers
/// that are named are answered. The requester is the `from` of the stanza that the server has forwarded, and has to belong
/// to it.
public final class Delegation: SessionExtension, StanzaInterceptor {
    /// Returns the child of the result; `nil` for an empty one. A `StanzaError` is passed on to the requester.
    public typealias Answer = @Sendable (IQ) async throws -> (any XMLEncodable)?

    /// The version of the specification, and the one before, which ejabberd 23 and 24 have.
    private static let names = [2, 1].map { XMLName("delegation", "urn:xmpp:delegation:\($0)") }
    /// Requests that are answered at the same time.
    private static let width = 16
    /// The maximum number of namespaces that are stored.
    private static let limit = 256

    private let servers: Set<JID>
    private let answer: Answer
    private let table = Mutex<[JID: Set<String>]>([:])

    public init(_ session: Session, of servers: Set<JID>, answer: @escaping Answer) {
        self.servers = Set(servers.map(\.domainJID))
        self.answer = answer
    }

    public var interceptors: [any StanzaInterceptor] { [self] }

    /// Whether a server may delegate to this component.
    package func isDelegating(_ server: JID) -> Bool { servers.contains(server) }

    /// The namespaces that a server has delegated (§4.1).
    public func namespaces(of server: JID) -> Set<String> { table.withLock { $0[server.domainJID] } ?? [] }

    public var handlers: [IQHandler] {
        Self.names.map { name in
            IQHandler(.set, name, audience: .everybody) { [self] iq in
                guard let server = iq.from, servers.contains(server), server == server.domainJID else {
                    throw StanzaError(.forbidden)
                }
                guard let stanza = iq.payload?.firstChild(Forwarding.name)?.firstChild(IQ.name) else {
                    throw StanzaError(.badRequest)
                }
                let request = try IQ(from: stanza)
                guard request.requiresResponse, let requester = request.from, requester.domainJID == server else {
                    throw StanzaError(.badRequest)
                }
                let reply = await IQHandler(request.type, name, answer: answer).reply(to: request)
                return XMLElement(name) { Forwarding.encode(reply, to: &$0) }
            }
            .concurrently(Self.width)
        }
    }

    public func concerns(received stanza: AnyStanza) -> Bool { if case .message = stanza { true } else { false } }
    public func concerns(sent stanza: AnyStanza) -> Bool { false }

    public func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        guard case .message(let message) = stanza, !message.isError, let sender = message.from,
            servers.contains(sender), let element = Self.names.lazy.compactMap({ message.payloads.first($0) }).first
        else { return .pass(stanza) }
        let delegated = XMLName("delegated", element.namespace)
        let namespaces = element.children(delegated).prefix(Self.limit).compactMap { $0["namespace"] }
        table.withLock { $0[sender] = Set(namespaces) }
        return .pass(stanza)
    }
}
