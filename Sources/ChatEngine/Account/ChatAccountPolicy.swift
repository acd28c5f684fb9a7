public import Roster
public import XMPPStream

/// The automatic behaviour of an account.
public struct ChatAccountPolicy: Sendable {
    public var contacts = RosterPolicy()
    public var history = HistoryPolicy.standard
    /// The program's name in service discovery (XEP-0030).
    public var programName = "Hongyan"
    /// The program's type in service discovery: `pc`, `console`, `phone`, `bot` …
    public var programType = "pc"
    /// What is negotiated at a login. The usual plan leaves it to the archive what came while nobody was here.
    public var negotiation = NegotiationPlan.forArchiveReaders
    /// Is told everything that the account hears, as it comes.
    public var hear: HeardHandler?
    /// Enters the rooms of the account whenever it connects; otherwise only those of ``RoomService/visit(_:)``.
    public var entersRooms = true
    /// Whether contacts may learn that a message was received and seen.
    public var tellsReceipts = true
    /// Whether contacts may learn that the user is typing.
    public var tellsTyping = true
    /// How long after a login the client state stays active although nobody is looking: contacts may reconnect after
    /// the same outage, and their presence is shown also in the background.
    public var settlingTime = Duration.seconds(60)
    /// How long a message acknowledged by the server may be without a receipt before the archive is checked for it.
    public var confirmationTime = Duration.seconds(60)

    /// End-to-end encryption; `nil` for none.
    public var encryption: OMEMOSettings?

    public init() {}
}
