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

/// What waits to be written, in one order for everything: bytes, and which stanzas they contain.
struct Outbox {
    /// From here on who sends has to wait. 256 KiB keep a fast line busy.
    static let limit = 256 * 1024

    /// From here on nothing is read either: answers to what others ask must not fill memory while the server takes
    /// none.
    static let ceiling = 4 * 1024 * 1024

    /// Whether each piece goes out by itself, because the transport carries messages and not a stream of bytes (RFC
    /// 7395 §3.3.3).
    let keepsPieces: Bool

    private(set) var pieces: [[UInt8]] = []
    private(set) var stanzas: [StanzaToken] = []
    private(set) var byteCount = 0

    init(keepsPieces: Bool = false) { self.keepsPieces = keepsPieces }

    var isEmpty: Bool { pieces.isEmpty }
    var isFull: Bool { byteCount >= Self.limit }
    var isOverflowing: Bool { byteCount >= Self.ceiling }

    mutating func append(_ more: [UInt8]) {
        byteCount += more.count
        if pieces.isEmpty || keepsPieces { pieces.append(more) } else { pieces[0] += more }
    }

    /// Notes that the bytes appended last contain this stanza.
    mutating func append(_ stanza: StanzaToken) {
        stanzas.append(stanza)
    }

    mutating func take() -> (pieces: [[UInt8]], stanzas: [StanzaToken]) {
        defer { self = Outbox(keepsPieces: keepsPieces) }
        return (pieces, stanzas)
    }
}
