import Cryptography
import Foundation
public import SASLMechanisms
public import TransportLayer
public import XMPPAddress
public import XMPPStream

/// What a client connects to, as whom, and under which rules.
///
/// For most programs address and password are all (the server is found by DNS, the connection is encrypted, the
/// certificate checked):
///
///     var configuration = ClientConfiguration(address: try JID("juliet@example.com"), password: password)
public struct ClientConfiguration: Sendable {
    /// What to do when the resource that was asked for is in use (RFC 6120 §7.7.2.2).
    public enum ResourceConflict: Sendable {
        /// Ask for these, one after the other, and then let the server choose.
        case tryAlternatives([String])
        /// Let the server choose.
        case letServerChoose
        /// The closure gives another resource; `nil` lets the server choose.
        case ask(@Sendable (_ taken: String) async -> String?)
        /// Give up.
        case fail
    }

    /// The account, and with a resource the one that is asked for; without one the server chooses.
    public var address: JID
    public var credentials: SASLCredentials

    /// Which installation of which program this is (XEP-0388 §2.3). Without it the server gives out no token.
    public var userAgent: UserAgent?
    /// The token that an earlier login was given (XEP-0484), used in place of the password where the server and the
    /// connection allow it. It belongs where the password is kept.
    public var fastToken: FASTToken?
    /// Is told each new token.
    public var signInStore: (any SignInStore)?

    /// Where to connect, in place of what DNS says about the domain of the address (RFC 6120 §3.2.3). The certificate
    /// must still be for that domain.
    public var host: String?
    /// The port at `host`; `nil` and 0 mean 5222, or 5223 with direct TLS.
    public var port: UInt16?
    /// Whether the connection must be encrypted, and from when on.
    public var encryption: TLSPolicy = .required
    /// Which certificates are trusted; also the place to ask a person.
    public var trust: TrustPolicy = .system
    /// The certificate that is shown to the server, with which an account can log in instead of with a password
    /// (XEP-0178). TLS sessions are not resumed with one: not every server remembers whose they are.
    public var clientIdentity: TLSIdentity?
    /// TLS sessions of earlier connections, which make the next handshake shorter (RFC 8446 §2.2); `nil` disables
    /// resumption. Copies of a configuration share it. Empty it when the account signs out.
    public var tlsSessions: TLSSessionCache? = TLSSessionCache()
    /// Which SASL mechanisms may be used.
    public var mechanisms = SASLPolicy()
    public var resourceConflict = ResourceConflict.letServerChoose
    /// The features negotiated and their order; a place for another way of binding.
    public var negotiation = NegotiationPlan.standard

    /// For the whole login: look-up, connection, encryption, authentication, binding.
    public var loginTimeout = Duration.seconds(30)
    /// For the server to answer that a session is resumed; then a new one begins. The node of a cluster that kept the
    /// session may hang while others do not.
    public var resumptionTimeout = Duration.seconds(5)
    /// For the answer to a request that names no time of its own.
    public var requestTimeout = Duration.seconds(30)
    /// How long the program's part, and the presence of a session that began again, wait for extensions that have not
    /// started yet. A large contact list on a slow line takes some seconds.
    public var startTimeout = Duration.seconds(10)
    /// For the server to close its side after we have closed ours.
    public var closeTimeout = Duration.seconds(3)

    /// Whether stanzas are acknowledged and the session resumed after a lost connection, where the server can
    /// (XEP-0198).
    public var usesStreamManagement = true
    /// An earlier session to go on with, as ``Session/resumptionState`` gave it. A ``store`` that has one comes first.
    public var resumption: ResumptionState?
    /// Keeps what a session needs to go on in another process.
    public var store: (any SessionStore)?
    public var keepAlive = KeepAlivePolicy.standard
    public var reconnection = ReconnectionPolicy.standard
    /// Tells when the machine is in another network: a session that is offline tries at once then, and one that is
    /// online asks whether the connection lives. `nil` leaves both to time.
    public var networkMonitor: (any NetworkMonitor)? = RouteNetworkMonitor()

    /// What is added to each session; all start at the same time except for ``SessionExtension/startsAfter``.
    public var extensions: [SessionExtensionFactory] = []
    /// The first of the chain that stanzas pass; those of the extensions come after them.
    public var interceptors: [any StanzaInterceptor] = []

    /// How many events may wait for one observer before the socket is read no further. 1024 are a few hundred KiB.
    public var eventLimit = 1024
    /// How many stanzas wait for a connection that will be resumed. More are refused.
    public var backlogLimit = 1024

    /// How transports are made; tests put one in memory here.
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

    /// What is missing or makes no sense, in a sentence.
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

extension ClientConfiguration: CustomStringConvertible {
    /// Says nothing private.
    public var description: String { "ClientConfiguration(\(credentials))" }
}

/// Saves the results of a login for the next one: the token that replaces the password (XEP-0484), in the store of the
/// password, and the weakest mechanism that later logins may use (XEP-0474 §6).
public protocol SignInStore: Sendable {
    /// Saves a new token, which replaces the previous one; `nil` removes it, because the server rejected it. Called at
    /// once and serially; the end of the session waits for the last call.
    func saveToken(_ token: FASTToken?) async

    /// The account was authenticated with a mechanism other than the one in the configuration, which becomes
    /// `SASLPolicy.previousMechanism` of ``ClientConfiguration/mechanisms`` at the next start. Called like
    /// ``saveToken(_:)``; not for a login by token, nor for an unbound one after one that was bound to its connection.
    func saveMechanism(_ mechanism: SASLMechanismName) async
}
