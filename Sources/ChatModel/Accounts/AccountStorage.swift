public import ChatEngine
public import ChatStore
internal import Cryptography
public import SASLMechanisms
internal import TransportLayer
public import XMPPAddress
public import XMPPClient
public import XMPPStream

/// Stores what belongs to an account but not into the message store: server settings, passwords, tokens and media.
///
/// Passwords are passed to this type and to the connection only.
public protocol AccountStorage: Sendable {
    /// The accounts signed in on this computer, with any of its programs.
    func accesses() async throws(AccountStorageError) -> [AccountAccess]
    /// Saves the server settings of an account, replacing the previous ones.
    func save(_ access: AccountAccess) async throws(AccountStorageError)
    /// Removes everything about an account: settings, password, token, media and files.
    func remove(_ account: JID) async throws(AccountStorageError)

    func password(of account: JID) async throws(AccountStorageError) -> String?
    func save(password: String, of account: JID) async throws(AccountStorageError)
    /// The identity of this installation for the account's server, its FAST token, and where to save the next one
    /// (XEP-0388, XEP-0484).
    func installation(of account: JID) async -> Installation?

    /// The end-to-end encryption of an account; `nil` if it is off.
    func encryption(of account: JID) async -> OMEMOSettings?
    /// Saves whether an account encrypts; `nil` turns its encryption off.
    func save(encryption: EncryptionPolicy?, of account: JID) async throws(AccountStorageError)

    /// What an account stores between processes although it could request it again.
    func caches(of account: JID) async -> AccountCaches

    /// Opens the media cache of an account; `nil` if that fails.
    func openMedia(of account: JID, waiting: [QueuedMessage]) async -> MediaCache?
    /// Creates the uploader for files in the media cache.
    func uploader(for media: MediaCache) -> any AttachmentUploader
}

/// This installation as the server of one account knows it.
public struct Installation: Sendable {
    public var userAgent: UserAgent
    public var token: FASTToken?
    /// The mechanism of the last login. A weaker one is not used without asking the user.
    public var previousMechanism: SASLMechanismName?
    public var signInStore: any SignInStore

    public init(
        userAgent: UserAgent, token: FASTToken?, previousMechanism: SASLMechanismName? = nil,
        signInStore: any SignInStore
    ) {
        self.userAgent = userAgent
        self.token = token
        self.previousMechanism = previousMechanism
        self.signInStore = signInStore
    }
}

/// Why data of an account could not be saved or read, as a message in the user's language.
public struct AccountStorageError: Error, Sendable, Hashable {
    public let message: String

    public init(_ message: String) { self.message = message }
}

/// How to reach the server of an account: what the user has entered in addition to the password.
public struct AccountAccess: Sendable, Hashable {
    /// The bare address.
    public let address: JID
    /// The host to connect to instead of the result of the DNS lookup.
    public var host: String?
    public var port: UInt16?
    /// Whether to use direct TLS (XEP-0368).
    public var usesDirectTLS: Bool
    /// A PEM file with the certificate authorities to use instead of those of the system.
    public var certificateAuthority: String?
    /// SHA-256 hashes of the certificates that the user has accepted for this account.
    public var trustedCertificates: Set<[UInt8]>
    /// The URL of the proxy for all connections, without a password.
    public var proxy: String?
    /// The file with the password for the proxy.
    public var proxyPasswordFile: String?

    public init(
        address: JID, host: String? = nil, port: UInt16? = nil, usesDirectTLS: Bool = false,
        certificateAuthority: String? = nil, trustedCertificates: Set<[UInt8]> = [], proxy: String? = nil,
        proxyPasswordFile: String? = nil
    ) {
        self.address = address.bare
        self.host = host
        self.port = port
        self.usesDirectTLS = usesDirectTLS
        self.certificateAuthority = certificateAuthority
        self.trustedCertificates = trustedCertificates
        self.proxy = proxy
        self.proxyPasswordFile = proxyPasswordFile
    }

    /// Sets the server and the trust policy of a configuration.
    ///
    /// - Parameters:
    ///   - trusted: certificates that are accepted temporarily, in addition to the stored ones.
    ///   - question: asks the user about untrusted certificates; without it they are rejected.
    func apply(
        to configuration: inout ClientConfiguration, trusted: Set<[UInt8]> = [], asking question: TrustPolicy.Question?
    ) {
        configuration.host = host
        configuration.port = port
        if usesDirectTLS { configuration.encryption = .directTLS }
        configuration.proxy = proxy.map { (try? Proxy($0, passwordFile: proxyPasswordFile)) ?? .unusable }
        let accepted = trustedCertificates.union(trusted)
        let anchors = certificateAuthority.map { TrustPolicy.Anchors.file($0) } ?? .system
        if accepted.isEmpty, question == nil {
            configuration.trust = certificateAuthority.map { .certificateAuthority($0) } ?? .system
        } else {
            configuration.trust = .ask(anchors: anchors) { evaluation in
                if let leaf = evaluation.certificates.first, accepted.contains(leaf.sha256Fingerprint) { return true }
                return await question?(evaluation) ?? false
            }
        }
    }
}

/// What the user must provide before an account can go online again.
public enum AccountNeed: Sendable, Hashable {
    /// There is no password, or the server rejected the stored one.
    case password(isRejected: Bool)
    /// The server's certificate is not trusted, for this reason.
    case certificate(String)
    /// The server offers only weaker mechanisms than before; signing in again accepts that.
    case downgrade
}

/// Account data in memory: for tests, and for programs that leave nothing on disk.
public final actor MemoryAccountStorage: AccountStorage {
    public private(set) var stored: [JID: AccountAccess] = [:]
    public private(set) var passwords: [JID: String] = [:]
    public private(set) var policies: [JID: EncryptionPolicy] = [:]

    private let media: MediaCache?

    /// - Parameter media: the cache of all accounts; without it only text can be sent.
    public init(media: MediaCache? = nil) { self.media = media }

    public func accesses() -> [AccountAccess] { stored.values.sorted { $0.address < $1.address } }
    public func save(_ access: AccountAccess) { stored[access.address] = access }
    public func remove(_ account: JID) {
        stored[account] = nil
        passwords[account] = nil
    }
    public func password(of account: JID) -> String? { passwords[account] }
    public func save(password: String, of account: JID) { passwords[account] = password }
    public func installation(of account: JID) -> Installation? { nil }
    public func encryption(of account: JID) -> OMEMOSettings? { nil }
    public func save(encryption: EncryptionPolicy?, of account: JID) { policies[account] = encryption }
    public func caches(of account: JID) -> AccountCaches { AccountCaches() }
    public func openMedia(of account: JID, waiting: [QueuedMessage]) -> MediaCache? { media }
    public nonisolated func uploader(for media: MediaCache) -> any AttachmentUploader { NoUploader() }
}

private struct NoUploader: AttachmentUploader {
    func upload(
        _ attachment: Attachment, in session: Session, progress: @escaping @Sendable (Int) -> Void
    ) async throws(AttachmentFailure) -> String {
        throw AttachmentFailure(.noUploadService)
    }
}
