import SASLMechanisms
import TransportLayer
import Waiting
import XMLStreaming
import XMPPStream

/// The state of one connection besides its stream: the transport, received stanzas, and data to be written.
struct Connection {
    /// A received stanza that waits for the interceptors.
    enum Inbound {
        case stanzas([XMLElement])
        case unreadable(UnreadableElement)
        case element(XMLElement)
    }

    var transport: (any Transport)?
    var inbox: [Inbound] = []
    var outbox = Outbox()
    /// Writing has failed: nothing leaves the outbox any more.
    var isWritingOver = false
    /// Opened when the stream has ended and everything it brought was handled.
    let over = Gate()
    /// What one read has brought is being handled: events wait until all of it is.
    var isHandlingInput = false
    /// The TLS handshake comes before the next read.
    var isTLSDue = false
    /// Whether stanzas are acknowledged.
    var isManaged = false
    /// Stanzas flow, and what waited for that has not begun: whether it is the first time.
    var startDue: Bool?
}

/// The knowledge that later connections of a session take over from earlier ones.
struct ConnectionMemory {
    /// How this account logged in last, which a later connection must not fall behind.
    var mechanism: SASLMechanismName?
    /// The token for the next login.
    var token: FASTToken?
    /// The last limits that the server announced.
    var limits = StreamLimits()
    /// The longest silence that the current network is known to tolerate.
    var keepAlivePace: KeepAlivePace?
    /// Which stanza of ours may have ended a stream.
    var suspicion = StanzaSuspicion()

    /// Remembers the mechanism of a login, unless it proves less than an earlier one did.
    ///
    /// - Returns: Whether it is another one than before.
    mutating func note(_ mechanism: SASLMechanismName, after configured: SASLMechanismName?) -> Bool {
        let previous = self.mechanism ?? configured
        guard mechanism != previous, previous?.isChannelBound != true || mechanism.isChannelBound else { return false }
        self.mechanism = mechanism
        return true
    }
}

/// What the connections of a session have cost: what an idle hour of it costs is the difference of two of these.
public struct Traffic: Sendable, Hashable {
    /// When counting began, with the session.
    public let since: ContinuousClock.Instant
    /// Bytes of XML given to the transport; TLS and TCP add theirs.
    public var bytesSent: UInt64 = 0
    /// Bytes of XML that came from the transport.
    public var bytesReceived: UInt64 = 0
    /// How often the processor was woken for the connection: by something that came, or by a time that had come.
    public var wakeUps: UInt64 = 0
    /// How often the server was asked whether the connection lives, or something was sent so that no address
    /// translator forgets the connection.
    public var keepAlives: UInt64 = 0

    init(since: ContinuousClock.Instant) { self.since = since }
}
