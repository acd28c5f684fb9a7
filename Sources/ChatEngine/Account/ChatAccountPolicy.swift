public import Roster
public import XMPPStream

/// What an account does by itself.
public struct ChatAccountPolicy: Sendable {
    public var contacts = RosterPolicy()
    public var history = HistoryPolicy.standard
    /// The name that the program tells others (XEP-0030).
    public var programName = "Hongyan"
    /// The kind of the program: `pc`, `console`, `phone`, `bot` …
    public var programType = "pc"
    /// What is negotiated at a login. The usual plan leaves it to the archive what came while nobody was here.
    public var negotiation = NegotiationPlan.forArchiveReaders
    /// Is told everything that the account hears, as it comes.
    public var hear: HeardHandler?
    /// Enters the rooms of the account whenever it connects; otherwise only those of ``RoomService/visit(_:)``.
    public var entersRooms = true
    /// Contacts may learn that a message has arrived and that it was seen.
    public var tellsReceipts = true
    /// Contacts may learn that something is being written.
    public var tellsTyping = true
    /// How long after a login the server is not told that nobody looks: contacts may log in anew at the same time, after the same
    /// outage, and who is there is shown also where nobody looks.
    public var settlingTime = Duration.seconds(60)
    /// How long a message that the server has may be without a word of its receiver before the archive is asked whether it has
    /// it.
    public var confirmationTime = Duration.seconds(60)

    public init() {}
}
