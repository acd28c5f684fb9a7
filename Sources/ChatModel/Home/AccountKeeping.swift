public import ChatEngine
public import ChatStore
public import SASLMechanisms
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
