import XMPPStream

/// What waits to be written, in one order for everything: bytes, and which stanzas they contain.
struct Outbox {
    /// From here on who sends has to wait. 256 KiB keep a fast line busy.
    static let limit = 256 * 1024

    /// From here on nothing is read either: answers to what others ask must not fill memory while the server takes
    /// none.
    static let ceiling = 4 * 1024 * 1024

    private(set) var bytes: [UInt8] = []
    private(set) var stanzas: [StanzaToken] = []

    var isEmpty: Bool { bytes.isEmpty }
    var isFull: Bool { bytes.count >= Self.limit }
    var isOverflowing: Bool { bytes.count >= Self.ceiling }

    mutating func append(_ more: [UInt8]) {
        if bytes.isEmpty { bytes = more } else { bytes += more }
    }

    /// Notes that the bytes appended last contain this stanza.
    mutating func append(_ stanza: StanzaToken) {
        stanzas.append(stanza)
    }

    mutating func take() -> (bytes: [UInt8], stanzas: [StanzaToken]) {
        defer { self = Outbox() }
        return (bytes, stanzas)
    }
}
