/// Options that differ from the usual configuration, for both kinds of server.
public struct ServerOptions: Sendable, Hashable {
    public enum TLSVersions: Sendable, Hashable, CaseIterable {
        /// TLS 1.2 and 1.3.
        case all
        case only12
        case only13
    }

    /// How passwords are stored, which determines the offered mechanisms.
    public enum PasswordStore: Sendable, Hashable, CaseIterable {
        /// SCRAM-SHA-1 keys.
        case hashedSHA1
        /// SCRAM-SHA-256 keys.
        case hashedSHA256
        /// Plain text: every mechanism that the server supports.
        case plain
    }

    /// The certificate of all TLS ports.
    public var certificate: Certificates.Kind = .server
    public var tls: TLSVersions = .all
    public var passwordStore: PasswordStore = .hashedSHA1
    /// Whether clients are asked for a certificate and can log in with one of the authority (XEP-0178): on ejabberd to
    /// existing accounts, on Prosody to any account of ``PrivateServer/otherDomain``, which then has no passwords.
    public var asksForClientCertificates = false
    /// In-band registration (XEP-0077).
    public var allowsRegistration = true
    /// The maximum size of a stanza in bytes.
    public var stanzaSizeLimit = 262_144
    /// Bytes per second of one client connection; `nil` for a limit that no test reaches.
    public var bytesPerSecond: Int?
    /// Seconds for which a lost session can be resumed (XEP-0198).
    public var resumptionSeconds = 600
    /// The maximum size of an uploaded file in bytes (XEP-0363).
    public var uploadSizeLimit = 20 * 1024 * 1024
    /// Users who may execute the server's own commands (XEP-0133), which it offers if there are any.
    public var administrators: [String] = []
    /// Domains that external components (XEP-0114) may serve beside ``PrivateServer/componentDomain``, with the same secret.
    public var componentDomains: [String] = []
    /// Modules of Prosody for ``componentDomains``.
    public var componentModules: Set<String> = []
    /// The secret of all components of the servers of this process.
    static let componentSecret = String(UInt64.random(in: 0...UInt64.max), radix: 36)
    /// Whether the server has a proxy for files that are sent directly (XEP-0065), at `proxy.` and its domain.
    public var offersFileProxy = false
    /// Modules by the server's name, added to or removed from the usual ones.
    public var addedModules: Set<String> = []
    public var removedModules: Set<String> = []
    /// Options of ejabberd's modules by their name, in the flow style of YAML; the module is added if it is not there.
    public var moduleOptions: [String: String] = [:]
    /// Lines for the end of the global part of the server's configuration file.
    public var configurationLines: [String] = []

    public init(_ change: (inout ServerOptions) -> Void = { _ in }) {
        change(&self)
    }
}
