import SASLMechanisms
import TransportLayer
public import Waiting
import XMLStreaming
import XMPPStanzas
import XMPPStream

/// One connection of a session besides its stream: the transport, and who reads and writes it.
///
/// It is used on the executor of its session only.
final class Connection {
    /// The timeout for writing the remaining data when a stream is over.
    private static let finishTime = Duration.seconds(2)

    private(set) var transport: (any Transport)?
    /// The same if it is on the event loop of the session, which then reads and writes it without a task.
    private(set) var direct: (any EventLoopTransport)?
    let reader = ConnectionReader()
    let writer = ConnectionWriter()
    /// Opened when the stream has ended and all received data was handled.
    let over = Gate()

    /// Connects the transport, unless the stream ends before.
    ///
    /// - Returns: Whether it is open.
    @inline(never)
    func open(at place: ReconnectionSchedule.Place, in session: isolated Session) async -> Bool {
        switch await session.configuration.openTransport(at: place, on: session.loop, unless: over) {
        case .success(let opened):
            transport = opened
            if let direct = opened as? any EventLoopTransport, direct.loop === session.loop { self.direct = direct }
            writer.outbox = Outbox(keepsPieces: opened.isMessageBased)
            let tls = await opened.tlsInformation
            let framing: StreamFraming = opened.isMessageBased ? .webSocket : .stream
            session.perform(
                session.stream?.transportConnected(
                    tls: tls.map { .init($0) }, framing: framing, now: session.clock.now()))
            return true
        case .failure(let error):
            session.perform(session.stream?.transportClosed(TransportClosure(error), now: session.clock.now()))
            return false
        }
    }

    /// Reads and writes from now on.
    @inline(never)
    func start(in session: isolated Session) {
        guard let transport else { return }
        writer.start(in: session)
        reader.start(transport, in: session)
    }

    /// Ends reading and writing when the stream is over, writes the remaining data and closes the transport, with a timeout.
    @inline(never)
    func finish(in session: isolated Session) async {
        guard let transport else { return }
        reader.stop(in: session)
        writer.stop()
        await reader.waitUntilStopped(in: session)
        await writer.waitUntilStopped(in: session)
        await session.saveIfDue()
        await writer.finish(
            until: session.clock.now().advanced(by: Self.finishTime), closing: transport, in: session)
    }

    /// Releases the transport.
    func close() { (transport, direct) = (nil, nil) }
}

/// The knowledge that later connections of a session take over from earlier ones.
struct ConnectionMemory {
    /// The mechanism of the last login, which a later connection must not weaken.
    var mechanism: SASLMechanismName?
    /// The token for the next login.
    @Rare var token: FASTToken?
    /// The last limits that the server announced.
    var limits = StreamLimits()
    /// The longest silence that the current network is known to tolerate.
    @Rare var keepAlivePace: KeepAlivePace?
    /// The stanza of ours that may have ended a stream.
    var suspicion = StanzaSuspicion()

    /// Records the mechanism of a login, unless it is weaker than that of an earlier one.
    ///
    /// - Returns: Whether it has changed.
    mutating func note(_ mechanism: SASLMechanismName, after configured: SASLMechanismName?) -> Bool {
        let previous = self.mechanism ?? configured
        guard mechanism != previous, previous?.isChannelBound != true || mechanism.isChannelBound else { return false }
        self.mechanism = mechanism
        return true
    }
}

/// The data traffic of the connections of a session. The traffic of a period is the difference of two of these.
public struct Traffic: Sendable, Hashable {
    /// The start of counting, with the session.
    public let since: ContinuousInstant
    /// Bytes of XML passed to the transport, without those of TLS and TCP.
    public var bytesSent: UInt64 = 0
    /// Bytes of XML received from the transport.
    public var bytesReceived: UInt64 = 0
    /// How often the processor woke up for the connection, because of received data or a timer.
    public var wakeUps: UInt64 = 0
    /// How often the connection was checked, or something was sent so that address translators keep it.
    public var keepAlives: UInt64 = 0

    init(since: ContinuousInstant) { self.since = since }
}

/// Data to be written, in one order for everything: bytes, and which stanzas they contain.
final class Outbox {
    /// The size from which senders have to wait. 256 KiB keep a fast connection busy.
    static let limit = 256 * 1024

    /// The size from which reading stops: responses to requests of others must not fill memory while the server accepts
    /// no data.
    static let ceiling = 4 * 1024 * 1024

    /// What was sent from outside of the session between two turns is part of a burst if it has so many bytes; more gathers
    /// then. An isolated message is shorter and never waits.
    static let burst = 4 * 1024

    /// How many bytes gather in a burst before they are written. 64 KiB are four TLS records; waking the session for each
    /// message costs more than making it.
    static let gathered = 64 * 1024

    /// How long the last bytes of a burst wait for more.
    static let gatheringTime = Duration.milliseconds(1)

    /// Whether each piece is sent separately, because the transport has messages instead of a stream of bytes (RFC 7395
    /// §3.3.3).
    let keepsPieces: Bool

    private var pieces: [[UInt8]] = []
    private var pieceBytes = 0
    /// What is not kept in pieces: stanzas are written directly into this buffer.
    var writer = ClientStream.makeWriter()
    private(set) var stanzas: [StanzaToken] = []
    /// The tokens of stanzas without a number: nothing is acknowledged, and nothing observes what is written.
    private var tokens: [[SendToken]] = []

    init(keepsPieces: Bool = false) { self.keepsPieces = keepsPieces }

    var byteCount: Int { pieceBytes + writer.byteCount }
    var isEmpty: Bool { byteCount == 0 }
    var isFull: Bool { byteCount >= Self.limit }
    var isOverflowing: Bool { byteCount >= Self.ceiling }

    func append(_ more: [UInt8]) {
        if keepsPieces {
            pieceBytes += more.count
            pieces.append(more)
        } else {
            writer.append(written: more)
        }
    }

    /// Records that the last appended bytes contain stanzas without a number.
    func append(_ tokens: [SendToken]) {
        var all = exchange(&self.tokens, with: [])
        all.append(tokens)
        self.tokens = all
    }

    func token(stanzaID: String) -> SendToken? {
        for batch in tokens.reversed() {
            if let token = batch.last(where: { $0.id == stanzaID }) { return token }
        }
        return nil
    }

    /// How many batches of tokens there are.
    var tokenCount: Int { tokens.count }

    /// Removes the oldest batches of tokens, all by default.
    func takeTokens(_ count: Int = .max) -> [[SendToken]] {
        var all = exchange(&tokens, with: [])
        if count >= all.count { return all }
        let taken = Array(all.prefix(count))
        all.removeFirst(count)
        tokens = all
        return taken
    }

    /// Records that the last appended bytes contain these stanzas, with consecutive numbers.
    func append(first: StanzaToken, count: Int) {
        var all = exchange(&stanzas, with: [])
        all.append(contentsOf: SendLedger.numbers(from: first, count))
        stanzas = all
    }

    /// Records that the last appended bytes contain this stanza.
    func append(_ stanza: StanzaToken) {
        var all = exchange(&stanzas, with: [])
        all.append(stanza)
        stanzas = all
    }

    /// The bytes of a transport that has no messages, and the stanzas in them.
    func takeBytes() -> (bytes: [UInt8], stanzas: [StanzaToken]) {
        (writer.takeBytes(), exchange(&stanzas, with: []))
    }

    func take() -> (pieces: [[UInt8]], stanzas: [StanzaToken]) {
        defer { (pieces, pieceBytes, stanzas) = ([], 0, []) }
        return (writer.byteCount == 0 ? pieces : [writer.takeBytes()], stanzas)
    }
}
