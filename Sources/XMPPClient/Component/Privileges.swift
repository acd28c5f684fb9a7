internal import Synchronization
public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// What a server lets a component do for the accounts of the server (XEP-0356 Privileged Entity).
///
/// ```
/// S: <message from='capulet.net'><privilege xmlns='urn:xmpp:privilege:2'>
///      <perm access='roster' type='both' push='true'/><perm access='message' type='outgoing'/></privilege></message>
/// ```
public struct Privileges: XMLPayload, Hashable {
    /// Reading and changing contact lists.
    public enum RosterAccess: String, Sendable, Hashable, CaseIterable {
        case none, get, set, both
    }

    /// Which presence is received.
    public enum PresenceAccess: String, Sendable, Hashable, CaseIterable {
        case none
        /// That of the accounts of the server.
        case ofAccounts = "managed_entity"
        /// Also that of their contacts.
        case ofContacts = "roster"
    }

    /// Which requests may be sent for accounts.
    public enum RequestAccess: String, Sendable, Hashable, CaseIterable {
        case none, get, set, both

        public func allows(_ kind: IQ.Kind) -> Bool {
            switch self {
            case .none: false
            case .get: kind == .get
            case .set: kind == .set
            case .both: kind == .get || kind == .set
            }
        }
    }

    public static let name = XMLName("privilege", namespace)
    fileprivate static let namespace = "urn:xmpp:privilege:2"
    /// The version before requests could be sent for accounts; ejabberd 23 and 24 have only this.
    fileprivate static let earlierNamespace = "urn:xmpp:privilege:1"
    /// The maximum number of namespaces that are read.
    private static let limit = 256

    public var roster = RosterAccess.none
    /// Whether changes of contact lists are sent to the component.
    public var rosterPushes = false
    /// Whether messages may be sent for accounts and for the server.
    public var sendsMessages = false
    public var presence = PresenceAccess.none
    /// By the namespace of the request.
    public var requests: [String: RequestAccess] = [:]

    public init() {}

    /// Unknown privileges are skipped: to have one less is safe.
    public init(from element: XMLElement) throws(XMLDecodingError) {
        if !element.isNamed(XMLName("privilege", Self.earlierNamespace)) { try element.requireName(Self.name) }
        for permission in element.children(XMLName("perm", element.namespace)) {
            let type = permission["type"] ?? ""
            switch permission["access"] {
            case "roster":
                roster = RosterAccess(rawValue: type) ?? .none
                let pushes = try permission.boolean("push") ?? true
                rosterPushes = roster != .none && pushes
            case "message": sendsMessages = type == "outgoing"
            case "presence": presence = PresenceAccess(rawValue: type) ?? .none
            case "iq":
                for child in permission.children(Self.namespaceName).prefix(Self.limit) {
                    guard let namespace = child["ns"], let access = child["type"].flatMap(RequestAccess.init) else {
                        continue
                    }
                    requests[namespace] = access
                }
            default: break
            }
        }
    }

    public func encode(to writer: inout XMLWriter) {
        func permission(_ access: String, _ type: String?, push: Bool? = nil) {
            writer.start(Self.permissionName)
            writer.attribute("access", access)
            writer.attribute("push", push.map(String.init))
            writer.attribute("type", type)
            writer.end()
        }
        writer.start(Self.name)
        if roster != .none { permission("roster", roster.rawValue, push: rosterPushes) }
        if sendsMessages { permission("message", "outgoing") }
        if !requests.isEmpty {
            writer.start(Self.permissionName)
            writer.attribute("access", "iq")
            for (namespace, access) in requests.sorted(by: { $0.key < $1.key }) {
                writer.start(Self.namespaceName)
                writer.attribute("ns", namespace)
                writer.attribute("type", access.rawValue)
                writer.end()
            }
            writer.end()
        }
        if presence != .none { permission("presence", presence.rawValue) }
        writer.end()
    }

    private static let permissionName = XMLName("perm", name.namespace)
    private static let namespaceName = XMLName("namespace", name.namespace)
}

/// Uses the privileges of a component (XEP-0356 Privileged Entity §5).
///
///     configuration.add { _ in PrivilegedEntity() }
///
///     let server = session[PrivilegedEntity.self]
///     try await server?.send(message, as: juliet, in: session)
///
/// Contact lists need nothing else: with the privilege a request to an account is answered as if it were from its own
/// client.
public final class PrivilegedEntity: SessionExtension, StanzaInterceptor {
    /// The maximum number of servers whose privileges are stored. A component belongs to one; the server of another operator
    /// can only grant what it controls itself.
    private static let limit = 16

    private struct Grant {
        var privileges: Privileges
        /// The version that the server has.
        var namespace: String
    }

    private let table = Mutex<[JID: Grant]>([:])

    public init() {}

    public var interceptors: [any StanzaInterceptor] { [self] }

    /// The privileges of the component at a server, as far as the server has announced them.
    public func privileges(at server: JID) -> Privileges? { table.withLock { $0[server.domainJID]?.privileges } }

    public func concerns(received stanza: AnyStanza) -> Bool { if case .message = stanza { true } else { false } }
    public func concerns(sent stanza: AnyStanza) -> Bool { false }

    public func willReceive(_ stanza: AnyStanza, in session: Session) async -> Interception {
        guard case .message(let message) = stanza, !message.isError, let sender = message.from,
            sender == sender.domainJID,
            let element = [Privileges.namespace, Privileges.earlierNamespace].lazy.compactMap({
                message.payloads.first(XMLName("privilege", $0))
            }).first,
            // An answer has the same name and contains a stanza.
            element.firstChild(Forwarding.name) == nil, let privileges = try? Privileges(from: element)
        else { return .pass(stanza) }
        table.withLock { table in
            guard table[sender] != nil || table.count < Self.limit else { return }
            table[sender] = Grant(privileges: privileges, namespace: element.namespace)
        }
        return .pass(stanza)
    }

    /// Sends a message for an account, which the server sends as if it were from it (§5.2).
    ///
    /// - Throws: ``ClientError`` with `refused` without the privilege.
    @discardableResult
    public func send(
        _ message: Message, as account: JID, in session: Session
    ) async throws(ClientError) -> SendToken {
        let server = account.domainJID
        guard let grant = table.withLock({ $0[server] }), grant.privileges.sendsMessages else { throw Self.refused }
        var inner = message
        inner.from = account.bare
        var outer = Message(to: server)
        let forwarded = inner
        outer.payloads.append(
            XMLElement(XMLName("privilege", grant.namespace)) { Forwarding.encode(forwarded, to: &$0) })
        return try await session.send(outer)
    }

    /// Sends a request for an account and returns its response (§5.3).
    ///
    /// - Throws: ``ClientError`` with `refused` without the privilege for its namespace, or with the error of the receiver.
    public func request<Request: IQRequest>(
        _ request: Request, as account: JID, to receiver: JID? = nil, in session: Session
    ) async throws(ClientError) -> Request.Response {
        let access = privileges(at: account.domainJID)?.requests[Request.name.namespace] ?? .none
        guard access.allows(Request.iqType) else { throw Self.refused }
        let inner = IQ(request, to: receiver ?? account.bare, id: await session.makeID())
        var outer = IQ(type: Request.iqType, to: account.bare)
        outer.payloads.append(XMLElement(Self.requestName) { $0.write(inner) })
        let answer = try await session.request(outer)
        guard let element = answer.payload, element.isNamed(Privileges.name),
            let stanza = element.firstChild(Forwarding.name)?.firstChild(IQ.name), let response = try? IQ(from: stanza),
            response.id == inner.id
        else { throw ClientError(.unreadableAnswer, "The server forwarded no response.") }
        if let error = response.error { throw ClientError(refused: error) }
        do {
            return try Request.Response(payload: response.payload)
        } catch {
            throw ClientError(.unreadableAnswer, "The answer could not be read.", cause: error)
        }
    }

    private static let requestName = XMLName("privileged_iq", Privileges.name.namespace)
    private static let refused = ClientError(.refused, "The server has not granted this privilege.")
}

/// A stanza inside of another (XEP-0297 Stanza Forwarding).
enum Forwarding {
    static let name = XMLName("forwarded", "urn:xmpp:forward:0")

    static func encode(_ stanza: some XMLEncodable, to writer: inout XMLWriter) {
        writer.element(name) { $0.write(stanza) }
    }
}
