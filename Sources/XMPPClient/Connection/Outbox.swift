import XMPPStream

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
