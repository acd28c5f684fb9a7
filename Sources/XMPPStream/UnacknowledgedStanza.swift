public import XMLStreaming
import XMPPStanzas

/// A sent stanza that the server has not acknowledged (XEP-0198 §4, "unacknowledged queue").
public struct UnacknowledgedStanza: Equatable, Sendable {
    /// The token that the owner assigned when it was sent.
    public let token: StanzaToken

    /// The stanza as it was sent, in the default namespace `jabber:client`.
    public let bytes: [UInt8]

    public init(token: StanzaToken, bytes: [UInt8]) {
        self.token = token
        self.bytes = bytes
    }

    /// The stanza, parsed again from its bytes.
    ///
    /// - Throws: `XMLError` when the bytes are not one stanza, which can only happen to a state read from a damaged
    ///   store.
    public func element() throws(XMLError) -> XMLElement {
        var parser = XMLStreamParser(limits: .unlimited)
        parser.append(XMLWriter.streamHeader(namespace: XMPPNamespace.client))
        parser.append(bytes)
        while let event = try parser.next() {
            if case .element(let element) = event { return element }
        }
        throw XMLError(.incompleteDocument, at: bytes.count)
    }
}

extension UnacknowledgedStanza: Codable {
    private enum CodingKeys: String, CodingKey { case token, stanza }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        token = try container.decode(StanzaToken.self, forKey: .token)
        bytes = Array(try container.decode(String.self, forKey: .stanza).utf8)
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(token, forKey: .token)
        // The writer produces UTF-8, so the text form loses nothing and is readable in a store.
        try container.encode(String(decoding: bytes, as: UTF8.self), forKey: .stanza)
    }
}

/// Identifies one outgoing stanza. The owner passes it to `send` and gets it back when the server has acknowledged the
/// stanza.
///
/// The owner chooses tokens, which must be unique among the unacknowledged stanzas; a counter that is never reset
/// suffices. They are stored in `ResumptionState`, so they stay valid after a restart.
public struct StanzaToken: RawRepresentable, Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    public var rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    public static func < (left: StanzaToken, right: StanzaToken) -> Bool { left.rawValue < right.rawValue }

    public var description: String { "#\(rawValue)" }
}

/// The sent and unacknowledged stanzas, oldest first, and how many were acknowledged before them.
///
/// Their bytes are in one buffer, so that a stanza costs no memory of its own. All counts are modulo 2^32 (XEP-0198 §4):
/// they may wrap, the difference of two of them may not.
package struct UnacknowledgedQueue: Equatable, Sendable {
    private struct Entry: Equatable {
        let token: StanzaToken
        let byteCount: Int
    }

    /// The last `h` the peer reported.
    package private(set) var acknowledged: UInt32

    private var entries: [Entry] = []
    /// The number of entries, and of their bytes, that were acknowledged and not yet removed.
    private var head = 0
    private var headBytes = 0
    private var bytes: [UInt8] = []

    package init(acknowledged: UInt32 = 0, stanzas: [UnacknowledgedStanza] = []) {
        self.acknowledged = acknowledged
        for stanza in stanzas { append(stanza.token, stanza.bytes[...]) }
    }

    package var count: Int { entries.count - head }

    package var isEmpty: Bool { count == 0 }

    /// How many stanzas were sent on this session, modulo 2^32.
    package var sent: UInt32 { acknowledged &+ UInt32(truncatingIfNeeded: count) }

    package var stanzas: [UnacknowledgedStanza] {
        var start = headBytes
        return entries[head...].map { entry in
            defer { start += entry.byteCount }
            return UnacknowledgedStanza(token: entry.token, bytes: Array(bytes[start..<start + entry.byteCount]))
        }
    }

    package mutating func append(_ token: StanzaToken, _ stanza: ArraySlice<UInt8>) {
        entries.append(Entry(token: token, byteCount: stanza.count))
        bytes.append(contentsOf: stanza)
    }

    /// Appends stanzas whose tokens follow the first one, and whose bytes follow each other.
    package mutating func append(from first: StanzaToken, _ sizes: [Int], _ stanzas: [UInt8]) {
        for (index, size) in sizes.enumerated() {
            entries.append(Entry(token: StanzaToken(first.rawValue + UInt64(index)), byteCount: size))
        }
        bytes.append(contentsOf: stanzas)
    }

    /// Removes what `handled` covers.
    ///
    /// - Returns: The tokens of the removed stanzas in the order of sending, or nil when the peer claims to have
    ///   handled more than was sent. A count that runs backwards is such a claim too, modulo 2^32.
    package mutating func acknowledge(_ handled: UInt32) -> [StanzaToken]? {
        let newly = Int(handled &- acknowledged)
        guard newly <= count else { return nil }
        guard newly > 0 else { return [] }
        let removed = entries[head..<head + newly]
        let tokens = removed.map(\.token)
        for entry in removed { headBytes += entry.byteCount }
        head += newly
        acknowledged = handled
        if isEmpty {
            // Gives the memory back.
            (entries, bytes, head, headBytes) = ([], [], 0, 0)
        } else if head >= entries.count - head, headBytes >= bytes.count - headBytes {
            // Moving the rest down only when it is the smaller part keeps removal linear in what is removed.
            entries.removeFirst(head)
            bytes.removeFirst(headBytes)
            (head, headBytes) = (0, 0)
        }
        return tokens
    }

    package static func == (left: UnacknowledgedQueue, right: UnacknowledgedQueue) -> Bool {
        left.acknowledged == right.acknowledged && left.entries[left.head...] == right.entries[right.head...]
            && left.bytes[left.headBytes...] == right.bytes[right.headBytes...]
    }
}
