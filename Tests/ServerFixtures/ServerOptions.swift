/// What both kinds of server can be told to do otherwise than usual.
public struct ServerOptions: Sendable, Hashable {
    public enum TLSVersions: Sendable, Hashable, CaseIterable {
        /// TLS 1.2 and 1.3.
        case all
        case only12
        case only13
    }

    /// How passwords are kept, which decides the mechanisms that are offered.
    public enum PasswordStore: Sendable, Hashable, CaseIterable {
        /// SCRAM-SHA-1 keys.
        case hashedSHA1
        /// SCRAM-SHA-256 keys.
        case hashedSHA256
        /// Clear text: every mechanism the server knows.
        case plain
    }

    /// The certificate of all TLS ports.
    public var certificate: Certificates.Kind = .server
    public var tls: TLSVersions = .all
    public var passwordStore: PasswordStore = .hashedSHA1
    /// Whether clients are asked for a certificate, and those of the authority can log in with it (XEP-0178): on ejabberd to
    /// the accounts that there are, on Prosody to any of ``PrivateServer/otherDomain``, which then has no passwords.
    public var asksForClientCertificates = false
    /// In-band registration (XEP-0077).
    public var allowsRegistration = true
    /// Most bytes of one stanza.
    public var stanzaSizeLimit = 262_144
    /// Bytes per second of one client connection; nil for no limit that a test could reach.
    public var bytesPerSecond: Int?
    /// Seconds for which a lost session can be resumed (XEP-0198).
    public var resumptionSeconds = 600
    /// Most bytes of one uploaded file (XEP-0363).
    public var uploadSizeLimit = 20 * 1024 * 1024
    /// Domains that external components (XEP-0114) may serve beside ``PrivateServer/componentDomain``, with the same secret.
    public var componentDomains: [String] = []
    /// Modules by the server's own name, added to or taken from the usual ones.
    public var addedModules: Set<String> = []
    public var removedModules: Set<String> = []
    /// Lines for the global part of the server's own configuration file; they come last.
    public var configurationLines: [String] = []

    public init(_ change: (inout ServerOptions) -> Void = { _ in }) {
        change(&self)
    }
}
