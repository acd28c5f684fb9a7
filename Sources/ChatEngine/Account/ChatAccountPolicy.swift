public import Roster
public import XMPPClient
public import XMPPStream

/// The automatic behaviour of an account.
public struct ChatAccountPolicy: Sendable {
    public var contacts = RosterPolicy()
    public var history = HistoryPolicy.standard
    /// The program's name in service discovery (XEP-0030).
    public var programName = "Hongyan"
    /// The program's type in service discovery: `pc`, `console`, `phone`, `bot` …
    public var programType = "pc"
    /// The features to negotiate at a login. With the default plan, messages that arrived while this device was offline
    /// come from the archive.
    public var negotiation = NegotiationPlan.forArchiveReaders
    /// Called with each received event of the account, in order.
    public var hear: HeardHandler?
    /// Whether the rooms of the account are joined whenever it connects; otherwise only those of
    /// ``RoomService/visit(_:)``.
    public var entersRooms = true
    /// Whether contacts may learn that a message was received and seen.
    public var tellsReceipts = true
    /// Whether contacts may learn that the user is typing.
    public var tellsTyping = true
    /// How long the client state stays active after a login, even if no window is visible: contacts may reconnect after
    /// the same outage, and their presence is also shown in the background.
    public var settlingTime = Duration.seconds(60)
    /// How long a message acknowledged by the server may be without a receipt before the archive is checked for it.
    public var confirmationTime = Duration.seconds(60)

    /// What is stored between processes, so that the server sends only what has changed since.
    public var caches = AccountCaches()

    /// Whether files that the server does not take go from device to device (XEP-0234), and are offered to the user when
    /// contacts send theirs so. The account needs a place for files, and somebody to answer.
    public var transfersFilesDirectly = false

    /// End-to-end encryption; `nil` for none.
    public var encryption: OMEMOSettings?

    public init() {}
}

/// What an account stores between processes although it could request it again. Without a cache it requests everything.
public struct AccountCaches: Sendable {
    /// The contact list with its version (XEP-0237). It belongs to one account.
    public var contacts: (any CacheStorage)?
    /// The capabilities of other programs (XEP-0115, XEP-0390).
    public var capabilities: (any CacheStorage)?

    public init(contacts: (any CacheStorage)? = nil, capabilities: (any CacheStorage)? = nil) {
        self.contacts = contacts
        self.capabilities = capabilities
    }
}
