public import XMLStreaming
import XMPPStanzas

/// A stanza that was written to the stream and for which the server has not yet taken responsibility
/// (XEP-0198 §4, "unacknowledged queue").
public struct UnacknowledgedStanza: Equatable, Sendable {
    /// The name the owner gave to the stanza when it was sent.
    public let token: StanzaToken

    /// The stanza as it stood on the wire, in the stream's default namespace `jabber:client`.
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

/// The owner's name for one outgoing stanza, given with `send` and handed back when the server has acknowledged it.
///
/// Tokens are chosen by the owner and must be unique among the stanzas that are unacknowledged at one time; a counter
/// that is never reset does. They are stored in `ResumptionState`, so they keep their meaning after a restart.
public struct StanzaToken: RawRepresentable, Hashable, Comparable, Codable, Sendable, CustomStringConvertible {
    public var rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }

    public init(_ rawValue: UInt64) { self.rawValue = rawValue }

    public static func < (left: StanzaToken, right: StanzaToken) -> Bool { left.rawValue < right.rawValue }

    public var description: String { "#\(rawValue)" }
}
