public import XMLStreaming
public import XMPPAddress
public import XMPPStanzas

/// Describes the meaning of a part of the text of a message, such as the mention of a person (XEP-0372 References §3).
///
/// ```
/// C: <body>But, soft! … It is the east, and Juliet is the sun.</body>
///    <reference xmlns='urn:xmpp:reference:0' begin='72' end='78' type='mention' uri='xmpp:juliet@capulet.lit'/>
/// ```
public struct MessageReference: MessagePayload, Hashable {
    /// The kind of the target.
    public struct Kind: RawRepresentable, Sendable, Hashable {
        public var rawValue: String

        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A person.
        public static let mention = Kind(rawValue: "mention")
        /// Anything that can be downloaded.
        public static let data = Kind(rawValue: "data")
    }

    public static let name = XMLName("reference", "urn:xmpp:reference:0")

    public var kind: Kind
    /// The URI of the target.
    public var uri: String
    /// The range in the body, in Unicode code points; `nil` if the text does not show the reference.
    public var range: Range<Int>?
    /// The earlier message that the range belongs to, if it is not this one (§3.4).
    public var anchor: String?

    public init(_ kind: Kind, uri: String, range: Range<Int>? = nil, anchor: String? = nil) {
        self.kind = kind
        self.uri = uri
        self.range = range
        self.anchor = anchor
    }

    /// The mention of a person, or of an occupant of a room.
    public static func mention(_ address: JID, at range: Range<Int>? = nil) -> MessageReference {
        MessageReference(.mention, uri: XMPPURI(address).description, range: range)
    }

    /// The address of the person, if this is a mention.
    public var mentioned: JID? {
        kind == .mention ? (try? XMPPURI(uri))?.address : nil
    }

    public init(from element: XMLElement) throws(XMLDecodingError) {
        try element.requireName(Self.name)
        kind = Kind(rawValue: try element.required("type"))
        uri = try element.required("uri")
        anchor = element["anchor"]
        let begin: UInt32? = try element.value("begin")
        let end: UInt32? = try element.value("end")
        // One without the other is ignored.
        if let begin, let end {
            guard begin <= end else { throw XMLDecodingError(Self.name, .invalidAttribute("end", value: "\(end)")) }
            range = Int(begin)..<Int(end)
        }
    }

    public func encode(to writer: inout XMLWriter) {
        writer.start(Self.name)
        writer.attribute("begin", range.map { "\($0.lowerBound)" })
        writer.attribute("end", range.map { "\($0.upperBound)" })
        writer.attribute("type", kind.rawValue)
        writer.attribute("uri", uri)
        writer.attribute("anchor", anchor)
        writer.end()
    }
}

extension Message {
    /// The valid references.
    public var references: [MessageReference] {
        payloads.compactMap { payload in
            payload.isNamed(MessageReference.name) ? try? MessageReference(from: payload) : nil
        }
    }

    /// Whether the message mentions one of these addresses: the account, or its occupant address in a room.
    public func mentions(_ addresses: JID...) -> Bool {
        references.contains { reference in reference.mentioned.map(addresses.contains) ?? false }
    }
}

extension StringProtocol {
    /// The range between two indices as specifications count it: in Unicode code points from the beginning.
    public func codePoints(of range: Range<Index>) -> Range<Int> {
        let start = unicodeScalars.distance(from: startIndex, to: range.lowerBound)
        return start..<start + unicodeScalars.distance(from: range.lowerBound, to: range.upperBound)
    }

    /// The indices of a range in code points, cut off at the end of the text.
    public func range(ofCodePoints range: Range<Int>) -> Range<Index> {
        let scalars = unicodeScalars
        let start = scalars.index(startIndex, offsetBy: Swift.max(range.lowerBound, 0), limitedBy: endIndex) ?? endIndex
        return start..<(scalars.index(start, offsetBy: range.count, limitedBy: endIndex) ?? endIndex)
    }
}
