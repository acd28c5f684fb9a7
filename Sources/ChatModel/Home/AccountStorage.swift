public import ChatEngine
public import ChatStore
internal import Cryptography
public import SASLMechanisms
internal import TransportLayer
public import XMPPAddress
public import XMPPClient
public import XMPPStream

/// Keeps what belongs to accounts and not into the store: how to reach their servers, passwords, tokens and media.
///
/// A password is given to this and to the connection, and to nothing else.
public protocol AccountKeeping: Sendable {
    /// The accounts that are signed in on this computer, whichever program did it.
    func accesses() async throws(AccountKeepingFailure) -> [AccountAccess]
    /// Keeps how to reach a server, in place of what was kept for that account.
    func save(_ access: AccountAccess) async throws(AccountKeepingFailure)
    /// Forgets everything about an account: settings, password, token, media and files.
    func remove(_ account: JID) async throws(AccountKeepingFailure)

    func password(of account: JID) async throws(AccountKeepingFailure) -> String?
    func save(password: String, of account: JID) async throws(AccountKeepingFailure)
    /// Which installation this is for the server of an account, what it gave out in place of the password, and where to keep
    /// the next one (XEP-0388, XEP-0484).
    func installation(of account: JID) async -> Installation?

    /// Opens the media of an account; `nil` where that cannot be.
    func openMedia(of account: JID, waiting: [QueuedMessage]) async -> MediaCache?
    /// Brings what waits in the media of an account to where others can fetch it.
    func uploader(for media: MediaCache) -> any AttachmentUploader
}

/// This program on this computer, as the server of one account knows it.
public struct Installation: Sendable {
    public var userAgent: UserAgent
    public var token: FASTToken?
    /// What the account was signed in with the last time: nothing weaker is used without asking the person.
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

/// Why something about an account could not be kept or found, as a sentence in the person's language.
public struct AccountKeepingFailure: Error, Sendable, Hashable {
    public let sentence: String

    public init(_ sentence: String) { self.sentence = sentence }
}

/// How one account reaches its server: what a person has said beside the password.
public struct AccountAccess: Sendable, Hashable {
    /// The bare address.
    public let address: JID
    /// Where to connect, in place of what DNS says about the domain.
    public var host: String?
    public var port: UInt16?
    /// The connection is encrypted from its first byte on (XEP-0368).
    public var usesDirectTLS: Bool
    /// A PEM file with the authorities that vouch for the server, in place of those of the system.
    public var certificateAuthority: String?
    /// SHA-256 of certificates that the person has accepted for this account.
    public var trustedCertificates: Set<[UInt8]>

    public init(
        address: JID, host: String? = nil, port: UInt16? = nil, usesDirectTLS: Bool = false,
        certificateAuthority: String? = nil, trustedCertificates: Set<[UInt8]> = []
    ) {
        self.address = address.bare
        self.host = host
        self.port = port
        self.usesDirectTLS = usesDirectTLS
        self.certificateAuthority = certificateAuthority
        self.trustedCertificates = trustedCertificates
    }

    /// Fills in where to connect and whom to trust.
    ///
    /// - Parameters:
    ///   - trusted: certificates that are accepted for now beside those that are kept.
    ///   - question: asked about other certificates that nobody vouches for; without it they are refused.
    func apply(
        to configuration: inout ClientConfiguration, trusted: Set<[UInt8]> = [], asking question: TrustPolicy.Question?
    ) {
        configuration.host = host
        configuration.port = port
        if usesDirectTLS { configuration.encryption = .directTLS }
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

/// What a person must give before an account can go online again.
public enum AccountNeed: Sendable, Hashable {
    /// There is no password, or the server does not accept the one that is kept.
    case password(isRejected: Bool)
    /// The server shows a certificate that is not trusted, for this reason.
    case certificate(String)
    /// The server offers only weaker ways to sign in than before; signing in again accepts that.
    case downgrade
}

/// What is kept of accounts, for as long as a program runs: for tests, and for programs that shall leave nothing behind.
public actor MemoryAccounts: AccountKeeping {
    public private(set) var kept: [JID: AccountAccess] = [:]
    public private(set) var passwords: [JID: String] = [:]

    private let media: MediaCache?

    /// - Parameter media: of all accounts; without it nothing can be sent but text.
    public init(media: MediaCache? = nil) { self.media = media }

    public func accesses() -> [AccountAccess] { kept.values.sorted { $0.address < $1.address } }
    public func save(_ access: AccountAccess) { kept[access.address] = access }
    public func remove(_ account: JID) {
        kept[account] = nil
        passwords[account] = nil
    }
    public func password(of account: JID) -> String? { passwords[account] }
    public func save(password: String, of account: JID) { passwords[account] = password }
    public func installation(of account: JID) -> Installation? { nil }
    public func openMedia(of account: JID, waiting: [QueuedMessage]) -> MediaCache? { media }
    public nonisolated func uploader(for media: MediaCache) -> any AttachmentUploader { NoUploader() }
}

private struct NoUploader: AttachmentUploader {
    func upload(
        _ attachment: Attachment, in session: Session, progress: @escaping @Sendable (Int) -> Void
    ) async throws(AttachmentFailure) -> String {
        throw AttachmentFailure(isTemporary: false, condition: "feature-not-implemented", text: "")
    }
}
