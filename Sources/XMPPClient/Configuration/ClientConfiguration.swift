import Cryptography
import Foundation
public import SASLMechanisms
public import TransportLayer
import XMLStreaming
public import XMPPAddress
public import XMPPStream

/// The account and server of a client, and the rules for the connection.
///
/// Most programs only need an address and a password (the server is found by DNS, the connection is encrypted, and the
/// certificate is verified):
///
///     var configuration = ClientConfiguration(address: try JID("juliet@example.com"), password: password)
public struct ClientConfiguration: Sendable {
    /// What to do if the requested resource is in use (RFC 6120 §7.7.2.2).
    public enum ResourceConflict: Sendable {
        /// Request these one after the other, then let the server choose.
        case tryAlternatives([String])
        /// Let the server choose.
        case letServerChoose
        /// The closure returns another resource; `nil` lets the server choose.
        case ask(@Sendable (_ taken: String) async -> String?)
        /// Give up.
        case fail
    }

    /// The address of the account. If it has a resource, that resource is requested; otherwise the server chooses one.
    public var address: JID
    public var credentials: SASLCredentials

    /// Identifies the installation of the program (XEP-0388 §2.3). Without it, the server issues no token.
    public var userAgent: UserAgent? {
        get { rareAgent }
        set { rareAgent = newValue }
    }
    @Rare private var rareAgent: UserAgent?
    /// The token issued by an earlier login (XEP-0484), used instead of the password if the server and the connection
    /// allow it. Store it together with the password.
    public var fastToken: FASTToken? {
        get { rareToken }
        set { rareToken = newValue }
    }
    @Rare private var rareToken: FASTToken?
    /// Saves each new token.
    public var signInStore: (any SignInStore)?

    /// The host to connect to instead of the result of DNS for the domain of the address (RFC 6120 §3.2.3). The
    /// certificate must still be valid for that domain.
    public var host: String?
    /// The port at `host`; `nil` and 0 mean 5222, or 5223 with direct TLS.
    public var port: UInt16?
    /// The proxy through which the session connects and files are transferred (``Session/http``).
    public var proxy: Proxy? {
        get { rareProxy }
        set { rareProxy = newValue }
    }
    @Rare private var rareProxy: Proxy?
    /// Whether the connection must be encrypted, and how TLS starts.
    public var encryption: TLSPolicy = .required
    /// The trusted certificates; can also ask the user.
    public var trust: TrustPolicy = .system
    /// The client certificate, with which an account can log in instead of with a password (XEP-0178). TLS sessions are
    /// not resumed with one, because not every server remembers their owner.
    public var clientIdentity: TLSIdentity? {
        get { rareIdentity }
        set { rareIdentity = newValue }
    }
    @Rare private var rareIdentity: TLSIdentity?
    /// TLS sessions of earlier connections, which make the next handshake shorter (RFC 8446 §2.2); `nil` disables
    /// resumption. Copies of a configuration share it. Empty it when the account signs out.
    public var tlsSessions: TLSSessionCache? = TLSSessionCache()
    /// The allowed SASL mechanisms.
    public var mechanisms = SASLPolicy()
    public var resourceConflict = ResourceConflict.letServerChoose
    /// The features to negotiate and their order; allows another way of binding.
    public var negotiation = NegotiationPlan.standard

    /// The timeout of the complete login: lookup, connection, encryption, authentication, binding.
    public var loginTimeout = Duration.seconds(30)
    /// The timeout for the response to a resumption; after it, a new session begins. The node of a cluster that has the
    /// session may hang while others do not.
    public var resumptionTimeout = Duration.seconds(5)
    /// The timeout of requests that do not specify one.
    public var requestTimeout = Duration.seconds(30)
    /// How long the closure of the program, and the presence of a session that began again, wait for extensions that
    /// have not started yet. A large contact list on a slow connection takes some seconds.
    public var startTimeout = Duration.seconds(10)
    /// How long to wait for the server to close its side of the stream.
    public var closeTimeout = Duration.seconds(3)

    /// Whether stanzas are acknowledged and the session is resumed after a lost connection, if the server supports it
    /// (XEP-0198).
    public var usesStreamManagement = true
    /// An earlier session to resume, from ``Session/resumptionState``. A session in the ``store`` has priority.
    public var resumption: ResumptionState? {
        get { rareResumption }
        set { rareResumption = newValue }
    }
    @Rare private var rareResumption: ResumptionState?
    /// Stores the state that is needed to resume a session in another process.
    public var store: (any SessionStore)?
    public var keepAlive = KeepAlivePolicy.standard
    public var reconnection = ReconnectionPolicy.standard
    /// Reports changes of the network: then an offline session tries to connect at once, and an online session checks
    /// its connection. `nil` disables both.
    public var networkMonitor: (any NetworkMonitor)? = RouteNetworkMonitor()

    /// The extensions of each session; all start at the same time except for ``SessionExtension/startsAfter``.
    public var extensions: [SessionExtensionFactory] = []
    /// The first interceptors of the chain; those of the extensions follow.
    public var interceptors: [any StanzaInterceptor] = []

    /// The number of events that may wait for one observer before reading from the socket pauses. 1024 are a few
    /// hundred KiB.
    public var eventLimit = 1024
    /// The number of stanzas that may wait for a connection to be resumed. More are refused.
    public var backlogLimit = 1024

    /// The event loop on which the session, its connection, and actors with the session's executor run; by default one of as
    /// many as there are processors, in turn.
    public var eventLoop: EventLoop?

    /// Creates the transports; tests use one in memory.
    public var transports = TransportFactory.network
    package var clock = SessionClock.continuous

    public init(address: JID, credentials: SASLCredentials) {
        self.address = address
        self.credentials = credentials
    }

    /// An account with its password.
    public init(address: JID, password: String) {
        self.init(
            address: address,
            credentials: SASLCredentials(username: address.local ?? "", password: Self.prepared(password)))
    }

    /// An account that logs in with a certificate (SASL EXTERNAL, XEP-0178).
    public init(address: JID, identity: TLSIdentity) {
        self.init(address: address, credentials: .certificate(authorizationID: address.bare.description))
        clientIdentity = identity
    }

    /// Adds an extension.
    public mutating func add(_ make: @escaping @Sendable (Session) -> any SessionExtension) {
        extensions.append(SessionExtensionFactory(make))
    }

    /// RFC 8265 §4.2.2 (OpaqueString): other spaces become a space, then NFC, and nothing else changes.
    private static func prepared(_ password: String) -> String {
        let spaced = String(
            String.UnicodeScalarView(
                password.unicodeScalars.map { $0.properties.generalCategory == .spaceSeparator ? " " : $0 }))
        return spaced.precomposedStringWithCanonicalMapping
    }

    /// Throws an error that describes a missing or invalid setting.
    func validate() throws(ClientError) {
        if !credentials.isAnonymous, !credentials.presentsCertificate, address.local == nil {
            throw ClientError(.invalidConfiguration, "The address names no account: the part before the @ is missing.")
        }
        if !credentials.isAnonymous, !credentials.presentsCertificate, credentials.scramKeys.isEmpty,
            credentials.password?.isEmpty ?? true
        {
            throw ClientError(.invalidConfiguration, "There is no password. Give one, or other credentials.")
        }
        if credentials.presentsCertificate, clientIdentity == nil {
            throw ClientError(.invalidConfiguration, "There is no certificate to log in with. Set the client identity.")
        }
        if host == nil, let port, port != 0 {
            throw ClientError(.invalidConfiguration, "A port was given without a host. Give both or neither.")
        }
    }
}

/// A configuration that a client and its session share, so that it is in memory once.
final class SharedConfiguration: Sendable {
    let value: ClientConfiguration

    init(_ value: ClientConfiguration) { self.value = value }
}

extension ClientConfiguration: CustomStringConvertible {
    /// Contains nothing private.
    public var description: String { "ClientConfiguration(\(credentials))" }
}

/// Saves the results of a login for the next one: the token that replaces the password (XEP-0484), in the store of the
/// password, and the weakest mechanism that later logins may use (XEP-0474 §6).
public protocol SignInStore: Sendable {
    /// Saves a new token, which replaces the previous one; `nil` removes it, because the server rejected it. Called at
    /// once and serially; the end of the session waits for the last call.
    func saveToken(_ token: FASTToken?) async

    /// Called when the account was authenticated with a mechanism other than the one in the configuration. Store it,
    /// and set it as `SASLPolicy.previousMechanism` of ``ClientConfiguration/mechanisms`` at the next start. Called in
    /// the same way as ``saveToken(_:)``; not for a login with a token, nor for a mechanism without channel binding
    /// after one with channel binding.
    func saveMechanism(_ mechanism: SASLMechanismName) async
}

extension Session {
    /// Transfers files with the settings of this session: its trust policy, its proxy and, for uploads, its client
    /// certificate.
    public nonisolated var http: HTTPClient { HTTPClient(configuration: configuration.http) }
}

extension ClientConfiguration {
    /// The settings of transfers that belong to this account.
    public var http: HTTPClient.Configuration {
        var http = HTTPClient.Configuration(trust: trust)
        http.proxy = proxy
        http.identity = clientIdentity
        return http
    }
}
