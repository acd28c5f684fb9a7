internal import XMPPStream

/// The limits of what others can make this module store or request.
public enum EncryptionLimits {
    /// Devices of one account that are considered. People with many abandoned devices have dozens; each one costs a
    /// request for its bundle, and about 250 bytes in every message.
    public static let devices = 100
    /// Accounts whose lists are stored: more than most people have contacts and fellow members of rooms. The least
    /// recently used one is dropped.
    public static let accounts = 2_000
    /// Members of a room for whom messages are encrypted. Together with their devices they must fit in one stanza:
    /// 500 members with one device each are 125 KiB.
    public static let roomMembers = 500
    /// Requests per minute for the list of an account, because a message came from a device that is not in it: any
    /// sender can send such messages.
    static let refreshesPerMinute = 5
    /// How long a list is valid that was announced: an event can be lost between servers.
    static let announcedListLifetime = Duration.seconds(86_400)
    /// Rooms whose members are stored.
    static let rooms = 200
    /// Requests for lists and bundles that are sent at the same time: enough to hide the distance to servers.
    static let parallelRequests = 16
    /// Parallel requests to one server: few enough not to flood it, or to block others while it is silent.
    static let parallelRequestsOfServer = 4
    /// Servers whose silence is remembered.
    static let servers = 1_000
    /// The timeout of a request for a list or bundle: a message to many recipients waits for the slowest server.
    static let requestTimeout = Duration.seconds(20)
    /// How long a list is valid that was requested and not announced: changes are not announced without
    /// a subscription to the account's presence (XEP-0384 §5.2).
    static let requestedListLifetime = Duration.seconds(600)
    /// How long the members of a room are valid. A room reports most changes; some services report none of members that
    /// are not present.
    static let roomMembersLifetime = Duration.seconds(60)
    /// Bundles, or failures to read one, that are remembered, so that nothing is requested for each message.
    public static let failures = 4_096
    /// When a list or bundle is requested again that could not be read.
    static let retry = Backoff(first: .seconds(30), longest: .seconds(3_600))
    /// When this device announces itself again after it was removed more than once: two programs that remove each other
    /// must not flood their contacts with lists.
    static let announcing = Backoff(first: .seconds(5), longest: .seconds(3_600))
    /// After this time without a removal, the next one counts as the first.
    static let announcingMemory = Duration.seconds(6 * 3_600)
}
