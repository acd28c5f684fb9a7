import SASLMechanisms
public import XMPPAddress
public import XMPPStream

/// The domain, the secret and the server of a ``Component``.
public struct ComponentConfiguration: Sendable {
    /// The default port: that of Prosody. ejabberd has none; its documentation uses 8888.
    public static let usualPort: UInt16 = 5347

    /// The domain that the component serves, as configured on the server.
    public var domain: JID
    private let credentials: SASLCredentials

    /// The host of the server's port for components. The connection is not encrypted (XEP-0114 has no TLS): a third party
    /// that can read it reads all messages, and one that can change it speaks for all addresses. So it must be this machine,
    /// unless ``allowsTrustedNetwork`` is set.
    public var host = "127.0.0.1"
    /// The server's port for components.
    public var port = usualPort
    /// Whether ``host`` may be another machine, over a network that no third party can read or change, such as a tunnel.
    public var allowsTrustedNetwork = false

    /// The timeout of the complete login.
    public var loginTimeout = Duration.seconds(30)
    /// The timeout of requests that do not specify one.
    public var requestTimeout = Duration.seconds(30)
    /// How long the closure of the program waits for extensions that have not started yet.
    public var startTimeout = Duration.seconds(10)
    /// How long to wait for the server to close its side of the stream.
    public var closeTimeout = Duration.seconds(3)
    /// How a dead connection is detected: without stream management by a ping of the component to itself.
    public var keepAlive = KeepAlivePolicy.standard
    /// When a lost connection is replaced. As with clients, a server that is not there at the first login is reported
    /// at once, unless `retriesFirstLogin` is set.
    public var reconnection = ReconnectionPolicy.standard

    /// The extensions of each session.
    public var extensions: [SessionExtensionFactory] = []
    /// The first interceptors of the chain; those of the extensions follow.
    public var interceptors: [any StanzaInterceptor] = []
    /// The number of events that may wait for one observer before reading from the socket pauses.
    public var eventLimit = 1024

    /// Creates the transports; tests use one in memory.
    public var transports = TransportFactory.network
    package var clock = SessionClock.continuous

    /// - Parameters:
    ///   - domain: The domain that the component serves.
    ///   - secret: The secret that is configured for it on the server.
    public init(domain: JID, secret: String) {
        self.domain = domain
        credentials = SASLCredentials(username: domain.domain, password: secret)
    }

    /// Adds an extension.
    public mutating func add(_ make: @escaping @Sendable (Session) -> any SessionExtension) {
        extensions.append(SessionExtensionFactory(make))
    }

    /// Throws an error that describes a missing or invalid setting.
    func validate() throws(ClientError) {
        if domain != domain.domainJID {
            throw ClientError(.invalidConfiguration, "A component serves a domain: give it without user and resource.")
        }
        if credentials.password?.isEmpty ?? true {
            throw ClientError(.invalidConfiguration, "There is no secret. Give the one in the server's configuration.")
        }
        if !allowsTrustedNetwork, !Self.isThisMachine(host) {
            throw ClientError(
                .invalidConfiguration,
                "The connection of a component is not encrypted, so its host must be this machine. Allow another one only in a network that you trust."
            )
        }
    }

    /// Whether a host is a loopback address (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3) or their name (RFC 6761 §6.3).
    static func isThisMachine(_ host: String) -> Bool {
        if host == "::1" || host.lowercased() == "localhost" { return true }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        return numbers.count == 4 && numbers[0] == "127"
            && numbers.allSatisfy {
                $0.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) && UInt8($0) != nil
            }
    }

    /// The settings of the session.
    var session: ClientConfiguration {
        var session = ClientConfiguration(address: domain, credentials: credentials)
        session.host = host
        session.port = port
        session.tlsSessions = nil
        session.loginTimeout = loginTimeout
        session.requestTimeout = requestTimeout
        session.startTimeout = startTimeout
        session.closeTimeout = closeTimeout
        session.usesStreamManagement = false
        session.keepAlive = keepAlive
        session.reconnection = reconnection
        // The server is on this machine or in a network of its own, whatever happens to the others.
        session.networkMonitor = nil
        session.extensions = extensions
        session.interceptors = interceptors
        session.eventLimit = eventLimit
        session.transports = transports
        session.clock = clock
        return session
    }
}

extension ComponentConfiguration: CustomStringConvertible {
    /// Contains no secret.
    public var description: String { "ComponentConfiguration(\(domain))" }
}
